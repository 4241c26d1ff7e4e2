// Copies and fills by DxgkDdiPresent.
#include <array>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::string_view kPresentSource = "DXGKDDI_PRESENT, Remarks";

bool Holds(const RECT& rect, std::uint32_t x, std::uint32_t y) {
  const auto left = static_cast<LONG>(x);
  const auto top = static_cast<LONG>(y);
  return left >= rect.left && left < rect.right && top >= rect.top && top < rect.bottom;
}

// Each pixel of `surface` equals `expected(x, y)`.
template <class Expected>
void RequirePicture(UserDevice& user, const Surface& surface, Expected expected) {
  const std::vector<std::uint32_t> pixels = user.Read(surface);
  for (std::uint32_t y = 0; y < surface.request.height; ++y) {
    for (std::uint32_t x = 0; x < surface.request.width; ++x) {
      const std::uint32_t seen = pixels[std::size_t{y} * surface.request.width + x];
      const std::uint32_t due = expected(x, y);
      Require(seen == due, "Pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", x, y, seen, due);
    }
  }
}

void CopySubRects(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create({40, 20, SurfaceUse::kMapped});
  const Surface destination = user.Create({40, 20, SurfaceUse::kMapped});
  user.Paint(source, 0xAA000000);
  user.Paint(destination, 0x55000000);
  const std::array<RECT, 2> rects{RECT{1, 2, 5, 6}, RECT{30, 10, 60, 12}};
  RequireSuccess(user.Copy(source, destination, rects), "D3DKMTPresent");
  user.Finish();
  RequirePicture(user, destination, [&](std::uint32_t x, std::uint32_t y) {
    return UserDevice::Painted(Holds(rects[0], x, y) || Holds(rects[1], x, y) ? 0xAA000000 : 0x55000000, x, y);
  });
}

void CopyManyRects(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create({128, 96, SurfaceUse::kMapped});
  const Surface destination = user.Create({128, 96, SurfaceUse::kMapped});
  user.Paint(source, 0x11000000);
  user.Paint(destination, 0);
  std::vector<RECT> rects;
  for (LONG y = 0; y < 96; ++y) {
    for (LONG x = y % 2; x < 128; x += 2) rects.push_back({x, y, x + 1, y + 1});
  }
  RequireSuccess(user.Copy(source, destination, rects), "D3DKMTPresent");
  user.Finish();
  RequirePicture(user, destination,
                 [](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted((x + y) % 2 == 0 ? 0x11000000 : 0, x, y); });
}

void CopyToItself(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface surface = user.Create({61, 47, SurfaceUse::kMapped});
  for (LONG dy = -3; dy <= 3; dy += 3) {
    for (LONG dx = -5; dx <= 5; dx += 5) {
      user.Paint(surface, 0x21000000);
      D3DKMT_PRESENT present{};
      present.hSource = present.hDestination = surface.allocation;
      present.Flags.Blt = present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
      present.SrcRect = {8, 6, 50, 40};
      present.DstRect = {8 + dx, 6 + dy, 50 + dx, 40 + dy};
      RequireSuccess(user.KmtPresent(present), "D3DKMTPresent of a surface to itself");
      user.Finish();
      RequirePicture(user, surface, [&](std::uint32_t x, std::uint32_t y) {
        if (!Holds(present.DstRect, x, y)) return UserDevice::Painted(0x21000000, x, y);
        return UserDevice::Painted(0x21000000, static_cast<std::uint32_t>(static_cast<LONG>(x) - dx),
                                   static_cast<std::uint32_t>(static_cast<LONG>(y) - dy));
      });
    }
  }
}

void FillRects(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface surface = user.Create({33, 21, SurfaceUse::kMapped});
  user.Paint(surface, 0x55000000);
  const std::array<RECT, 2> rects{RECT{0, 0, 1, 21}, RECT{7, 3, 33, 4}};
  RequireSuccess(user.Fill(surface, 0xFF123456, rects), "D3DKMTPresent of a fill");
  user.Finish();
  RequirePicture(user, surface, [&](std::uint32_t x, std::uint32_t y) {
    return Holds(rects[0], x, y) || Holds(rects[1], x, y) ? 0xFF123456 : UserDevice::Painted(0x55000000, x, y);
  });
}

