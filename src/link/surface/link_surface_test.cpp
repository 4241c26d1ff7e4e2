#include "link/surface/link_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "codec/pictures/pictures.h"
#include "codec/pictures/quality.h"
#include "link/surface/link_rows.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {
namespace {

TEST(LinkSurface, ExactEncodingsComeBackBitForBitAtAnyExtent) {
  for (const auto& [width, height] : {std::pair{1U, 1U}, {7U, 9U}, {64U, 16U}, {65U, 17U}, {200U, 131U}, {1000U, 70U}}) {
    for (const color::Format format : {kBgra, color::Format::kR8G8B8A8UnormSrgb}) {
      for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kLossless}) {
        Crossing crossing(width, height, format);
        const auto bytes = crossing.Encode(1, encoding);
        ASSERT_TRUE(bytes.ok()) << bytes.error().message;
        EXPECT_LE(*bytes, LinkSurfaceBytes(width, height));
        const auto decoded = crossing.Decode();
        ASSERT_TRUE(decoded.ok()) << decoded.error().message;
        EXPECT_TRUE(crossing.same()) << width << " x " << height << " " << ToString(encoding);
      }
    }
  }
}

TEST(LinkSurface, WhatIsNotExactKeepsItsBytesAndFlatColours) {
  for (const auto& [format, encoding, error] : {std::tuple{kBgra, LinkEncoding::kYuv420, 1},
                                                {color::Format::kR8G8B8A8Unorm, LinkEncoding::kYuv420, 1},
                                                std::tuple{kBgra, LinkEncoding::kYuv420Tiles, 1},
                                                {color::Format::kR8G8B8A8Unorm, LinkEncoding::kYuv420Tiles, 1},
                                                std::tuple{kBgra, LinkEncoding::kBc1, 7},
                                                {color::Format::kR8G8B8A8Unorm, LinkEncoding::kBc1, 7}}) {
    if (!IsBuilt(encoding)) continue;
    Crossing crossing(50, 37, format, 2);
    for (std::uint32_t y = 0; y < 37; ++y) {
      for (std::uint32_t x = 0; x < 50; ++x) {
        crossing.pixel(x, y, 0) = std::byte{200};
        crossing.pixel(x, y, 1) = std::byte{100};
        crossing.pixel(x, y, 2) = std::byte{30};
      }
    }
    const auto bytes = crossing.Encode(1, encoding);
    ASSERT_TRUE(bytes.ok());
    if (encoding == LinkEncoding::kYuv420Tiles) {
      EXPECT_LT(*bytes, LinkFrameBytes(encoding, format, 50, 37));
    } else {
      EXPECT_EQ(*bytes, LinkFrameBytes(encoding, format, 50, 37));
    }
    ASSERT_TRUE(crossing.Decode().ok());
    for (std::size_t i = 0; i < crossing.in().size(); ++i) {
      EXPECT_NEAR(std::to_integer<int>(crossing.in()[i]), std::to_integer<int>(crossing.out()[i]), error) << i;
    }
  }
}

// Slices and the order of colours change pixels only in the rows where slices meet.
TEST(LinkSurface, RedFirstPicturesAreCodedAsBlueFirstOnesAre) {
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    Crossing blue_first(200, 75, kBgra);
    Crossing red_first(200, 75, color::Format::kR8G8B8A8Unorm);
    blue_first.Draw(codec::Picture::kInterface);
    red_first.Draw(codec::Picture::kInterface);
    red_first.TurnRound();
    ASSERT_TRUE(blue_first.Encode(1, encoding).ok() && red_first.Encode(1, encoding).ok());
    ASSERT_TRUE(blue_first.Decode().ok() && red_first.Decode().ok());
    for (std::size_t i = 0; i < blue_first.out().size(); ++i) {
      ASSERT_EQ(blue_first.out()[i], red_first.out()[i % 2 == 1 ? i : i ^ 2]) << ToString(encoding) << " " << i;
    }
  }
}

