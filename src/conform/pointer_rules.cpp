// The pointer of a driver that declares one: over the picture, where the kernel puts it, in each of its shapes.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "conform/painted_screen.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "conform/screen_driver.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

using kernel::PointerKind;

constexpr std::uint32_t kExtent = 8;  // of the shapes here
constexpr std::uint32_t kColors = PaintedScreen::kColors;

std::uint32_t ShapeColor(std::uint32_t x, std::uint32_t y) {
  return ((x * 30 + 15) & 255) << 16 | ((y * 30 + 15) & 255) << 8 | ((x ^ y) * 31 & 255);
}

// An image in which the cases of its kind take turns, and the pixel that it makes of the one below.
struct Shape {
  kernel::PointerShape shape;
  std::vector<std::byte> bytes;

  Shape(PointerKind kind, std::uint32_t width, std::uint32_t height) {
    shape.kind = kind;
    shape.width = width;
    shape.height = height;
    shape.pitch = kind == PointerKind::kMonochrome ? (width + 31) / 32 * 4 : width * 4;
    const std::size_t rows = std::size_t{height} * (kind == PointerKind::kMonochrome ? 2 : 1);
    bytes.resize(rows * shape.pitch);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) Set(x, y);
    }
    shape.pixels = bytes;
  }
  // Monochrome: the AND mask keeps every second column, the XOR mask inverts every second row. Others: alpha is 0 or 0xFF.
  void Set(std::uint32_t x, std::uint32_t y) {
    if (shape.kind == PointerKind::kMonochrome) {
      const auto bit = static_cast<std::byte>(0x80 >> x % 8);
      if (Keeps(x)) bytes[std::size_t{y} * shape.pitch + x / 8] |= bit;
      if (Inverts(y)) bytes[std::size_t{y + shape.height} * shape.pitch + x / 8] |= bit;
      return;
    }
    const std::uint32_t argb = ShapeColor(x, y) | (IsSet(x, y) ? 0xFF000000 : 0);
    for (unsigned byte = 0; byte < 4; ++byte) {
      bytes[std::size_t{y} * shape.pitch + std::size_t{x} * 4 + byte] = static_cast<std::byte>(argb >> byte * 8);
    }
  }
  static bool Keeps(std::uint32_t x) { return x % 2 != 0; }
  static bool Inverts(std::uint32_t y) { return y % 2 != 0; }
  static bool IsSet(std::uint32_t x, std::uint32_t y) { return (x + y) % 2 == 0; }

  [[nodiscard]] std::uint32_t Over(std::uint32_t below, std::uint32_t x, std::uint32_t y) const {
    switch (shape.kind) {
      case PointerKind::kMonochrome: return (Keeps(x) ? below : 0) ^ (Inverts(y) ? kColors : 0);
      case PointerKind::kColor: return IsSet(x, y) ? ShapeColor(x, y) : below;
      case PointerKind::kMaskedColor: return IsSet(x, y) ? below ^ ShapeColor(x, y) : ShapeColor(x, y);
    }
    return below;
  }
};

bool Has(const kernel::PointerCaps& caps, PointerKind kind) {
  switch (kind) {
    case PointerKind::kMonochrome: return caps.shapes.Monochrome != 0;
    case PointerKind::kColor: return caps.shapes.Color != 0;
    case PointerKind::kMaskedColor: return caps.shapes.MaskedColor != 0;
  }
  return false;
}

kernel::PointerCaps RequirePointer(Rig& rig) {
  const kernel::PointerCaps caps = ScreenDriver(rig).pointer();
  if (caps.shapes.Value == 0) throw NotApplicable("The driver declares no pointer.");
  Require(caps.max_width != 0 && caps.max_height != 0, "PointerCaps 0x{:X} come with a MaxPointerWidth of {} and a height of {}.",
          caps.shapes.Value, caps.max_width, caps.max_height);
  return caps;
}

// The screen of a driver that has a pointer.
class Screen {
 public:
  explicit Screen(Rig& rig) : driver_(rig), caps_(RequirePointer(rig)), screen_(rig) {}

  [[nodiscard]] const kernel::PointerCaps& caps() const { return caps_; }
  [[nodiscard]] const kernel::DisplayOnlyMode& size() const { return screen_.size(); }
  // The kind that a rule about places takes.
  [[nodiscard]] PointerKind kind() const { return Has(caps_, PointerKind::kColor) ? PointerKind::kColor : AnyKind(); }
  // The shapes of rules, within the driver's limits.
  [[nodiscard]] Shape Small(PointerKind kind) const {
    return {kind, std::min(caps_.max_width, kExtent), std::min(caps_.max_height, kExtent)};
  }