// Stretches each pixel to 3 x 5, then shrinks the result back.
void Stretch(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface small = user.Create({23, 17, SurfaceUse::kMapped});
  const Surface large = user.Create({23 * 3, 17 * 5, SurfaceUse::kMapped});
  const Surface back = user.Create({23, 17, SurfaceUse::kMapped});
  user.Paint(small, 0x61000000);
  RequireSuccess(user.Copy(small, large, {}), "D3DKMTPresent of a stretch");
  RequireSuccess(user.Copy(large, back, {}), "D3DKMTPresent of a shrink");
  user.Finish();
  RequirePicture(user, large, [](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(0x61000000, x / 3, y / 5); });
  RequirePicture(user, back, [](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(0x61000000, x, y); });
}

// Rows shorter than the pitch, single pixels, whole pictures.
void CopySizes(Rig& rig) {
  UserDevice user = rig.OpenRender();
  for (const auto& [width, height] : {std::pair{1u, 1u}, {3u, 1u}, {1u, 5u}, {63u, 17u}, {64u, 64u}, {257u, 3u}}) {
    const Surface source = user.Create({width, height, SurfaceUse::kMapped});
    const Surface destination = user.Create({width, height, SurfaceUse::kMapped});
    user.Paint(source, 0x42000000);
    RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
    user.Finish();
    RequirePicture(user, destination, [](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(0x42000000, x, y); });
    RequireSuccess(user.Destroy(source), "D3DKMTDestroyAllocation2");
    RequireSuccess(user.Destroy(destination), "D3DKMTDestroyAllocation2");
  }
}

void CopiesInOrder(Rig& rig) {
  UserDevice user = rig.OpenRender();
  std::array<Surface, 4> chain;
  for (Surface& surface : chain) surface = user.Create({96, 64, SurfaceUse::kMapped});
  user.Paint(chain[0], 0x77000000);
  for (std::size_t i = 1; i < chain.size(); ++i) RequireSuccess(user.Copy(chain[i - 1], chain[i], {}), "D3DKMTPresent");
  RequireSuccess(user.Fill(chain[0], 0, {}), "D3DKMTPresent of a fill");
  user.Finish();
  RequirePicture(user, chain.back(), [](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(0x77000000, x, y); });
}

constexpr std::array<Rule, 7> kPresentRules{{
    {"Present.Blt.SubRects", "A copy writes the given rectangles, clipped, and nothing else.", kPresentSource, Needs::kRender,
     &CopySubRects},
    {"Present.Blt.Sizes", "A copy is exact at any width and height, whatever the pitch.", kPresentSource, Needs::kRender,
     &CopySizes},
    {"Present.Blt.ScreenToScreen", "A copy within one surface is as if the source had been read first.", kPresentSource,
     Needs::kRender, &CopyToItself},
    {"Present.Blt.Stretch", "SrcRect and DstRect of other sizes stretch; each pixel is taken from under its centre.",
     "DXGKDDI_PRESENT, SrcRect and DstRect", Needs::kRender, &Stretch,
     "No page says which pixels a stretch makes; this rule takes the nearest one, by exact integers."},
    {"Present.ColorFill", "A fill writes Color to the given rectangles and nothing else.", kPresentSource, Needs::kRender,
     &FillRects},
    {"Present.Multipass", "More rectangles than a DMA buffer holds arrive by several passes.", "DXGKDDI_PRESENT, MultipassOffset",
     Needs::kRender, &CopyManyRects,
     "Under the guaranteed DMA buffer contract Render may not ask for another buffer; Present always may."},
    {"Present.Order", "Operations of one context happen in the order of their submission.", "DXGKDDI_PRESENT, Remarks",
     Needs::kRender, &CopiesInOrder},
}};

}  // namespace

std::span<const Rule> PresentRules() { return kPresentRules; }

}  // namespace tandem::conform
