#include "codec/link_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "codec/link_rows.h"
#include "codec/pictures.h"
#include "codec/quality.h"
#include "color/convert.h"

namespace tandem::codec {
namespace {

constexpr color::Format kBgra = color::Format::kB8G8R8A8Unorm;
constexpr color::Format kRgb10 = color::Format::kR10G10B10A2Unorm;
constexpr color::Format kHalf = color::Format::kR16G16B16A16Float;

// A picture, the surface that it crosses and the picture that comes out.
class Crossing {
 public:
  Crossing(std::uint32_t width, std::uint32_t height, color::Format format, std::uint32_t slices = 4)
      : width_(width),
        height_(height),
        format_(format),
        slice_rows_(LinkSliceRows(height, slices)),
        surface_(LinkSurfaceBytes(width, height)),
        from_(std::size_t{width} * height * 4),
        to_(from_.size(), std::byte{0x11}) {
    InitializeLinkSurface(surface_, slice_rows_);
    for (std::uint32_t i = 0; i < from_.size(); ++i)
      from_[i] = static_cast<std::byte>(i % 4 == 3 ? 255U : (i * 7U + i / 64U) & 0xFFU);
  }

  [[nodiscard]] LinkRows rows(std::uint32_t first, std::uint32_t end) { return {surface_, first, end}; }
  [[nodiscard]] LinkPicture<const std::byte> from() const { return {from_.data(), width_ * 4ULL, format_, width_, height_}; }
  [[nodiscard]] LinkPicture<std::byte> to() { return {to_.data(), width_ * 4ULL, format_, width_, height_}; }
  Result<std::uint64_t> Encode(std::uint64_t frame, LinkEncoding encoding) {
    WishLinkFrame(surface_, frame, encoding);
    return EncodeLinkRows(rows(0, height_), from(), MonotonicClock(), room_);
  }
  Result<void> Decode() { return DecodeLinkRows(rows(0, height_), to(), MonotonicClock(), room_); }
  [[nodiscard]] bool same() const { return from_ == to_; }
  [[nodiscard]] std::vector<std::byte>& surface() { return surface_; }
  [[nodiscard]] std::byte& pixel(std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    return from_[(std::size_t{y} * width_ + x) * 4 + channel];
  }
  void Set(const std::vector<std::byte>& pixels) { from_ = pixels; }
  void Draw(Picture picture) { from_ = DrawPicture(picture, width_, height_, 1); }
  void TurnRound() {
    for (std::size_t i = 0; i < from_.size(); i += 4) std::swap(from_[i], from_[i + 2]);
  }
  [[nodiscard]] std::uint32_t slice_rows() const { return slice_rows_; }
  [[nodiscard]] const std::vector<std::byte>& out() const { return to_; }
  [[nodiscard]] const std::vector<std::byte>& in() const { return from_; }
  [[nodiscard]] LinkSlice Slice(std::uint32_t index) const { return ReadLinkSlice(surface_, index); }
  void SetHeld(std::uint32_t index, std::uint64_t frame) {
    const LinkHeld held{frame, 0};
    std::memcpy(surface_.data() + kLinkHeldOffset + index * sizeof(held), &held, sizeof(held));
  }
  void SetSlice(std::uint32_t index, const LinkSlice& slice) {
    std::memcpy(surface_.data() + kLinkSlicesOffset + index * sizeof(slice), &slice, sizeof(slice));
  }

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  color::Format format_;
  std::uint32_t slice_rows_;
  std::vector<std::byte> surface_;
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  std::vector<std::byte> room_;
};

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

// Slices and colours that are turned round change nothing but at the rows where slices meet.
TEST(LinkSurface, RedFirstPicturesAreCodedAsBlueFirstOnesAre) {
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    Crossing blue_first(200, 75, kBgra);
    Crossing red_first(200, 75, color::Format::kR8G8B8A8Unorm);
    blue_first.Draw(Picture::kInterface);
    red_first.Draw(Picture::kInterface);
    red_first.TurnRound();
    ASSERT_TRUE(blue_first.Encode(1, encoding).ok() && red_first.Encode(1, encoding).ok());
    ASSERT_TRUE(blue_first.Decode().ok() && red_first.Decode().ok());
    for (std::size_t i = 0; i < blue_first.out().size(); ++i) {
      ASSERT_EQ(blue_first.out()[i], red_first.out()[i % 2 == 1 ? i : i ^ 2]) << ToString(encoding) << " " << i;
    }
  }
}

TEST(LinkSurface, RungsGetSmallerAndWorse) {
  if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  const auto measure = [](Picture picture, LinkEncoding encoding) {
    Crossing crossing(512, 256, kBgra);
    crossing.Draw(picture);
    const auto bytes = crossing.Encode(1, encoding);
    EXPECT_TRUE(bytes.ok() && crossing.Decode().ok());
    const auto view = [](const std::vector<std::byte>& pixels) {
      return color::Bgra8<const std::byte>{pixels.data(), 2048, 512, 256};
    };
    return std::pair{*bytes, Compare(view(crossing.in()), view(crossing.out()))};
  };
  const auto [yuv_bytes, yuv] = measure(Picture::kScene, LinkEncoding::kYuv420);
  const auto [tiles_bytes, tiles] = measure(Picture::kScene, LinkEncoding::kYuv420Tiles);
  const auto [block_bytes, blocks] = measure(Picture::kScene, LinkEncoding::kBc1);
  EXPECT_LT(tiles_bytes * 2, yuv_bytes);
  EXPECT_GE(tiles.psnr_db, yuv.psnr_db);
  EXPECT_LT(block_bytes, tiles_bytes);
  EXPECT_EQ(block_bytes, 512U * 256 / 2);
  EXPECT_LT(blocks.luma_psnr_db, yuv.luma_psnr_db);
  // Coloured text comes in full chroma.
  EXPECT_GT(measure(Picture::kInterface, LinkEncoding::kYuv420Tiles).second.psnr_db,
            measure(Picture::kInterface, LinkEncoding::kYuv420).second.psnr_db + 2);
}

TEST(LinkSurface, NoiseIsNeverLargerInTilesThanWithoutThem) {
  if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  Crossing crossing(320, 64, kBgra, 1);
  for (std::uint64_t frame = 1; frame < 20; ++frame) {
    crossing.Draw(frame < 12 ? Picture::kNoise : Picture::kText);
    const auto bytes = crossing.Encode(frame, LinkEncoding::kYuv420Tiles);
    ASSERT_TRUE(bytes.ok());
    EXPECT_LE(*bytes, LinkFrameBytes(LinkEncoding::kYuv420Tiles, kBgra, 320, 64));
    // Tried again with the ninth frame and the seventeenth.
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
      ASSERT_LE(YuvTilesCapacity(width, rows, kLinkFullChroma), room(width, rows)) << width << " x " << rows;
      for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
        for (const color::Format format : {kBgra, kRgb10, kHalf}) {
          ASSERT_LE(LinkFrameBytes(encoding, format, width, rows), room(width, rows))
              << width << " x " << rows << ToString(encoding);
        }
      }
    }
  }
}

