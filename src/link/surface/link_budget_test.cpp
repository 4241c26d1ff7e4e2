// Frames of a link surface with a limit to their bytes.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "color/format.h"
#include "link/surface/link_surface.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {
namespace {

bool IsLossy(const Crossing& crossing, std::uint32_t height) {
  bool lossy = false;
  for (std::uint32_t slice = 0; slice < LinkSliceCount(height, crossing.slice_rows()); ++slice) {
    lossy = lossy || crossing.Slice(slice).lossy != 0;
  }
  return lossy;
}

// Compares all bits of the colours; alpha does not cross.
bool HasSameColors(const Crossing& crossing, color::Format format) {
  const std::byte alpha = format == kRgb10 ? std::byte{0xC0} : std::byte{0xFF};
  for (std::size_t i = 0; i < crossing.in().size(); ++i) {
    const std::byte mask = i % 4 == 3 ? alpha : std::byte{0};
    if ((crossing.in()[i] | mask) != (crossing.out()[i] | mask)) return false;
  }
  return true;
}

std::vector<std::byte> Drawn(codec::Picture picture, std::uint32_t width, std::uint32_t height, std::uint32_t frame) {
  auto pixels = codec::DrawPicture(picture, width, height, frame);
  std::mt19937 random(frame);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = static_cast<std::byte>(random());
  return pixels;
}

struct Size {
  std::uint32_t width, height, slices;
};
constexpr Size kSizes[] = {{1, 1, 1}, {7, 9, 1}, {9, 33, 2}, {65, 47, 3}, {131, 75, 5}, {256, 40, 1}};

// Each frame keeps to its bytes for every content, and its slices say if they lost bits.
TEST(LinkBudget, EveryFrame_HasItsBytesAndSaysWhetherItLostSome) {
  for (const Size& size : kSizes) {
    for (const color::Format format : {kBgra, kRgba, kRgb10}) {
      for (const codec::Picture picture : codec::kPictures) {
        Crossing whole(size.width, size.height, format, size.slices);
        whole.Set(Drawn(picture, size.width, size.height, 1));
        const std::uint64_t takes = *whole.Encode(1, LinkEncoding::kLossless);
        const std::uint64_t least = LeastLinkFrameBytes(format, size.width, size.height, whole.slice_rows());
        for (const std::uint64_t frame_bytes : {least, least + 1, (least + takes) / 2, takes - takes / 10, 2 * takes}) {
          if (frame_bytes < least) continue;
          SCOPED_TRACE(testing::Message() << size.width << " x " << size.height << ", " << color::ToString(format) << ", picture "
                                          << static_cast<int>(picture) << ", " << frame_bytes << " of " << takes);
          Crossing crossing(size.width, size.height, format, size.slices, {}, frame_bytes);
          // Two frames of each content, so that some stand still and some move.
          for (std::uint32_t frame = 1; frame <= 6; ++frame) {
            crossing.Set(Drawn(picture, size.width, size.height, frame / 2));
            const auto bytes = crossing.Encode(frame, LinkEncoding::kLossless);
            ASSERT_TRUE(bytes.ok()) << bytes.error().message;
            ASSERT_LE(*bytes, frame_bytes);
            const auto decoded = crossing.Decode();
            ASSERT_TRUE(decoded.ok()) << decoded.error().message;
            ASSERT_EQ(HasSameColors(crossing, format), !IsLossy(crossing, size.height)) << frame;
          }
        }
      }
    }
  }
}

TEST(LinkBudget, APictureThatRests_BecomesExactAndStaysSo) {
  for (const Size& size : kSizes) {
    for (const color::Format format : {kBgra, kRgb10}) {
      for (const codec::Picture picture : codec::kPictures) {
        Crossing whole(size.width, size.height, format, size.slices);
        whole.Set(Drawn(picture, size.width, size.height, 9));
        const std::uint64_t takes = *whole.Encode(1, LinkEncoding::kLossless);
        const std::uint64_t least = LeastLinkFrameBytes(format, size.width, size.height, whole.slice_rows());
        if (takes <= least) continue;
        for (const std::uint64_t frame_bytes : {least, (least + takes) / 2}) {
          SCOPED_TRACE(testing::Message() << size.width << " x " << size.height << ", " << color::ToString(format) << ", picture "
                                          << static_cast<int>(picture) << ", " << frame_bytes << " of " << takes);
          Crossing crossing(size.width, size.height, format, size.slices, {}, frame_bytes);
          std::uint64_t frame = 1;
          const auto cross = [&] {
            const auto bytes = crossing.Encode(frame++, LinkEncoding::kLossless);
            ASSERT_TRUE(bytes.ok() && crossing.Decode().ok());
            ASSERT_LE(*bytes, frame_bytes);
          };
          for (std::uint32_t moving = 1; moving <= 3; ++moving) {
            crossing.Set(Drawn(picture, size.width, size.height, moving));
            cross();
          }
          crossing.Set(Drawn(picture, size.width, size.height, 9));
          // Each frame brings at least one tile a step further, and each tile has a few steps to go.
          const std::uint32_t tiles = ((size.width + 7) / 8) * ((size.height + 7) / 8);
          std::uint32_t frames = 0;
          for (; frames < 16 + 10 * tiles && (frames == 0 || IsLossy(crossing, size.height)); ++frames) cross();
          EXPECT_TRUE(HasSameColors(crossing, format)) << frames;
          EXPECT_LE(frames, frame_bytes == least ? 16 + 10 * tiles : 40U);
          cross();
          EXPECT_TRUE(HasSameColors(crossing, format));
          EXPECT_FALSE(IsLossy(crossing, size.height));
        }
      }
    }
  }
}

// Rows of another encoding, or of a frame that was never decoded, do not pass for exact ones.
TEST(LinkBudget, AfterOtherEncodingsAndDroppedFrames_NothingIsTakenForExact) {
  const std::uint64_t least = LeastLinkFrameBytes(kBgra, 203, 131, LinkSliceRows(131, 3));
  Crossing crossing(203, 131, kBgra, 3, {}, 2 * least);
  crossing.Set(Drawn(codec::Picture::kScene, 203, 131, 1));
  for (std::uint64_t frame = 1; frame <= 60; ++frame) {
    const bool other = frame % 7 == 3;
    const auto encoding = other ? LinkEncoding::kBc1 : LinkEncoding::kLossless;
    ASSERT_TRUE(crossing.Encode(frame, encoding).ok());
    if (frame % 11 == 5) continue;  // dropped
    const auto decoded = crossing.Decode();
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    if (other) continue;
    ASSERT_EQ(HasSameColors(crossing, kBgra), !IsLossy(crossing, 131)) << frame;
  }
}

TEST(LinkBudget, ALimitThatIsTooLow_IsTakenForTheLeast) {
  const std::uint64_t least = LeastLinkFrameBytes(kBgra, 256, 150, LinkSliceRows(150, 3));
  Crossing crossing(256, 150, kBgra, 3, {}, 1);
  crossing.Draw(codec::Picture::kScene);
  const auto bytes = crossing.Encode(1, LinkEncoding::kLossless);
  ASSERT_TRUE(bytes.ok());
  EXPECT_LE(*bytes, least);
  ASSERT_TRUE(crossing.Decode().ok());
  EXPECT_TRUE(IsLossy(crossing, 150));
}

TEST(LinkBudget, OtherEncodings_HaveTheirOwnBytes) {
  for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kBc1}) {
    Crossing crossing(100, 60, kBgra, 2, {}, 1);
    const auto bytes = crossing.Encode(1, encoding);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(*bytes, LinkFrameBytes(encoding, kBgra, 100, 60));
  }
}

// Memory stops growing after the first frames.
TEST(LinkBudget, TheRoom_HasItsSizeFromTheFirstLossyFrame) {
  for (const color::Format format : {kBgra, kRgb10}) {
    const std::uint32_t slice_rows = LinkSliceRows(131, 3);
    std::vector<std::byte> surface(LinkSurfaceBytes(203, 131));
    InitializeLinkSurface(surface, slice_rows, {}, LeastLinkFrameBytes(format, 203, 131, slice_rows));
    std::vector<std::byte> room;
    std::size_t size = 0;
    for (std::uint32_t frame = 1; frame <= 20; ++frame) {
      const auto pixels = Drawn(codec::Picture::kScene, 203, 131, frame / 5);
      RequestLinkFrame(surface, frame, LinkEncoding::kLossless);
      ASSERT_TRUE(EncodeLinkRows({surface, 0, 131}, {pixels.data(), 4ULL * 203, format, 203, 131}, MonotonicClock(), room).ok());
      if (frame == 1) size = room.capacity();
      EXPECT_EQ(room.capacity(), size) << frame;
    }
  }
}

}  // namespace
}  // namespace tandem::link
