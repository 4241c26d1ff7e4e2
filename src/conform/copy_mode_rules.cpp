// Copies that do more than move pixels: colour keys, the sRGB curve, other formats, clipped and stretched rectangles.
#include <algorithm>
#include <array>
#include <cmath>

#include "conform/pixels.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 40, kHeight = 20;
constexpr SurfaceRequest kShared{kWidth, kHeight, SurfaceUse::kMapped};
constexpr std::uint32_t kKey = 0x0000FF00;  // Painted() gives no pixel of the surface this colour
constexpr std::uint32_t kColors = 0x00FFFFFF;

bool IsKeyed(std::uint32_t x, std::uint32_t y) { return (x + y) % 3 == 0; }

// A driver may lack an operation; it then refuses the present, and the rule is not applicable.
void RequireOperation(NTSTATUS status, const char* what) {
  if (status == STATUS_ILLEGAL_INSTRUCTION || status == STATUS_GRAPHICS_CANNOTCOLORCONVERT)
    throw NotApplicable(fmt::format("The driver refuses {}.", what));
  RequireSuccess(status, what);
}

template <class Expected>
void RequireColors(UserDevice& user, const Surface& surface, Expected expected) {
  const std::vector<std::uint32_t> pixels = user.Read(surface);
  for (std::uint32_t y = 0; y < surface.request.height; ++y) {
    for (std::uint32_t x = 0; x < surface.request.width; ++x) {
      const std::uint32_t seen = pixels[std::size_t{y} * surface.request.width + x] & kColors, due = expected(x, y) & kColors;
      Require(seen == due, "Pixel ({}, {}) is 0x{:06X}; 0x{:06X} was due.", x, y, seen, due);
    }
  }
}

D3DKMT_PRESENT CopyOf(const Surface& source, const Surface& destination) {
  D3DKMT_PRESENT present{};
  present.hSource = source.allocation;
  present.hDestination = destination.allocation;
  present.Flags.Blt = 1;
  return present;
}

// Paints the key's colour over every third pixel.
void PaintKeyed(UserDevice& user, const Surface& surface, std::uint32_t seed) {
  WritePixels(user, surface, 4, [seed](std::uint32_t x, std::uint32_t y) -> std::uint64_t {
    return IsKeyed(x, y) ? 0x7F000000 | kKey : UserDevice::Painted(seed, x, y);
  });
}

void SkipKeyedSource(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  PaintKeyed(user, source, 0x21000000);
  user.Paint(destination, 0x00102040);
  D3DKMT_PRESENT present = CopyOf(source, destination);
  present.Flags.SrcColorKey = 1;
  present.Color = 0xFF000000 | kKey;
  RequireOperation(user.KmtPresent(present), "a copy with SrcColorKey");
  user.Finish();
  RequireColors(user, destination, [](std::uint32_t x, std::uint32_t y) {
    return UserDevice::Painted(IsKeyed(x, y) ? 0x00102040 : 0x21000000, x, y);
  });
}

void WriteOverKeyedDestination(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  user.Paint(source, 0x00102040);
  PaintKeyed(user, destination, 0x21000000);
  D3DKMT_PRESENT present = CopyOf(source, destination);
  present.Flags.DstColorKey = 1;
  present.Color = 0xFF000000 | kKey;
  RequireOperation(user.KmtPresent(present), "a copy with DstColorKey");
  user.Finish();
  RequireColors(user, destination, [](std::uint32_t x, std::uint32_t y) {
    return UserDevice::Painted(IsKeyed(x, y) ? 0x00102040 : 0x21000000, x, y);
  });
}

// IEC 61966-2-1.
double LinearToSrgb(double linear) { return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055; }

struct Ramp {
  D3DDDIFORMAT format;
  const char* name;
  std::uint32_t bytes;
  // A grey of step 0 to 15 and its linear value.
  std::uint64_t (*pixel)(std::uint32_t step);
  double (*value)(std::uint32_t step);
};