TEST(LinkSurface, AWishForWhatIsNotBuiltIsLossless) {
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

// A frame that was coded and never decoded (a mailbox drops such) is nobody's reference.
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
    EXPECT_EQ(crossing.Slice(0).rests > 0, frame % 8 != 1) << frame;
    ASSERT_TRUE(crossing.Decode().ok());
    ASSERT_TRUE(crossing.same()) << frame;
  }
}

TEST(LinkSurface, SlicesAreCodedByThemselves) {
  Crossing crossing(100, 200, kBgra);
  WishLinkFrame(crossing.surface(), 9, LinkEncoding::kLossless);
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

// Each payload of another encoding, or of another slice or frame, is refused before anything is written.
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
      // The last slice of a picture that is higher.
      [&other](Crossing& c) {
        const std::uint64_t at = LinkPayloadOffset(100, 3 * c.slice_rows());
        std::copy_n(other.surface().begin() + static_cast<std::ptrdiff_t>(at), other.Slice(3).bytes,
                    c.surface().begin() + static_cast<std::ptrdiff_t>(at));
        c.SetSlice(3, other.Slice(3));
      },
      // A slice of the frame before.
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

// What is wrong with a surface, by slice 1 or header, and nothing of it may be shown: not even the sound slice 0.
TEST(LinkSurface, NothingOfABadFrameIsWritten) {
  using Break = void (*)(Crossing&);
  const Break breaks[] = {
      [](Crossing& c) { WishLinkFrame(c.surface(), 3, LinkEncoding::kLossless); },  // stale slices
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
      [](Crossing& c) { WishLinkFrame(c.surface(), 0, LinkEncoding::kLossless); },
      [](Crossing& c) { WishLinkFrame(c.surface(), 2, static_cast<LinkEncoding>(77)); },
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
  WishLinkFrame(crossing.surface(), 1, LinkEncoding::kPlain);
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

// Pixels of R10G10B10A2 with all bits in use, but for alpha, which is opaque.
std::vector<std::byte> TenBitPicture(std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  std::vector<std::byte> pixels(4ULL * width * height);
  for (std::uint32_t i = 0; i < width * height; ++i) {
    const std::uint32_t x = i % width;
    const std::uint32_t y = i / width;
    const std::uint32_t pixel = 3U << 30 | ((3 * x + y + seed) & 1023) << 20 | ((x * y / 7) & 1023) << 10 | ((x + 5 * y) & 1023);
    std::memcpy(pixels.data() + 4ULL * i, &pixel, sizeof(pixel));
  }
  return pixels;
}

std::uint32_t PixelAt(const std::vector<std::byte>& pixels, std::size_t index) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, pixels.data() + 4 * index, sizeof(pixel));
  return pixel;
}

TEST(LinkSurface, TenBitsCrossExactlyInTheExactEncodings) {
  for (const auto& [width, height] : {std::pair{1U, 1U}, {7U, 9U}, {200U, 131U}}) {
    for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kLossless}) {
      Crossing crossing(width, height, kRgb10);
      crossing.Set(TenBitPicture(width, height, 0));
      const auto bytes = crossing.Encode(1, encoding);
      ASSERT_TRUE(bytes.ok()) << bytes.error().message;
      EXPECT_EQ(crossing.Slice(0).bits, 10);
      const auto decoded = crossing.Decode();
      ASSERT_TRUE(decoded.ok()) << decoded.error().message;
      EXPECT_TRUE(crossing.same()) << width << " x " << height << " " << ToString(encoding);
      if (width < 200) continue;
      EXPECT_LT(*bytes, LinkFrameBytes(encoding, kRgb10, width, height) + 1);
    }
  }
}