TEST(LinkSurface, EncodingsGetSmallerAndWorse) {
  if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  const auto measure = [](codec::Picture picture, LinkEncoding encoding) {
    Crossing crossing(512, 256, kBgra);
    crossing.Draw(picture);
    const auto bytes = crossing.Encode(1, encoding);
    EXPECT_TRUE(bytes.ok() && crossing.Decode().ok());
    const auto view = [](const std::vector<std::byte>& pixels) {
      return color::Bgra8<const std::byte>{pixels.data(), 2048, 512, 256};
    };
    return std::pair{*bytes, codec::Compare(view(crossing.in()), view(crossing.out()))};
  };
  const auto [yuv_bytes, yuv] = measure(codec::Picture::kScene, LinkEncoding::kYuv420);
  const auto [tiles_bytes, tiles] = measure(codec::Picture::kScene, LinkEncoding::kYuv420Tiles);
  const auto [block_bytes, blocks] = measure(codec::Picture::kScene, LinkEncoding::kBc1);
  EXPECT_LT(tiles_bytes * 2, yuv_bytes);
  EXPECT_GE(tiles.psnr_db, yuv.psnr_db);
  EXPECT_LT(block_bytes, tiles_bytes);
  EXPECT_EQ(block_bytes, 512U * 256 / 2);
  EXPECT_LT(blocks.luma_psnr_db, yuv.luma_psnr_db);
  // Coloured text is coded in full chroma.
  EXPECT_GT(measure(codec::Picture::kInterface, LinkEncoding::kYuv420Tiles).second.psnr_db,
            measure(codec::Picture::kInterface, LinkEncoding::kYuv420).second.psnr_db + 2);
}

TEST(LinkSurface, NoiseIsNeverLargerInTilesThanWithoutThem) {
  if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  Crossing crossing(320, 64, kBgra, 1);
  for (std::uint64_t frame = 1; frame < 20; ++frame) {
    crossing.Draw(frame < 12 ? codec::Picture::kNoise : codec::Picture::kText);
    const auto bytes = crossing.Encode(frame, LinkEncoding::kYuv420Tiles);
    ASSERT_TRUE(bytes.ok());
    EXPECT_LE(*bytes, LinkFrameBytes(LinkEncoding::kYuv420Tiles, kBgra, 320, 64));
    // Tiles are tried again with the ninth and the seventeenth frame.
    const auto coded = static_cast<LinkEncoding>(crossing.Slice(0).encoding);
    EXPECT_EQ(coded, frame < 17 ? LinkEncoding::kYuv420 : LinkEncoding::kYuv420Tiles) << frame;
    EXPECT_EQ(crossing.Slice(0).flat, frame < 17 ? 7 - (frame - 1) % 8 : 0) << frame;
    ASSERT_TRUE(crossing.Decode().ok());
  }
}

TEST(LinkSurface, PayloadsHaveRoomForEveryEncodingAtAnyExtent) {
  if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  const auto room = [](std::uint32_t width, std::uint32_t rows) {
    return LinkPayloadOffset(width, (rows + kLinkUnitRows - 1) / kLinkUnitRows * kLinkUnitRows) - LinkPayloadOffset(width, 0);
  };
  std::set<std::uint32_t> widths = {1920, 2560, 3840, 16383, 16384};
  for (std::uint32_t width = 1; width <= 1200; ++width) widths.insert(width);
  for (const std::uint32_t width : widths) {
    for (std::uint32_t rows = 1; rows < 2200; rows += rows < 80 ? 1 : 61) {
      ASSERT_LE(codec::YuvTilesCapacity(width, rows, kLinkFullChroma), room(width, rows)) << width << " x " << rows;
      for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
        for (const color::Format format : {kBgra, kRgb10, kHalf}) {
          ASSERT_LE(LinkFrameBytes(encoding, format, width, rows), room(width, rows))
              << width << " x " << rows << ToString(encoding);
        }
      }
    }
  }
}