  void Set(const Shape& shape) {
    const auto set = driver_.SetPointerShape(shape.shape);
    Require(set.ok(), "A shape that PointerCaps declare is refused: {}", set.ok() ? "" : set.error().message);
  }
  void Move(std::int32_t x, std::int32_t y, bool visible) {
    const auto moved = driver_.SetPointerPosition({x, y, visible});
    Require(moved.ok(), "A pointer that is {} at ({}, {}) is refused: {}", visible ? "visible" : "invisible", x, y,
            moved.ok() ? "" : moved.error().message);
  }
  void Show() { screen_.Show(); }
  // The last picture has the shape at (left, top), and nothing else over it; null: nothing at all.
  void RequireShown(const Shape* shape, std::int32_t left, std::int32_t top) {
    const auto due = [=](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t below = PaintedScreen::Painted(x, y);
      const std::int64_t px = std::int64_t{x} - left, py = std::int64_t{y} - top;
      const bool over = shape != nullptr && px >= 0 && py >= 0 && px < shape->shape.width && py < shape->shape.height;
      return over ? shape->Over(below, static_cast<std::uint32_t>(px), static_cast<std::uint32_t>(py)) : below;
    };
    screen_.RequireShown(due, fmt::format("a pointer {} ({}, {})", shape == nullptr ? "that is not seen at" : "at", left, top));
  }

 private:
  [[nodiscard]] PointerKind AnyKind() const {
    return Has(caps_, PointerKind::kMaskedColor) ? PointerKind::kMaskedColor : PointerKind::kMonochrome;
  }

  ScreenDriver driver_;
  const kernel::PointerCaps caps_;
  PaintedScreen screen_;
};

void DeclaredShapesAreTaken(Rig& rig) {
  Screen screen(rig);
  for (const PointerKind kind : {PointerKind::kMonochrome, PointerKind::kColor, PointerKind::kMaskedColor}) {
    if (!Has(screen.caps(), kind)) continue;
    screen.Set({kind, 1, 1});
    screen.Set({kind, screen.caps().max_width, screen.caps().max_height});
  }
}

void ImageIsWhereItIsPut(Rig& rig) {
  Screen screen(rig);
  const Shape shape = screen.Small(screen.kind());
  screen.Set(shape);
  for (const auto& [x, y] : {std::pair<std::int32_t, std::int32_t>(5, 3), {17, 20}}) {
    screen.Move(x, y, true);
    screen.Show();
    screen.RequireShown(&shape, x, y);
  }
}

void ImageIsClippedAtEdges(Rig& rig) {
  Screen screen(rig);
  const Shape shape = screen.Small(screen.kind());
  screen.Set(shape);
  const auto right = static_cast<std::int32_t>(screen.size().width), bottom = static_cast<std::int32_t>(screen.size().height);
  for (const auto& [x, y] : {std::pair(-3, 4), std::pair(4, -5), std::pair(right - 2, bottom - 3), std::pair(-100, 7)}) {
    screen.Move(x, y, true);
    screen.Show();
    screen.RequireShown(&shape, x, y);
  }
}

void InvisibleIsNotSeen(Rig& rig) {
  Screen screen(rig);
  const Shape shape = screen.Small(screen.kind());
  screen.Set(shape);
  for (const bool visible : {true, false, true}) {
    screen.Move(6, 2, visible);
    screen.Show();
    screen.RequireShown(visible ? &shape : nullptr, 6, 2);
  }
}

void MasksReplaceOrCombine(Rig& rig) {
  Screen screen(rig);
  if (!Has(screen.caps(), PointerKind::kMaskedColor) && !Has(screen.caps(), PointerKind::kMonochrome))
    throw NotApplicable("The driver declares color pointers alone.");
  for (const PointerKind kind : {PointerKind::kMaskedColor, PointerKind::kMonochrome}) {
    if (!Has(screen.caps(), kind)) continue;
    const Shape shape = screen.Small(kind);
    screen.Set(shape);
    screen.Move(9, 8, true);
    screen.Show();
    screen.RequireShown(&shape, 9, 8);
  }
}

constexpr const char kShapeSource[] = "DXGKARG_SETPOINTERSHAPE, pPixels; DXGK_POINTERFLAGS";
constexpr const char kPlaceSource[] = "DXGKARG_SETPOINTERPOSITION, X and Y";
constexpr const char kPlaceDecides[] =
    "The page does not say which point of the image X and Y place. XHot and YHot may be ignored, so it is the upper left one.";

constexpr std::array kPointerRules{
    Rule{"Pointer.Shapes", "Each shape that PointerCaps declare is taken, from one pixel to the largest extent of the caps.",
         "DXGK_DRIVERCAPS, PointerCaps, MaxPointerWidth and MaxPointerHeight", Needs::kDisplay, &DeclaredShapesAreTaken},
    Rule{"Pointer.Place", "The image lies over the picture where the kernel puts it, and stays there from flip to flip.",
         kPlaceSource, Needs::kDisplay, &ImageIsWhereItIsPut, kPlaceDecides},
    Rule{"Pointer.Clip", "An image that is put over an edge of the screen is seen as far as it lies on the screen.", kPlaceSource,
         Needs::kDisplay, &ImageIsClippedAtEdges, kPlaceDecides},
    Rule{"Pointer.Visible", "A pointer without Visible is not seen.", "DXGK_SETPOINTERPOSITIONFLAGS, Visible", Needs::kDisplay,
         &InvisibleIsNotSeen},
    Rule{"Pointer.Masks",
         "A mask of a masked color or monochrome image replaces the screen's pixel or is combined with it by XOR.", kShapeSource,
         Needs::kDisplay, &MasksReplaceOrCombine},
};

}  // namespace

std::span<const Rule> PointerRules() { return kPointerRules; }

}  // namespace tandem::conform
