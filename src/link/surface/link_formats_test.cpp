// Pictures with more than eight bits a channel on a link surface.
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "color/dither.h"
#include "color/model.h"
#include "link/surface/link_surface.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {
namespace {

// Pixels of R10G10B10A2 that use all colour bits; alpha is opaque.
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

// Flat colours, so that only rounding is seen.
TEST(LinkFormats, TenBitsKeepTenIn420AndEightInTheOtherEncodings) {
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
    const bool ten = encoding == LinkEncoding::kYuv420;
    EXPECT_EQ(crossing.Slice(0).bits, ten ? 10 : 8);
    const auto decoded = crossing.Decode();
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    const double error = encoding == LinkEncoding::kBc1 ? 4 * 7 + 2 : ten ? 1 : 4 + 2;
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
  for (const LinkEncoding encoding :
       {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kLossless, LinkEncoding::kYuv420}) {
    if (!IsBuilt(encoding)) continue;
    Crossing crossing(100, 60, kRgb10);
    ASSERT_TRUE(crossing.Encode(2, encoding).ok());
    auto eight = crossing.to();
    eight.format = kBgra;
    std::vector<std::byte> room;
    const auto decoded = DecodeLinkRows(crossing.rows(0, 60), eight, MonotonicClock(), room);
    ASSERT_FALSE(decoded.ok());
    EXPECT_NE(decoded.error().message.find("10 bits"), std::string::npos) << decoded.error().message;
  }
  // The payload itself says where the lower bits begin.
  for (const std::uint32_t bytes : {0U, 47U, 100'000U, 0xFFFFFFFFU}) {
    Crossing crossing(100, 60, kRgb10);
    ASSERT_TRUE(crossing.Encode(2, LinkEncoding::kLossless).ok());
    std::memcpy(crossing.surface().data() + LinkPayloadOffset(100, crossing.slice_rows()) + 16, &bytes, sizeof(bytes));
    const std::vector<std::byte> before = crossing.out();
    EXPECT_FALSE(crossing.Decode().ok()) << bytes;
    EXPECT_EQ(crossing.out(), before);
  }
}

constexpr std::uint32_t kHalvesWidth = 70;
constexpr std::uint32_t kHalvesHeight = 37;

// Linear light 0..1 in each channel, opaque.
std::vector<std::byte> HalvesPicture() {
  std::vector<std::byte> halves(8ULL * kHalvesWidth * kHalvesHeight);
  for (std::size_t i = 0; i < halves.size(); i += 2) {
    const auto half = i % 8 == 6 ? std::uint16_t{0x3C00} : static_cast<std::uint16_t>(i * 31 % 0x3C00);
    std::memcpy(halves.data() + i, &half, sizeof(half));
  }
  return halves;
}

// In each encoding the half floats come out as the `converted` picture of format `as` does.
void ExpectHalvesCrossAs(color::Format as, LinkColors colors, const std::vector<std::byte>& converted) {
  const auto halves = HalvesPicture();
  EXPECT_EQ(LinkedFormat(kHalf, colors), as);
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (LinkBits(encoding, as) < 10 && colors.ten_bits) continue;  // these encodings convert half floats straight to eight bits
    Crossing expected(kHalvesWidth, kHalvesHeight, as);
    expected.Set(converted);
    ASSERT_TRUE(expected.Encode(1, encoding).ok() && expected.Decode().ok());
    std::vector<std::byte> surface(LinkSurfaceBytes(kHalvesWidth, kHalvesHeight));
    std::vector<std::byte> shown(converted.size());
    std::vector<std::byte> room;
    InitializeLinkSurface(surface, expected.slice_rows(), colors);
    for (const std::uint64_t frame : {1U, 2U}) {
      RequestLinkFrame(surface, frame, encoding, 1);
      const LinkRows rows{surface, 0, kHalvesHeight};
      const auto coded =
          EncodeLinkRows(rows, {halves.data(), 8ULL * kHalvesWidth, kHalf, kHalvesWidth, kHalvesHeight}, MonotonicClock(), room);
      ASSERT_TRUE(coded.ok()) << coded.error().message;
      EXPECT_EQ(ReadLinkSlice(surface, 0).bits, LinkBits(encoding, as));
      const auto decoded =
          DecodeLinkRows(rows, {shown.data(), 4ULL * kHalvesWidth, as, kHalvesWidth, kHalvesHeight}, MonotonicClock(), room);
      ASSERT_TRUE(decoded.ok()) << decoded.error().message;
      EXPECT_EQ(shown, expected.out()) << ToString(encoding) << " " << frame;
      EXPECT_GT(ReadLinkProbed(surface).bytes, 0U);
    }
  }
}

// The tables are those of the conversion without a link.
TEST(LinkFormats, HalfFloatsComeAsEightBits_RoundedOrDithered) {
  const auto halves = HalvesPicture();
  const color::ConversionSource source{halves.data(), 8ULL * kHalvesWidth, kHalvesWidth, kHalvesHeight, kHalf};
  std::vector<std::byte> converted(halves.size() / 2);
  color::ConvertToBgra8(converted.data(), 4ULL * kHalvesWidth, source, color::Transfer::kLinearToSrgb, color::Alpha::kKeep);
  ExpectHalvesCrossAs(kBgra, {}, converted);
  color::DitherToBgra8(converted.data(), 4ULL * kHalvesWidth, source, color::Transfer::kLinearToSrgb, color::Alpha::kKeep, 0);
  ExpectHalvesCrossAs(kBgra, {.dithers = true}, converted);
}

TEST(LinkFormats, HalfFloatsComeAsTheNearestTenBitsWhereTheDisplayHasThem) {
  const auto halves = HalvesPicture();
  std::vector<std::byte> converted(halves.size() / 2);
  for (std::size_t i = 0; i < converted.size() / 4; ++i) {
    std::array<std::uint16_t, 4> channels{};
    std::memcpy(channels.data(), halves.data() + 8 * i, sizeof(channels));
    const auto ten = [&](std::size_t channel) {
      return static_cast<std::uint32_t>(std::nearbyint(color::LinearToSrgb(color::HalfToDouble(channels[channel])) * 1023));
    };
    const std::uint32_t pixel = ten(0) | ten(1) << 10 | ten(2) << 20 | 3U << 30;
    std::memcpy(converted.data() + 4 * i, &pixel, sizeof(pixel));
  }
  for (const bool dithers : {false, true}) ExpectHalvesCrossAs(kRgb10, {dithers, true}, converted);
}

// Encodings of eight bits round half floats once, not through ten bits.
TEST(LinkFormats, HalfFloatsForTenBits_AreRoundedOnceInEncodingsOfEight) {
  std::vector<std::byte> halves(8ULL * kHalvesWidth * kHalvesHeight);
  for (std::size_t i = 0; i < halves.size(); i += 2) {
    const auto half = static_cast<std::uint16_t>(i % 8 == 6 ? 0x3C00 : 0x3000 + i / 8 % kHalvesWidth * 8);
    std::memcpy(halves.data() + i, &half, sizeof(half));
  }
  std::vector<std::byte> room;
  for (const LinkEncoding encoding : {LinkEncoding::kYuv420Tiles, LinkEncoding::kBc1}) {
    if (!IsBuilt(encoding)) continue;
    std::vector<std::byte> shown[2];
    for (const bool ten : {false, true}) {
      std::vector<std::byte> surface(LinkSurfaceBytes(kHalvesWidth, kHalvesHeight));
      InitializeLinkSurface(surface, 16, {false, ten});
      RequestLinkFrame(surface, 1, encoding);
      const LinkRows rows{surface, 0, kHalvesHeight};
      shown[ten].resize(halves.size() / 2);
      ASSERT_TRUE(
          EncodeLinkRows(rows, {halves.data(), 8ULL * kHalvesWidth, kHalf, kHalvesWidth, kHalvesHeight}, MonotonicClock(), room)
              .ok());
      const auto decoded =
          DecodeLinkRows(rows, {shown[ten].data(), 4ULL * kHalvesWidth, ten ? kRgb10 : kBgra, kHalvesWidth, kHalvesHeight},
                         MonotonicClock(), room);
      ASSERT_TRUE(decoded.ok()) << decoded.error().message;
      EXPECT_EQ(ReadLinkSlice(surface, 0).bits, 8);
    }
    for (std::size_t i = 0; i < kHalvesWidth * 16; ++i) {
      ASSERT_EQ((PixelAt(shown[1], i) & 1023) >> 2, PixelAt(shown[0], i) >> 16 & 0xFF) << ToString(encoding) << " " << i;
    }
  }
}

// Conversions from more than eight bits to eight give the result of a picture that was dithered before.
TEST(LinkFormats, DitheredTenBitsAreCodedAsTheirDitheredEight) {
  constexpr std::uint32_t kWidth = 70;
  constexpr std::uint32_t kHeight = 53;
  const auto picture = TenBitPicture(kWidth, kHeight, 0);
  std::vector<std::byte> dithered(picture.size());
  color::DitherToBgra8(dithered.data(), 4ULL * kWidth, {picture.data(), 4ULL * kWidth, kWidth, kHeight, kRgb10},
                       color::Transfer::kPassThrough, color::Alpha::kKeep, 0);
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (!IsBuilt(encoding)) continue;
    Crossing ten(kWidth, kHeight, kRgb10, 2, {.dithers = true});
    ten.Set(picture);
    ASSERT_TRUE(ten.Encode(1, encoding).ok() && ten.Decode().ok());
    if (LinkBits(encoding, kRgb10) == 10) {
      Crossing undithered(kWidth, kHeight, kRgb10, 2);
      undithered.Set(picture);
      ASSERT_TRUE(undithered.Encode(1, encoding).ok() && undithered.Decode().ok());
      EXPECT_EQ(ten.out(), undithered.out()) << ToString(encoding);
      continue;
    }
    Crossing eight(kWidth, kHeight, kBgra, 2);
    eight.Set(dithered);
    ASSERT_TRUE(eight.Encode(1, encoding).ok() && eight.Decode().ok());
    for (std::size_t i = 0; i < kWidth * kHeight; ++i) {
      const std::uint32_t pixel = PixelAt(ten.out(), i);
      const std::uint32_t of = PixelAt(eight.out(), i);
      ASSERT_EQ((pixel & 1023) >> 2, of >> 16 & 0xFF) << ToString(encoding) << " " << i;
      ASSERT_EQ((pixel >> 10 & 1023) >> 2, of >> 8 & 0xFF) << ToString(encoding) << " " << i;
      ASSERT_EQ((pixel >> 20 & 1023) >> 2, of & 0xFF) << ToString(encoding) << " " << i;
    }
  }
}

}  // namespace
}  // namespace tandem::link