TEST(LinkSurface, ARequestForWhatIsNotBuiltIsLossless) {
  if (color::kHasYuv420) GTEST_SKIP() << "Every encoding is in this build.";
  for (const LinkEncoding encoding : {LinkEncoding::kYuv420, LinkEncoding::kYuv420Tiles}) {
    Crossing crossing(50, 37, kBgra);
    ASSERT_TRUE(crossing.Encode(1, encoding).ok());
    EXPECT_EQ(crossing.Slice(0).encoding, static_cast<std::uint32_t>(LinkEncoding::kLossless));
    ASSERT_TRUE(crossing.Decode().ok());
    EXPECT_TRUE(crossing.same());
  }
}

TEST(LinkSurface, UnchangedTilesAreNotSentOnceTheOtherSideHoldsThem) {
  Crossing crossing(640, 96, kBgra);
  const auto first = crossing.Encode(1, LinkEncoding::kLossless);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(crossing.Decode().ok());
  crossing.pixel(5, 5, 1) = std::byte{77};
  const auto second = crossing.Encode(4, LinkEncoding::kLossless);
  ASSERT_TRUE(second.ok());
  EXPECT_LT(*second * 10, *first);
  EXPECT_GT(crossing.Slice(0).unchanged, 900);
  ASSERT_TRUE(crossing.Decode().ok());
  EXPECT_TRUE(crossing.same());
}

// A frame that was encoded but never decoded is no reference; mailboxes drop such frames.
TEST(LinkSurface, AFrameThatWasNeverDecodedIsNotReferredTo) {
  Crossing crossing(640, 96, kBgra);
  ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kLossless).ok());
  crossing.pixel(300, 50, 0) = std::byte{1};
  ASSERT_TRUE(crossing.Encode(2, LinkEncoding::kLossless).ok());
  const auto decoded = crossing.Decode();
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_TRUE(crossing.same());
}

TEST(LinkSurface, OtherEncodingsBetweenDoNotConfuseTheReference) {
  Crossing crossing(320, 64, kBgra);
  std::uint64_t frame = 0;
  for (const LinkEncoding encoding :
       {LinkEncoding::kLossless, LinkEncoding::kYuv420, LinkEncoding::kLossless, LinkEncoding::kPlain, LinkEncoding::kLossless,
        LinkEncoding::kLossless, LinkEncoding::kBc1, LinkEncoding::kLossless, LinkEncoding::kYuv420Tiles, LinkEncoding::kLossless,
        LinkEncoding::kPacked, LinkEncoding::kLossless, LinkEncoding::kLossless}) {
    crossing.pixel(10, 10, 0) = static_cast<std::byte>(++frame);
    ASSERT_TRUE(crossing.Encode(frame, encoding).ok());
    ASSERT_TRUE(crossing.Decode().ok());
    if (encoding != LinkEncoding::kPlain && encoding != LinkEncoding::kLossless && encoding != LinkEncoding::kPacked) continue;
    EXPECT_TRUE(crossing.same()) << frame;
  }
}

TEST(LinkSurface, AMovingPictureRestsFromComparing) {
  Crossing crossing(640, 64, kBgra, 1);
  for (std::uint64_t frame = 1; frame < 40; ++frame) {
    for (std::uint32_t y = 0; y < 64; ++y) {
      for (std::uint32_t x = 0; x < 640; x += 4) crossing.pixel(x, y, 1) = static_cast<std::byte>(x * 3 + y * frame);
    }
    ASSERT_TRUE(crossing.Encode(frame, LinkEncoding::kLossless).ok());
    EXPECT_EQ(crossing.Slice(0).backoff > 0, frame % 8 != 1) << frame;
    ASSERT_TRUE(crossing.Decode().ok());
    ASSERT_TRUE(crossing.same()) << frame;
  }
}