constexpr std::array<Ramp, 3> kRamps{{
    {D3DDDIFMT_A16B16G16R16F, "A16B16G16R16F", 8,
     // Half floats with the exponent 2^-1, up to 1: 0.5 + step / 32.
     [](std::uint32_t step) -> std::uint64_t { return 0x3C00'0000'0000'0000 | (0x3800ULL + step * 64) * 0x0001'0001'0001; },
     [](std::uint32_t step) { return 0.5 + step / 32.0; }},
    {D3DDDIFMT_A2B10G10R10, "A2B10G10R10", 4,
     [](std::uint32_t step) -> std::uint64_t { return 0xC0000000 | std::uint64_t{step * 68} * 0x00100401; },
     [](std::uint32_t step) { return step * 68 / 1023.0; }},
    {D3DDDIFMT_A8R8G8B8, "A8R8G8B8", 4,
     [](std::uint32_t step) -> std::uint64_t { return 0xFF000000 | std::uint64_t{step * 17} * 0x00010101; },
     [](std::uint32_t step) { return step * 17 / 255.0; }},
}};

void ApplyTheCurve(Rig& rig) {
  constexpr std::uint32_t kSteps = 16;
  constexpr double kTolerance = 2;  // per channel
  UserDevice user = rig.OpenRender();
  const Surface destination = user.Create({kSteps, 1, SurfaceUse::kCrossAdapter});
  int tried = 0;
  for (const Ramp& ramp : kRamps) {
    const auto source = TryCreate(user, {kSteps, 1, SurfaceUse::kCrossAdapter, ramp.format});
    if (!source) continue;
    WritePixels(user, *source, ramp.bytes, [&ramp](std::uint32_t x, std::uint32_t) { return ramp.pixel(x); });
    D3DKMT_PRESENT present = CopyOf(*source, destination);
    present.Flags.LinearToSrgb = 1;
    const NTSTATUS status = user.KmtPresent(present);
    RequireStatus(status, {STATUS_SUCCESS, STATUS_GRAPHICS_CANNOTCOLORCONVERT, STATUS_ILLEGAL_INSTRUCTION},
                  "D3DKMTPresent with LinearToSrgb");
    if (!NT_SUCCESS(status)) continue;
    ++tried;
    user.Finish();
    const std::vector<std::uint32_t> pixels = user.Read(destination);
    for (std::uint32_t step = 0; step < kSteps; ++step) {
      const double due = 255 * LinearToSrgb(ramp.value(step));
      for (int shift = 0; shift < 24; shift += 8) {
        const double seen = pixels[step] >> shift & 0xFF;
        Require(std::abs(seen - due) <= kTolerance, "{}: the linear value {:.3f} became {} of 255; {:.0f} was due.", ramp.name,
                ramp.value(step), seen, due);
      }
    }
  }
  if (tried == 0) throw NotApplicable("The driver refuses copies with LinearToSrgb.");
}

std::uint32_t CornerAt(std::uint32_t x, std::uint32_t y) { return (x + 3 * y) % 8; }

// The driver converts the corners of the colour cube exactly for each pair, or refuses the pair.
void ConvertPairs(Rig& rig) {
  UserDevice user = rig.OpenRender();
  int converted = 0;
  for (const PixelFormat& from : PixelFormats()) {
    const auto source = TryCreate(user, {kWidth, kHeight, SurfaceUse::kCrossAdapter, from.format});
    if (!source) continue;
    WritePixels(user, *source, from.bytes,
                [&from](std::uint32_t x, std::uint32_t y) { return CornerPixel(from, CornerAt(x, y)); });
    for (const PixelFormat& to : PixelFormats()) {
      const auto destination = TryCreate(user, {kWidth, kHeight, SurfaceUse::kCrossAdapter, to.format});
      if (!destination) continue;
      const NTSTATUS status = user.Copy(*source, *destination, {});
      RequireStatus(status, {STATUS_SUCCESS, STATUS_GRAPHICS_CANNOTCOLORCONVERT}, "D3DKMTPresent between two formats");
      if (NT_SUCCESS(status)) {
        converted += from.format == to.format ? 0 : 1;
        user.Finish();
        const std::vector<std::uint64_t> pixels = ReadPixels(user, *destination, to.bytes);
        for (std::uint32_t i = 0; i < pixels.size(); ++i) {
          const std::uint32_t x = i % kWidth, y = i / kWidth;
          const std::uint64_t seen = pixels[i] & to.color_mask, due = CornerPixel(to, CornerAt(x, y));
          Require(seen == due, "{} to {}: pixel ({}, {}) is 0x{:X}; 0x{:X} was due.", from.name, to.name, x, y, seen, due);
        }
      }
      RequireSuccess(user.Destroy(*destination), "D3DKMTDestroyAllocation2");
    }
  }
  if (converted == 0) throw NotApplicable("The driver converts between no two formats.");
}

void FillFormats(Rig& rig) {
  UserDevice user = rig.OpenRender();
  int filled = 0;
  for (const PixelFormat& format : PixelFormats()) {
    const auto surface = TryCreate(user, {kWidth, kHeight, SurfaceUse::kCrossAdapter, format.format});
    if (!surface) continue;
    for (std::uint32_t corner = 0; corner < 8; ++corner) {
      const NTSTATUS status = user.Fill(*surface, CornerColor(corner), {});
      RequireStatus(status, {STATUS_SUCCESS, STATUS_GRAPHICS_CANNOTCOLORCONVERT, STATUS_ILLEGAL_INSTRUCTION},
                    "D3DKMTPresent of a fill");
      if (!NT_SUCCESS(status)) break;
      ++filled;
      user.Finish();
      for (const std::uint64_t pixel : ReadPixels(user, *surface, format.bytes)) {
        Require((pixel & format.color_mask) == CornerPixel(format, corner),
                "A fill of {} with 0x{:08X} made 0x{:X}; 0x{:X} was due.", format.name, CornerColor(corner), pixel,
                CornerPixel(format, corner));
      }
    }
  }
  if (filled == 0) throw NotApplicable("The driver fills no surface.");
}

// A present of a window that extends beyond the screen.
void ClipAtTheEdge(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  user.Paint(source, 0x31000000);
  for (const auto& [dx, dy] : {std::pair{-7, -3}, {9, 5}, {-1, 19}, {39, 0}}) {
    user.Paint(destination, 0x00800080);
    D3DKMT_PRESENT present = CopyOf(source, destination);
    present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
    present.SrcRect = {0, 0, kWidth, kHeight};
    present.DstRect = {dx, dy, dx + LONG{kWidth}, dy + LONG{kHeight}};
    RequireSuccess(user.KmtPresent(present), "D3DKMTPresent to a rectangle that reaches beyond its surface");
    user.Finish();
    RequireColors(user, destination, [left = dx, top = dy](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t from_x = x - static_cast<std::uint32_t>(left), from_y = y - static_cast<std::uint32_t>(top);
      const bool written = from_x < kWidth && from_y < kHeight;
      return written ? UserDevice::Painted(0x31000000, from_x, from_y) : UserDevice::Painted(0x00800080, x, y);
    });
  }
}

// Sub-rectangles of a stretch: the driver writes their stretched rectangles and nothing else.
void StretchRects(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create({2 * kWidth, 2 * kHeight, SurfaceUse::kMapped});
  user.Paint(source, 0x41000000);
  user.Paint(destination, 0x00800080);
  const std::array<RECT, 2> rects{RECT{3, 2, 9, 7}, RECT{20, 11, 40, 20}};
  RequireSuccess(user.Copy(source, destination, rects), "D3DKMTPresent of rectangles of a stretch");
  user.Finish();
  RequireColors(user, destination, [&rects](std::uint32_t x, std::uint32_t y) {
    const auto from_x = static_cast<LONG>(x / 2), from_y = static_cast<LONG>(y / 2);
    const bool written = std::any_of(rects.begin(), rects.end(), [&](const RECT& rect) {
      return from_x >= rect.left && from_x < rect.right && from_y >= rect.top && from_y < rect.bottom;
    });
    return written ? UserDevice::Painted(0x41000000, x / 2, y / 2) : UserDevice::Painted(0x00800080, x, y);
  });
}

// Copies by way of surfaces that the processor cannot reach.
void CopyThroughImages(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), back = user.Create(kShared);
  const Surface one = user.Create({kWidth, kHeight, SurfaceUse::kImage}),
                other = user.Create({kWidth, kHeight, SurfaceUse::kImage});
  user.Paint(source, 0x51000000);
  user.Paint(back, 0x00800080);
  RequireSuccess(user.Copy(source, one, {}), "D3DKMTPresent to an image");
  RequireSuccess(user.Copy(one, other, {}), "D3DKMTPresent between images");
  RequireSuccess(user.Copy(other, back, {}), "D3DKMTPresent from an image");
  user.Finish();
  RequireColors(user, back, [](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(0x51000000, x, y); });
}

