// Surfaces of indexes into a palette (D3DDDIFMT_P8).
#include <array>
#include <vector>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 37, kHeight = 22;

Surface CreateIndexes(UserDevice& user, SurfaceUse use) {
  const SurfaceRequest request{kWidth, kHeight, use, D3DDDIFMT_P8};
  Surface made;
  const NTSTATUS status = user.CreateFrom(user.Describe(request), request,
                                          use == SurfaceUse::kCrossAdapter ? CreateSharing::kGlobal : CreateSharing::kNo, made);
  if (!NT_SUCCESS(status)) throw NotApplicable("The driver has no surfaces of indexes into a palette.");
  return made;
}

using Indexes = std::vector<std::uint8_t>;  // row by row

std::uint8_t Painted(std::uint32_t x, std::uint32_t y) { return static_cast<std::uint8_t>(x * 7 + y * 31); }

void Paint(UserDevice& user, const Surface& surface) {
  std::byte* const rows = user.Lock(surface);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) rows[std::size_t{y} * surface.pitch + x] = std::byte{Painted(x, y)};
  }
  user.Unlock(surface);
}

void RequireIndexes(UserDevice& user, const Surface& surface, const Indexes& due, const char* after) {
  const std::byte* const rows = user.Lock(surface);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const auto seen = std::to_integer<std::uint8_t>(rows[std::size_t{y} * surface.pitch + x]);
      const std::uint8_t index = due[std::size_t{y} * kWidth + x];
      if (seen != index) user.Unlock(surface);
      Require(seen == index, "{}: pixel ({}, {}) is index {}; {} was due.", after, x, y, seen, index);
    }
  }
  user.Unlock(surface);
}

void FillAndCopyIndexes(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = CreateIndexes(user, SurfaceUse::kCrossAdapter);
  const Surface local = CreateIndexes(user, SurfaceUse::kImage);
  const Surface surface = CreateIndexes(user, SurfaceUse::kCrossAdapter);
  Paint(user, source);
  Indexes due;
  for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) due.push_back(Painted(i % kWidth, i / kWidth));
  RequireSuccess(user.Copy(source, local, {}), "D3DKMTPresent of indexes");
  // The index is the low byte of Color.
  const std::array<RECT, 2> rects{RECT{3, 4, 10, 9}, RECT{36, 0, 37, 22}};
  RequireSuccess(user.Fill(local, 0xFF123409, rects), "D3DKMTPresent of a fill with an index");
  RequireSuccess(user.Copy(local, surface, {}), "D3DKMTPresent of indexes");
  user.Finish();
  for (const RECT& rect : rects) {
    for (LONG y = rect.top; y < rect.bottom; ++y) {
      for (LONG x = rect.left; x < rect.right; ++x) due[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)] = 9;
    }
  }
  RequireIndexes(user, surface, due, "A copy and a fill");
  // A copy between overlapping rectangles of one surface.
  D3DKMT_PRESENT present{};
  present.hSource = present.hDestination = surface.allocation;
  present.Flags.Blt = present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
  present.SrcRect = {0, 0, 30, 15};
  present.DstRect = {5, 3, 35, 18};
  RequireSuccess(user.KmtPresent(present), "D3DKMTPresent of indexes to their own surface");
  user.Finish();
  const Indexes before = due;
  for (std::size_t y = 0; y < 15; ++y) {
    for (std::size_t x = 0; x < 30; ++x) due[(y + 3) * kWidth + x + 5] = before[y * kWidth + x];
  }
  RequireIndexes(user, surface, due, "A copy within the surface");
}

void IndexesHaveNoWayBack(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface indexes = CreateIndexes(user, SurfaceUse::kCrossAdapter);
  const Surface colors = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  Paint(user, indexes);
  RequireStatus(user.Copy(colors, indexes, {}), {STATUS_GRAPHICS_CANNOTCOLORCONVERT}, "D3DKMTPresent of colours to indexes");
  D3DKMT_PRESENT stretch{};
  stretch.hSource = stretch.hDestination = indexes.allocation;
  stretch.Flags.Blt = stretch.Flags.SrcRectValid = stretch.Flags.DstRectValid = 1;
  stretch.SrcRect = {0, 0, 10, 10};
  stretch.DstRect = {0, 0, 20, 20};
  RequireStatus(user.KmtPresent(stretch), {STATUS_GRAPHICS_CANNOTCOLORCONVERT}, "D3DKMTPresent of stretched indexes");
  // The palette has no colours yet.
  user.Paint(colors, 0x41000000);
  const NTSTATUS status = user.Copy(indexes, colors, {});
  RequireStatus(status, {STATUS_SUCCESS, STATUS_GRAPHICS_CANNOTCOLORCONVERT}, "D3DKMTPresent of indexes to colours");
  if (!NT_SUCCESS(status)) return;
  user.Finish();
  for (const std::uint32_t pixel : user.Read(colors)) {
    Require((pixel & 0xFFFFFF) == 0, "An index of a palette without colours became 0x{:08X}; black was due.", pixel);
  }
}