TEST(LinkSurface, SlicesAreCodedByThemselves) {
  Crossing crossing(100, 200, kBgra);
  RequestLinkFrame(crossing.surface(), 9, LinkEncoding::kLossless);
  std::vector<std::byte> room;
  for (std::uint32_t first = 0; first < 200; first += crossing.slice_rows()) {
    const std::uint32_t end = std::min(first + crossing.slice_rows(), 200U);
    ASSERT_TRUE(EncodeLinkRows(crossing.rows(first, end), crossing.from(), MonotonicClock(), room).ok());
    ASSERT_TRUE(DecodeLinkRows(crossing.rows(first, end), crossing.to(), MonotonicClock(), room).ok());
  }
  EXPECT_TRUE(crossing.same());
  EXPECT_FALSE(EncodeLinkRows(crossing.rows(8, 200), crossing.from(), MonotonicClock(), room).ok());
  EXPECT_FALSE(DecodeLinkRows(crossing.rows(0, 60), crossing.to(), MonotonicClock(), room).ok());
}

TEST(LinkSurface, ACommandThatRunsAgainChangesNothing) {
  Crossing crossing(100, 60, kBgra);
  ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kLossless).ok());
  ASSERT_TRUE(crossing.Decode().ok());
  ASSERT_TRUE(crossing.Decode().ok());
  EXPECT_TRUE(crossing.same());
}

// A payload of another encoding, slice or frame is refused before any pixel is written.
TEST(LinkSurface, NothingOfAYuvPayloadThatIsNotTheSlicesIsWritten) {
  if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  Crossing other(100, 70, kBgra);
  ASSERT_TRUE(other.Encode(2, LinkEncoding::kYuv420Tiles).ok());
  using Break = std::function<void(Crossing&)>;
  const Break breaks[] = {
      [](Crossing& c) { c.surface()[LinkPayloadOffset(100, c.slice_rows()) + 150] ^= std::byte{1}; },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.bytes -= 8;
        c.SetSlice(1, s);
      },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.encoding = static_cast<std::uint32_t>(LinkEncoding::kYuv420);
        c.SetSlice(1, s);
      },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.encoding = static_cast<std::uint32_t>(LinkEncoding::kLossless);
        c.SetSlice(1, s);
      },
      // The last slice of a higher picture.
      [&other](Crossing& c) {
        const std::uint64_t at = LinkPayloadOffset(100, 3 * c.slice_rows());
        std::copy_n(other.surface().begin() + static_cast<std::ptrdiff_t>(at), other.Slice(3).bytes,
                    c.surface().begin() + static_cast<std::ptrdiff_t>(at));
        c.SetSlice(3, other.Slice(3));
      },
      // A slice of the previous frame.
      [](Crossing& c) {
        const auto before = c.surface();
        ASSERT_TRUE(c.Encode(3, LinkEncoding::kYuv420Tiles).ok());
        const std::uint64_t at = LinkPayloadOffset(100, c.slice_rows());
        std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(at), c.Slice(1).bytes,
                    c.surface().begin() + static_cast<std::ptrdiff_t>(at));
      },
  };
  for (const Break& break_it : breaks) {
    Crossing crossing(100, 60, kBgra);
    ASSERT_TRUE(crossing.Encode(2, LinkEncoding::kYuv420Tiles).ok());
    ASSERT_EQ(crossing.Slice(1).encoding, static_cast<std::uint32_t>(LinkEncoding::kYuv420Tiles));
    break_it(crossing);
    const std::vector<std::byte> before = crossing.out();
    EXPECT_FALSE(crossing.Decode().ok()) << &break_it - breaks;
    EXPECT_EQ(crossing.out(), before) << &break_it - breaks;
  }
}

