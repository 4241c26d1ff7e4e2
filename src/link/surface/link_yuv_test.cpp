// Each conversion to 4:2:0 and back on a link surface: matrix, range and filter.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "color/p010.h"
#include "color/testing/yuv_codings.h"
#include "color/yuv_model.h"
#include "link/surface/link_surface.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {
namespace {

using color::testing::At;

constexpr std::uint32_t kYuvWidth = 70;
constexpr std::uint32_t kYuvHeight = 53;

std::vector<LinkYuv> EachYuv() {
  std::vector<LinkYuv> all;
  for (const color::YuvMatrix matrix : color::testing::kMatrices) {
    for (const color::YuvRange range : color::testing::kRanges) {
      for (const color::ChromaFilter filter : color::testing::kFilters) all.push_back({{matrix, range}, filter});
    }
  }
  return all;
}

// Converts a slice's rows to 4:2:0 and back with the scalar reference.
std::vector<std::byte> ThroughReference(const std::byte* pixels, std::uint32_t rows, const LinkYuv& encoded,
                                        const LinkYuv& decoded) {
  std::vector<std::byte> out(4ULL * kYuvWidth * rows);
  if constexpr (color::kHasYuv420) {
    const std::uint64_t chroma_pitch = 2ULL * color::ChromaExtent(kYuvWidth);
    std::vector<std::byte> y(kYuvWidth * rows);
    std::vector<std::byte> uv(chroma_pitch * color::ChromaExtent(rows));
    color::EncodeYuv420Reference({color::YuvLayout::kNv12, y.data(), uv.data(), nullptr, kYuvWidth, chroma_pitch},
                                 {pixels, 4ULL * kYuvWidth, kYuvWidth, rows}, encoded.coding);
    color::DecodeYuv420Reference({out.data(), 4ULL * kYuvWidth, kYuvWidth, rows},
                                 {color::YuvLayout::kNv12, y.data(), uv.data(), nullptr, kYuvWidth, chroma_pitch}, decoded.coding,
                                 decoded.filter);
  }
  return out;
}

// Converts the whole picture slice by slice.
std::vector<std::byte> SlicesThroughReference(const std::vector<std::byte>& pixels, std::uint32_t slice_rows,
                                              const LinkYuv& encoded, const LinkYuv& decoded) {
  std::vector<std::byte> out;
  for (std::uint32_t first = 0; first < kYuvHeight; first += slice_rows) {
    const auto part =
        ThroughReference(pixels.data() + 4ULL * kYuvWidth * first, std::min(slice_rows, kYuvHeight - first), encoded, decoded);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

TEST(LinkYuv, EachOne_IsTheScalarReferencesSliceBySlice) {
  if (!color::kHasYuv420) GTEST_SKIP() << "4:2:0 is not in the build.";
  const auto picture = codec::DrawPicture(codec::Picture::kScene, kYuvWidth, kYuvHeight, 1);
  for (const LinkYuv& how : EachYuv()) {
    SCOPED_TRACE(LinkYuvText(how));
    Crossing blue(kYuvWidth, kYuvHeight, kBgra, 2, {.yuv = how});
    Crossing red(kYuvWidth, kYuvHeight, kRgba, 2, {.yuv = how});
    blue.Set(picture);
    red.Set(picture);
    red.TurnRound();
    ASSERT_TRUE(blue.Encode(1, LinkEncoding::kYuv420).ok() && blue.Decode().ok());
    ASSERT_TRUE(red.Encode(1, LinkEncoding::kYuv420).ok() && red.Decode().ok());
    const auto expected = SlicesThroughReference(picture, blue.slice_rows(), how, how);
    EXPECT_TRUE(blue.out() == expected);
    for (std::size_t byte = 0; byte < expected.size(); ++byte) {
      ASSERT_EQ(red.out()[byte], expected[byte % 2 == 1 ? byte : byte ^ 2]) << byte;
    }
  }
}

// With tiles, each pixel is exact or equals that without tiles, also when only a part of the picture changes.
TEST(LinkYuv, EachOneInTiles_IsExactOrAsWithoutTiles) {
  if (!color::kHasYuv420) GTEST_SKIP() << "4:2:0 is not in the build.";
  for (const LinkYuv& how : EachYuv()) {
    SCOPED_TRACE(LinkYuvText(how));
    auto drawn = codec::DrawPicture(codec::Picture::kScene, kYuvWidth, kYuvHeight, 1);
    Crossing tiles(kYuvWidth, kYuvHeight, kBgra, 2, {.yuv = how});
    for (std::uint64_t frame = 2; frame <= 4; ++frame) {
      tiles.Set(drawn);
      ASSERT_TRUE(tiles.Encode(frame, LinkEncoding::kYuv420Tiles).ok() && tiles.Decode().ok());
      const auto without = SlicesThroughReference(drawn, tiles.slice_rows(), how, how);
      for (std::size_t byte = 0; byte < drawn.size(); ++byte) {
        ASSERT_TRUE(tiles.out()[byte] == drawn[byte] || tiles.out()[byte] == without[byte]) << frame << ", " << byte;
      }
      for (std::size_t x = 16; x < 32; ++x) drawn[4 * (frame * kYuvWidth + x) + frame % 3] ^= std::byte{0xFF};
    }
  }
}

// Chroma of the pixel (x, y), decoded from `across` x `down` samples.
double ChromaAt(const std::vector<double>& samples, std::uint32_t across, std::uint32_t down, std::uint32_t x, std::uint32_t y,
                color::ChromaFilter filter) {
  const auto at = [&](std::uint32_t column, std::uint32_t row) { return samples[row * across + column]; };
  if (filter == color::ChromaFilter::kNearest) return at(x / 2, y / 2);
  const auto further = [](std::uint32_t place, std::uint32_t count) {
    if (place % 2 == 1) return std::min(place / 2 + 1, count - 1);
    return place / 2 - (place / 2 != 0 ? 1 : 0);
  };
  const std::uint32_t column = further(x, across);
  const std::uint32_t row = further(y, down);
  return (9 * at(x / 2, y / 2) + 3 * at(column, y / 2) + 3 * at(x / 2, row) + at(column, row)) / 16;
}

// Computes one slice of even extent in double precision, from colours to samples and back. A model's sample at a half may round
// to its neighbour in the reference; the colour then differs, too.
TEST(LinkYuv, EachOne_IsTheModels) {
  if (!color::kHasYuv420) GTEST_SKIP() << "4:2:0 is not in the build.";
  constexpr std::uint32_t kExtent = 64;
  const auto picture = codec::DrawPicture(codec::Picture::kScene, kExtent, kExtent, 1);
  for (const LinkYuv& how : EachYuv()) {
    SCOPED_TRACE(LinkYuvText(how));
    Crossing crossing(kExtent, kExtent, kBgra, 1, {.yuv = how});
    crossing.Set(picture);
    ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kYuv420).ok() && crossing.Decode().ok());
    std::vector<double> luma(kExtent * kExtent);
    std::array<std::vector<double>, 2> chroma;
    chroma.fill(std::vector<double>(kExtent * kExtent / 4));
    for (std::uint32_t i = 0; i < kExtent * kExtent; ++i) {
      const std::size_t at = 4ULL * i;
      luma[i] = color::RoundToByte(color::YuvModel(At(picture, at + 2), At(picture, at + 1), At(picture, at), how.coding)[0]);
      const std::uint32_t x = i % kExtent;
      const std::uint32_t y = i / kExtent;
      if (x % 2 != 0 || y % 2 != 0) continue;
      std::array<double, 3> mean{};
      for (const std::size_t pixel : {at, at + 4, at + 4 * kExtent, at + 4 * kExtent + 4}) {
        for (std::size_t c = 0; c < 3; ++c) mean[c] += At(picture, pixel + c) / 4.0;
      }
      const auto yuv = color::YuvModel(mean[2], mean[1], mean[0], how.coding);
      for (std::size_t c = 0; c < 2; ++c) chroma[c][y / 2 * (kExtent / 2) + x / 2] = color::RoundToByte(yuv[c + 1]);
    }
    color::testing::Agreement agreement;
    for (std::uint32_t i = 0; i < kExtent * kExtent; ++i) {
      const auto at = [&](std::size_t c) {
        return ChromaAt(chroma[c], kExtent / 2, kExtent / 2, i % kExtent, i / kExtent, how.filter);
      };
      const auto rgb = color::RgbModel(luma[i], at(0), at(1), how.coding);
      for (std::size_t c = 0; c < 3; ++c) agreement.Add(At(crossing.out(), 4ULL * i + 2 - c), color::RoundToByte(rgb[c]));
    }
    EXPECT_GE(100.0 * static_cast<double>(agreement.exact) / static_cast<double>(agreement.samples), 98.5);
    EXPECT_LE(agreement.worst, 3);
  }
}

// Chroma of ten bits comes back by nearest, with every filter.
TEST(LinkYuv, EachOneOfTenBits_IsTheScalarReferencesByNearest) {
  if constexpr (color::kHasYuv420) {
    const auto picture = codec::DrawPicture(codec::Picture::kScene, kYuvWidth, kYuvHeight, 1);  // any bits are a colour
    for (const LinkYuv& how : EachYuv()) {
      SCOPED_TRACE(LinkYuvText(how));
      Crossing crossing(kYuvWidth, kYuvHeight, kRgb10, 1, {.yuv = how});
      crossing.Set(picture);
      ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kYuv420).ok() && crossing.Decode().ok());
      const std::uint64_t uv_pitch = 4ULL * color::ChromaExtent(kYuvWidth);
      std::vector<std::byte> y(2ULL * kYuvWidth * kYuvHeight);
      std::vector<std::byte> uv(uv_pitch * color::ChromaExtent(kYuvHeight));
      std::vector<std::byte> expected(picture.size());
      color::EncodeP010Reference({y.data(), uv.data(), 2ULL * kYuvWidth, uv_pitch},
                                 {picture.data(), 4ULL * kYuvWidth, kYuvWidth, kYuvHeight}, how.coding);
      color::DecodeP010Reference({expected.data(), 4ULL * kYuvWidth, kYuvWidth, kYuvHeight},
                                 {y.data(), uv.data(), 2ULL * kYuvWidth, uv_pitch}, how.coding, color::ChromaFilter::kNearest);
      EXPECT_TRUE(crossing.out() == expected);
    }
  }
}