TEST(LinkSurface, UnchangedTilesOfTenBitsAreNotSent) {
  Crossing crossing(640, 96, kRgb10);
  crossing.Set(TenBitPicture(640, 96, 0));
  const auto first = crossing.Encode(1, LinkEncoding::kLossless);
  ASSERT_TRUE(first.ok() && crossing.Decode().ok());
  crossing.pixel(5, 5, 0) ^= std::byte{1};  // the lowest bit of red
  const auto second = crossing.Encode(2, LinkEncoding::kLossless);
  ASSERT_TRUE(second.ok());
  EXPECT_LT(*second * 10, *first);
  EXPECT_GT(crossing.Slice(0).unchanged, 900);
  const auto decoded = crossing.Decode();
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_TRUE(crossing.same());
}

TEST(LinkSurface, TenBitsKeepEightInTheOtherEncodings) {
  for (const LinkEncoding encoding : {LinkEncoding::kYuv420, LinkEncoding::kYuv420Tiles, LinkEncoding::kBc1}) {
    if (!IsBuilt(encoding)) continue;
    Crossing crossing(50, 37, kRgb10, 2);
    std::vector<std::byte> flat(4 * 50 * 37);
    for (std::size_t i = 0; i < flat.size(); i += 4) {
      const std::uint32_t pixel = 3U << 30 | 900U << 20 | 511U << 10 | 77U;
      std::memcpy(flat.data() + i, &pixel, sizeof(pixel));
    }
    crossing.Set(flat);
    ASSERT_TRUE(crossing.Encode(1, encoding).ok());
    EXPECT_EQ(crossing.Slice(0).bits, 8);
    const auto decoded = crossing.Decode();
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    const double error = encoding == LinkEncoding::kBc1 ? 4 * 7 + 2 : 4 + 2;
    for (std::size_t i = 0; i < 50 * 37; ++i) {
      const std::uint32_t pixel = PixelAt(crossing.out(), i);
      ASSERT_EQ(pixel >> 30, 3U);
      ASSERT_NEAR(pixel & 1023, 77, error) << ToString(encoding);
      ASSERT_NEAR(pixel >> 10 & 1023, 511, error) << ToString(encoding);
      ASSERT_NEAR(pixel >> 20 & 1023, 900, error) << ToString(encoding);
    }
  }
}