// Each row breaks slice 1 or the header. No pixel of such a frame is shown, not even of the sound slice 0.
TEST(LinkSurface, NothingOfABadFrameIsWritten) {
  using Break = void (*)(Crossing&);
  const Break breaks[] = {
      [](Crossing& c) { RequestLinkFrame(c.surface(), 3, LinkEncoding::kLossless); },  // stale slices
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.frame = 1;
        c.SetSlice(1, s);
      },
      [](Crossing& c) { c.SetHeld(1, 7); },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.bytes -= 1;
        c.SetSlice(1, s);
      },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.bytes = 0xFFFFFFFF;
        c.SetSlice(1, s);
      },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.encoding = 9;
        c.SetSlice(1, s);
      },
      [](Crossing& c) {
        auto s = c.Slice(1);
        s.encoding = 0;
        c.SetSlice(1, s);
      },
      [](Crossing& c) { c.surface()[LinkPayloadOffset(100, c.slice_rows()) + 100] ^= std::byte{1}; },
      [](Crossing& c) { c.surface()[0] ^= std::byte{1}; },
      [](Crossing& c) { c.surface()[offsetof(LinkSurfaceHeader, slice_rows)] ^= std::byte{1}; },
      [](Crossing& c) { c.surface()[offsetof(LinkSurfaceHeader, dithers)] = std::byte{2}; },
      [](Crossing& c) { c.surface()[offsetof(LinkSurfaceHeader, ten_bits)] = std::byte{2}; },
      [](Crossing& c) { RequestLinkFrame(c.surface(), 0, LinkEncoding::kLossless); },
      [](Crossing& c) { RequestLinkFrame(c.surface(), 2, static_cast<LinkEncoding>(77)); },
  };
  for (const Break& break_it : breaks) {
    Crossing crossing(100, 60, kBgra);
    ASSERT_TRUE(crossing.Encode(2, LinkEncoding::kLossless).ok());
    break_it(crossing);
    const std::vector<std::byte> before = crossing.out();
    const auto decoded = crossing.Decode();
    EXPECT_FALSE(decoded.ok()) << &break_it - breaks;
    EXPECT_EQ(crossing.out(), before) << &break_it - breaks;
  }
}

TEST(LinkSurface, RefusesWhatIsTooSmallOrDoesNotCross) {
  Crossing crossing(100, 60, kBgra);
  RequestLinkFrame(crossing.surface(), 1, LinkEncoding::kPlain);
  std::vector<std::byte> room;
  auto picture = crossing.from();
  EXPECT_FALSE(EncodeLinkRows({std::span(crossing.surface()).first(9000), 0, 60}, picture, MonotonicClock(), room).ok());
  picture.format = color::Format::kUnknown;
  EXPECT_FALSE(EncodeLinkRows(crossing.rows(0, 60), picture, MonotonicClock(), room).ok());
  ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kPlain).ok());
  auto shown = crossing.to();
  shown.format = kHalf;
  const auto decoded = DecodeLinkRows(crossing.rows(0, 60), shown, MonotonicClock(), room);
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.error().message.find("FLOAT"), std::string::npos) << decoded.error().message;
}

TEST(LinkSurface, SlicesFitTheirTable) {
  for (std::uint32_t height = 1; height <= 16384; height += height < 300 ? 1 : 97) {
    for (const std::uint32_t slices : {1U, 3U, 16U, 64U, 1000U}) {
      const std::uint32_t rows = LinkSliceRows(height, slices);
      EXPECT_EQ(rows % kLinkUnitRows, 0U);
      EXPECT_LE(LinkSliceCount(height, rows), kMaxLinkSlices);
      EXPECT_LE(LinkSliceCount(height, rows), std::max(slices, 1U));
    }
  }
}

TEST(LinkSurface, NotesLinkTimeWithTheFirstSlice) {
  Crossing crossing(100, 60, kBgra);
  ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kPlain).ok());
  NoteLinkTime(crossing.rows(crossing.slice_rows(), 60), 1234);
  EXPECT_EQ(crossing.Slice(0).link_ns, 0U);
  EXPECT_EQ(crossing.Slice(1).link_ns, 1234U);
}

}  // namespace
}  // namespace tandem::link