std::uint32_t ColorOf(std::uint8_t index) { return static_cast<std::uint32_t>(index) << 16 | (255U - index) << 8 | 0x5AU; }

void RequireColors(const ShownPicture& picture, std::uint32_t blue) {
  Require(picture.width == kWidth && picture.height == kHeight && !picture.pixels.empty(),
          "{} x {} pixels are shown; {} x {} of 4 bytes were due.", picture.width, picture.height, kWidth, kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::uint32_t seen = picture.At(x, y) & 0xFFFFFF, due = (ColorOf(Painted(x, y)) & 0xFFFF00) | blue;
      Require(seen == due, "Index {} at ({}, {}) is shown as 0x{:06X}; 0x{:06X} was due.", Painted(x, y), x, y, seen, due);
    }
  }
}

void ShowsIndexesInColors(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface source = CreateIndexes(user, SurfaceUse::kCrossAdapter);
  const Surface primary = CreateIndexes(user, SurfaceUse::kPrimary);
  const Surface copied = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  std::vector<D3DKMDT_PALETTEDATA> palette;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t color = ColorOf(static_cast<std::uint8_t>(i));
    palette.push_back({static_cast<UCHAR>(color >> 16), static_cast<UCHAR>(color >> 8), static_cast<UCHAR>(color), 0});
  }
  const auto set = rig.kernel().SetPalette(rig.display(), 0, 0, palette);
  if (!set.ok()) throw NotApplicable("The driver sets no palette. " + set.error().message);
  Paint(user, source);
  RequireSuccess(user.Copy(source, primary, {}), "D3DKMTPresent of indexes to a primary");
  RequireSuccess(user.Flip(primary, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  Require(rig.output().AwaitShown(1), "A primary of indexes is not shown.");
  user.Finish();
  RequireColors(rig.output().shown().back(), 0x5A);
  // The screen changes with its palette.
  const std::size_t shown = rig.output().shown().size();
  for (D3DKMDT_PALETTEDATA& entry : palette) entry.Blue = 0x77;
  Require(rig.kernel().SetPalette(rig.display(), 0, 0, palette).ok(), "A second palette is refused.");
  Require(rig.output().AwaitShown(shown + 1), "A palette was set and its primary is not shown again.");
  RequireColors(rig.output().shown().back(), 0x77);
  // Later copies out of the surface use the new palette, if the driver supports them.
  if (const NTSTATUS status = user.Copy(primary, copied, {}); status != STATUS_GRAPHICS_CANNOTCOLORCONVERT) {
    RequireSuccess(status, "D3DKMTPresent of indexes to colours");
    user.Finish();
    RequireColors({kWidth, kHeight, 0, user.Read(copied)}, 0x77);
  }
}

constexpr std::array<Rule, 3> kPaletteRules{{
    {"Palette.Indexes", "Of a surface with a palette, Color is an index; copies between such surfaces move indexes.",
     "DXGKDDI_PRESENT, Remarks (palettized RGB)", Needs::kRender, &FillAndCopyIndexes},
    {"Palette.Conversion", "Colours do not become indexes; indexes become colours of the palette or are refused.",
     "DXGKDDI_PRESENT, STATUS_GRAPHICS_CANNOTCOLORCONVERT", Needs::kRender, &IndexesHaveNoWayBack,
     "No page says which palette a surface that is not shown has; this rule asks for colours where one palette is in force."},
    {"Palette.Shown", "A primary of indexes is shown in the colours of its source's palette, and changes with it.",
     "DXGKDDI_SETPALETTE", Needs::kDisplay, &ShowsIndexesInColors},
}};

}  // namespace

std::span<const Rule> PaletteRules() { return kPaletteRules; }

}  // namespace tandem::conform
