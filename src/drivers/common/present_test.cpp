// Present rectangles, copies and link presents, as both miniports check them.
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <vector>

#include "color/format.h"
#include "drivers/common/present_copy.h"
#include "drivers/common/present_rects.h"
#include "link/surface/link_surface.h"

namespace tandem::drivers {
namespace {

constexpr color::Format kBgra = color::Format::kB8G8R8A8Unorm;
constexpr color::Format kHalf = color::Format::kR16G16B16A16Float;

DXGKARG_PRESENT Present(const RECT& source, const RECT& destination) {
  DXGKARG_PRESENT args{};
  args.SrcRect = source;
  args.DstRect = destination;
  return args;
}

CopyTerms Terms(const DXGKARG_PRESENT& args, color::Format from, color::Format to) {
  return ReadCopyTerms(args, from, to, color::Rotation::k90);
}

TEST(PixelRectTest, CoordinatesAtTheEnds_DoNotOverflow) {
  const PixelRect widest = ToPixelRect({INT_MIN, INT_MIN, INT_MAX, INT_MAX});
  EXPECT_EQ(widest.width(), std::int64_t{INT_MAX} - INT_MIN);
  EXPECT_FALSE(widest.IsStretchable());
  EXPECT_TRUE(PixelRect({5, 5, 6, 6}).Inside(widest));
  EXPECT_FALSE(PixelRect({5, 5, 5, 6}).Inside(widest));
}

TEST(WriteRectsTest, FullBuffer_GoesOnWhereItStopped) {
  const std::array<RECT, 4> rects{{{0, 0, 1, 1}, {2, 2, 2, 3}, {1, 1, 2, 2}, {3, 3, 4, 4}}};
  DXGKARG_PRESENT args = Present({0, 0, 4, 4}, {0, 0, 4, 4});
  args.pDstSubRects = rects.data();
  args.SubRectCnt = rects.size();
  std::vector<std::int64_t> written;
  int room = 2;
  const auto write = [&](const PixelRect& rect) -> NTSTATUS {
    if (room-- == 0) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    written.push_back(rect.left);
    return STATUS_SUCCESS;
  };
  const PixelRect seen = WholeOf(4, 4);
  EXPECT_EQ(WriteRects(args, seen, seen, write), STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_EQ(args.MultipassOffset, 3U);
  room = 2;
  EXPECT_EQ(WriteRects(args, seen, seen, write), STATUS_SUCCESS);
  EXPECT_EQ(written, (std::vector<std::int64_t>{0, 1, 3}));
  args.MultipassOffset = 0;
  room = 4;
  EXPECT_EQ(WriteRects(args, seen, WholeOf(3, 3), write), STATUS_PRIVILEGED_INSTRUCTION);
}

TEST(CopyTermsTest, Rotate_FollowsThePath) {
  DXGKARG_PRESENT args = Present({0, 0, 4, 4}, {0, 0, 4, 4});
  EXPECT_EQ(Terms(args, kBgra, kBgra).rotation, color::Rotation::kIdentity);
  EXPECT_TRUE(MovesBits(args, Terms(args, kBgra, kBgra), kBgra, kBgra));
  args.Flags.Rotate = 1;
  EXPECT_EQ(Terms(args, kBgra, kBgra).rotation, color::Rotation::k90);
  EXPECT_FALSE(MovesBits(args, Terms(args, kBgra, kBgra), kBgra, kBgra));
}

TEST(CheckFormatsTest, Indexes_StayIndexesOrBecomeColours) {
  DXGKARG_PRESENT args = Present({0, 0, 4, 4}, {0, 0, 4, 4});
  const auto check = [&](color::Format from, color::Format to) { return CheckFormats(args, Terms(args, from, to), from, to); };
  EXPECT_EQ(check(kPaletteFormat, kPaletteFormat), STATUS_SUCCESS);
  EXPECT_EQ(check(kPaletteFormat, kBgra), STATUS_SUCCESS);
  EXPECT_EQ(check(kBgra, kPaletteFormat), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  args.DstRect.right = 8;
  EXPECT_EQ(check(kPaletteFormat, kPaletteFormat), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(check(kPaletteFormat, kBgra), STATUS_SUCCESS);
  args.Flags.SrcColorKey = 1;
  EXPECT_EQ(check(kPaletteFormat, kBgra), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
}

TEST(CheckStretchTest, Extents_HaveTheLimitOfSurfaces) {
  constexpr LONG kMost = kMaxSurfaceExtent;
  EXPECT_EQ(CheckStretch(Present({0, 0, 4, 4}, {-8, -8, kMost - 8, kMost - 8}), 4, 4), STATUS_SUCCESS);
  EXPECT_EQ(CheckStretch(Present({0, 0, 4, 4}, {-8, -8, kMost - 7, kMost - 8}), 4, 4), STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_EQ(CheckStretch(Present({0, 0, 4, 4}, {INT_MIN, 0, INT_MAX, 4}), 4, 4), STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_EQ(CheckStretch(Present({0, 0, 5, 4}, {0, 0, 4, 4}), 4, 4), STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_EQ(CheckStretch(Present({0, 0, 0, 4}, {0, 0, 4, 4}), 4, 4), STATUS_PRIVILEGED_INSTRUCTION);
}

TEST(CheckNv12EncodeTest, OddRectangles_AreRefusedUnlessTheyAreEmpty) {
  if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
  std::array<RECT, 2> rects{{{0, 0, 2, 2}, {3, 3, 3, 5}}};
  DXGKARG_PRESENT args = Present({0, 0, 8, 8}, {0, 0, 8, 8});
  args.pDstSubRects = rects.data();
  args.SubRectCnt = rects.size();
  const CopyTerms terms = ReadCopyTerms(args, kBgra, color::kNv12, color::Rotation::kIdentity);
  EXPECT_EQ(CheckNv12Encode(args, terms, kBgra), STATUS_SUCCESS);
  rects[1].right = 5;
  EXPECT_EQ(CheckNv12Encode(args, terms, kBgra), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
}

TEST(CheckLinkPresentTest, OneThingWrong_IsRefused) {
  std::array<RECT, 2> rects{{{0, 0, 8, 2}, {4, 4, 4, 6}}};  // the second one is empty
  DXGKARG_PRESENT args = Present({0, 0, 8, 6}, {0, 0, 8, 6});
  args.pDstSubRects = rects.data();
  args.SubRectCnt = rects.size();
  LinkPresent link{true, kBgra, WholeOf(8, 6), 8, 6};
  const auto check = [&] { return CheckLinkPresent(args, Terms(args, kBgra, kBgra), link); };
  EXPECT_EQ(check(), STATUS_SUCCESS);
  args.Flags.Rotate = 1;
  EXPECT_EQ(check(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  link.encodes = false;
  EXPECT_EQ(check(), STATUS_SUCCESS);
  link.picture = kHalf;
  EXPECT_EQ(check() == STATUS_SUCCESS, link::ComesOutOfLink(kHalf));
  link.picture = kBgra;
  args.Flags.DstColorKey = 1;
  EXPECT_EQ(check(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  args.Flags.DstColorKey = 0;
  rects[0].left = 1;
  EXPECT_EQ(check(), STATUS_PRIVILEGED_INSTRUCTION);
  rects[0].left = 0;
  link.surface_width = 10;
  EXPECT_EQ(check(), STATUS_PRIVILEGED_INSTRUCTION);
  link.surface_width = 8;
  args.SrcRect.top = 1;
  EXPECT_EQ(check(), STATUS_PRIVILEGED_INSTRUCTION);
}

}  // namespace
}  // namespace tandem::drivers
