// Pictures of more than eight bits a channel over a link surface.
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/link_surface.h"
#include "codec/testing/link_crossing.h"
#include "color/convert.h"

namespace tandem::codec {
namespace {

constexpr color::Format kBgra = color::Format::kB8G8R8A8Unorm;
constexpr color::Format kRgb10 = color::Format::kR10G10B10A2Unorm;
constexpr color::Format kHalf = color::Format::kR16G16B16A16Float;

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

TEST(LinkFormats, TenBitsCrossExactlyInTheExactEncodings) {
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

TEST(LinkFormats, UnchangedTilesOfTenBitsAreNotSent) {
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

TEST(LinkFormats, TenBitsKeepEightInTheOtherEncodings) {
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

TEST(LinkFormats, PayloadsOfAnotherDepthAreRefused) {
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
TEST(LinkFormats, HalfFloatsComeAsEightBits) {
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

}  // namespace
}  // namespace tandem::codec