// Other processes may write the header.
TEST(LinkYuv, AnotherOneThanTheEncoders_IsThatOnesColoursAndNothingElse) {
  if (!color::kHasYuv420) GTEST_SKIP() << "4:2:0 is not in the build.";
  const auto picture = codec::DrawPicture(codec::Picture::kScene, kYuvWidth, kYuvHeight, 1);
  for (const LinkYuv& encoded : EachYuv()) {
    for (const LinkYuv& decoded : EachYuv()) {
      SCOPED_TRACE(LinkYuvText(encoded) + ", " + LinkYuvText(decoded));
      Crossing crossing(kYuvWidth, kYuvHeight, kBgra, 2, {.yuv = encoded});
      crossing.Set(picture);
      const std::uint32_t word = LinkYuvWord(decoded);
      ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kYuv420).ok());
      std::memcpy(crossing.surface().data() + offsetof(LinkSurfaceHeader, yuv), &word, sizeof(word));
      ASSERT_TRUE(crossing.Decode().ok());
      EXPECT_TRUE(crossing.out() == SlicesThroughReference(picture, crossing.slice_rows(), encoded, decoded));
      // Groups reference a frame of another conversion: unchanged pixels keep their present colours.
      ASSERT_TRUE(crossing.Encode(2, LinkEncoding::kYuv420Tiles).ok() && crossing.Decode().ok());
      crossing.pixel(20, 20, 1) ^= std::byte{0x80};
      ASSERT_TRUE(crossing.Encode(3, LinkEncoding::kYuv420Tiles).ok());
      const std::uint32_t back = LinkYuvWord(encoded);
      std::memcpy(crossing.surface().data() + offsetof(LinkSurfaceHeader, yuv), &back, sizeof(back));
      EXPECT_TRUE(crossing.Decode().ok());
    }
  }
}

TEST(LinkYuv, OneThatThereIsNot_IsRefusedOnBothSides) {
  for (const std::uint32_t word : {0x3U, 0x200U, 0x20000U, 0x1000000U, ~0U}) {
    EXPECT_FALSE(ToLinkYuv(word)) << word;
    Crossing crossing(100, 60, kBgra);
    ASSERT_TRUE(crossing.Encode(1, LinkEncoding::kLossless).ok());
    std::memcpy(crossing.surface().data() + offsetof(LinkSurfaceHeader, yuv), &word, sizeof(word));
    const std::vector<std::byte> before = crossing.out();
    const auto decoded = crossing.Decode();
    ASSERT_FALSE(decoded.ok());
    EXPECT_NE(decoded.error().message.find("for how colours become 4:2:0"), std::string::npos) << decoded.error().message;
    EXPECT_EQ(crossing.out(), before);
    EXPECT_FALSE(crossing.Encode(2, LinkEncoding::kLossless).ok());
  }
  for (const LinkYuv& how : EachYuv()) EXPECT_EQ(ToLinkYuv(LinkYuvWord(how)), how);
}

}  // namespace
}  // namespace tandem::link