constexpr std::array<Rule, 8> kCopyModeRules{{
    {"Present.Blt.SrcColorKey", "A copy with SrcColorKey leaves alone what source pixels of the colour Color lie over.",
     "DXGK_PRESENTFLAGS, SrcColorKey; DXGKARG_PRESENT, Color", Needs::kRender, &SkipKeyedSource},
    {"Present.Blt.DstColorKey", "A copy with DstColorKey writes over destination pixels of the colour Color and no others.",
     "DXGK_PRESENTFLAGS, DstColorKey; DXGKARG_PRESENT, Color", Needs::kRender, &WriteOverKeyedDestination},
    {"Present.Blt.LinearToSrgb", "A copy with LinearToSrgb applies the sRGB curve to the colour channels, or is refused.",
     "DXGK_PRESENTFLAGS, LinearToSrgb", Needs::kRender, &ApplyTheCurve,
     "No page names a precision; this rule allows 2 of 255 of a channel."},
    {"Present.Blt.Formats", "A copy between two formats keeps the colours, or is refused as one that cannot be converted.",
     "DXGKDDI_PRESENT, STATUS_GRAPHICS_CANNOTCOLORCONVERT", Needs::kRender, &ConvertPairs},
    {"Present.Blt.Clipped", "A destination rectangle that reaches beyond its surface is clipped; its picture stays in place.",
     "DXGKDDI_PRESENT, Remarks (clipped presents)", Needs::kRender, &ClipAtTheEdge},
    {"Present.Blt.StretchedRects", "A stretch writes what the given rectangles become, and nothing else.",
     "DXGKDDI_PRESENT, SrcRect, DstRect and pDstSubRects", Needs::kRender, &StretchRects},
    {"Present.Blt.Images", "Copies by way of surfaces that the processor does not reach keep every pixel.",
     "DXGKDDI_PRESENT, Remarks (off-screen copies)", Needs::kRender, &CopyThroughImages},
    {"Present.ColorFill.Formats", "A fill writes Color, which is A8R8G8B8, in the format of its destination.",
     "DXGKDDI_PRESENT, Remarks (Color)", Needs::kRender, &FillFormats},
}};

}  // namespace

std::span<const Rule> CopyModeRules() { return kCopyModeRules; }

}  // namespace tandem::conform
