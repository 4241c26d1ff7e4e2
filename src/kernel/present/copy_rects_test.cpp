#include "kernel/present/copy_rects.h"

#include <utility>

#include <gtest/gtest.h>

namespace tandem::kernel {
namespace {

class CopyRectsTest : public ::testing::Test {
 protected:
  CopyRectsTest() {
    request_.source = &surface_;
    request_.destination = &surface_;
  }
  SurfaceDescription surface_{64, 32, D3DDDIFMT_A8R8G8B8};
  CopyRequest request_;
  CopyRects rects_;
  std::vector<RECT> subs_;
};

TEST_F(CopyRectsTest, NothingGiven_IsTheWholeSurface) {
  ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
  ASSERT_EQ(subs_.size(), 1u);
  EXPECT_EQ(subs_[0].right, 64);
  EXPECT_EQ(subs_[0].bottom, 32);
}

TEST_F(CopyRectsTest, SubRects_MoveWithTheRectAndAreClipped) {
  const RECT source{10, 10, 20, 20}, destination{30, 0, 40, 10};
  const RECT subs[] = {{0, 0, 12, 12}, {50, 20, 60, 30}, {15, 15, 15, 20}, {19, 19, 64, 32}};
  request_.source_rect = &source;
  request_.destination_rect = &destination;
  request_.sub_rects = subs;
  ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
  ASSERT_EQ(subs_.size(), 2u);
  EXPECT_EQ(subs_[0].left, 30);
  EXPECT_EQ(subs_[0].bottom, 2);
  EXPECT_EQ(subs_[1].left, 39);
  EXPECT_EQ(subs_[1].right, 40);
}

TEST_F(CopyRectsTest, RectsOutsideTheSourceOrUnreasonable_AreRefused) {
  for (const RECT& wrong : {RECT{-1, 0, 10, 10}, RECT{0, 0, 65, 10}, RECT{5, 0, 5, 10}, RECT{0, 10, 10, 5}, RECT{0, 0, 10, 33}}) {
    request_.source_rect = &wrong;
    EXPECT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_INVALID_PARAMETER);
  }
  request_.source_rect = nullptr;
  const LONG far = LONG{3} << 28;
  for (const RECT& wrong : {RECT{5, 0, 5, 10}, RECT{-far, 0, 10, 10}, RECT{0, 0, 10, far}, RECT{far, 0, far + 1, 1}}) {
    request_.destination_rect = &wrong;
    EXPECT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_INVALID_PARAMETER);
  }
}

TEST_F(CopyRectsTest, WindowBeyondTheScreen_IsClippedToIt) {
  const RECT window{-10, 20, 54, 52};
  request_.destination_rect = &window;
  ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
  ASSERT_EQ(subs_.size(), 1u);
  EXPECT_EQ(subs_[0].left, 0);
  EXPECT_EQ(subs_[0].right, 54);
  EXPECT_EQ(subs_[0].bottom, 32);
  EXPECT_EQ(rects_.destination.left, -10);
  const RECT outside{64, 0, 128, 32};
  request_.destination_rect = &outside;
  ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
  EXPECT_TRUE(subs_.empty());
}

TEST_F(CopyRectsTest, Stretch_EachDestinationPixelBelongsToTheSubRectOfItsSourcePixel) {
  static const RECT source{3, 1, 50, 30}, destination{-5, 2, 60, 31};
  request_.source_rect = &source;
  request_.destination_rect = &destination;
  // Columns of the source, one by one: together they fill the destination, each with the pixels under whose centre it lies.
  for (LONG x = source.left; x < source.right; ++x) {
    const RECT column{x, 0, x + 1, 32};
    request_.sub_rects = {&column, 1};
    ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
    for (LONG to = 0; to < 60; ++to) {
      const LONG taken = source.left + (2 * (to - destination.left) + 1) * 47 / (2 * 65);
      const bool inside = !subs_.empty() && to >= subs_[0].left && to < subs_[0].right;
      EXPECT_EQ(inside, taken == x) << x << " " << to;
    }
  }
}

TEST_F(CopyRectsTest, QuarterTurned_ClientsSeeWidthAndHeightExchanged) {
  request_.quarter_turned = true;
  ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
  ASSERT_EQ(subs_.size(), 1u);
  EXPECT_EQ(subs_[0].right, 32);
  EXPECT_EQ(subs_[0].bottom, 64);
}

TEST_F(CopyRectsTest, OntoItself_NoRectOverwritesWhatALaterOneReads) {
  request_.onto_itself = true;
  const RECT subs[] = {{0, 0, 10, 5}, {20, 0, 30, 5}, {0, 5, 40, 9}, {0, 9, 10, 20}, {10, 9, 30, 20}};
  request_.sub_rects = subs;
  for (const auto& [dx, dy] : {std::pair<LONG, LONG>{3, 2}, {-3, 2}, {3, -2}, {-3, -2}, {4, 0}, {-4, 0}, {0, 3}, {0, -3}}) {
    const RECT source{5, 5, 40, 25}, destination{5 + dx, 5 + dy, 40 + dx, 25 + dy};
    request_.source_rect = &source;
    request_.destination_rect = &destination;
    ASSERT_EQ(ResolveCopyRects(request_, rects_, subs_), STATUS_SUCCESS);
    for (std::size_t early = 0; early < subs_.size(); ++early) {
      for (std::size_t late = early + 1; late < subs_.size(); ++late) {
        const RECT& a = subs_[early];
        const RECT& b = subs_[late];
        const bool overwrites = a.left < b.right - dx && b.left - dx < a.right && a.top < b.bottom - dy && b.top - dy < a.bottom;
        EXPECT_FALSE(overwrites) << dx << "," << dy << ": " << early << " before " << late;
      }
    }
  }
}

}  // namespace
}  // namespace tandem::kernel