TEST(LinkSurface, PayloadsOfAnotherDepthAreRefused) {
  for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kLossless}) {
    Crossing crossing(100, 60, kRgb10);
    ASSERT_TRUE(crossing.Encode(2, encoding).ok());
    auto eight = crossing.to();
    eight.format = kBgra;
    std::vector<std::byte> room;
    const auto decoded = DecodeLinkRows(crossing.rows(0, 60), eight, MonotonicClock(), room);
    ASSERT_FALSE(decoded.ok());
    EXPECT_NE(decoded.error().message.find("10 bits"), std::string::npos) << decoded.error().message;
  }
  // Where the lower bits would begin is read from the payload.
  for (const std::uint32_t bytes : {0U, 47U, 100'000U, 0xFFFFFFFFU}) {
    Crossing crossing(100, 60, kRgb10);
    ASSERT_TRUE(crossing.Encode(2, LinkEncoding::kLossless).ok());
    std::memcpy(crossing.surface().data() + LinkPayloadOffset(100, crossing.slice_rows()) + 16, &bytes, sizeof(bytes));
    const std::vector<std::byte> before = crossing.out();
    EXPECT_FALSE(crossing.Decode().ok()) << bytes;
    EXPECT_EQ(crossing.out(), before);
  }
}

// Half floats are converted by the same tables as where they are shown as they are.
TEST(LinkSurface, HalfFloatsComeAsEightBits) {
  constexpr std::uint32_t kWidth = 70;
  constexpr std::uint32_t kHeight = 37;
  std::vector<std::byte> halves(8ULL * kWidth * kHeight);
  for (std::size_t i = 0; i < halves.size(); i += 2) {
    const auto half = i % 8 == 6 ? std::uint16_t{0x3C00} : static_cast<std::uint16_t>(i * 31 % 0x3C00);
    std::memcpy(halves.data() + i, &half, sizeof(half));
  }
  std::vector<std::byte> expected(4ULL * kWidth * kHeight);
  color::ConvertToBgra8(expected.data(), 4ULL * kWidth, {halves.data(), 8ULL * kWidth, kWidth, kHeight, kHalf},
                        color::Transfer::kLinearToSrgb, color::Alpha::kKeep);
  EXPECT_EQ(LinkedFormat(kHalf), kBgra);
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    // What the same picture in eight bits becomes.
    Crossing eight(kWidth, kHeight, kBgra);
    eight.Set(expected);
    ASSERT_TRUE(eight.Encode(1, encoding).ok() && eight.Decode().ok());
    std::vector<std::byte> surface(LinkSurfaceBytes(kWidth, kHeight));
    std::vector<std::byte> shown(expected.size());
    std::vector<std::byte> room;
    InitializeLinkSurface(surface, eight.slice_rows());
    for (const std::uint64_t frame : {1U, 2U}) {
      WishLinkFrame(surface, frame, encoding, 1);
      const LinkRows rows{surface, 0, kHeight};
      const auto coded = EncodeLinkRows(rows, {halves.data(), 8ULL * kWidth, kHalf, kWidth, kHeight}, MonotonicClock(), room);
      ASSERT_TRUE(coded.ok()) << coded.error().message;
      const auto decoded = DecodeLinkRows(rows, {shown.data(), 4ULL * kWidth, kBgra, kWidth, kHeight}, MonotonicClock(), room);
      ASSERT_TRUE(decoded.ok()) << decoded.error().message;
      EXPECT_EQ(shown, eight.out()) << ToString(encoding) << " " << frame;
      EXPECT_GT(ReadLinkScouted(surface).bytes, 0U);
    }
  }
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
}  // namespace tandem::codec
