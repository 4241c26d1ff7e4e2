#include "codec/yuv/yuv_tiles.h"

#include <cstring>
#include <utility>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/pictures/quality.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {
namespace {

using Bytes = std::vector<std::byte>;
using View = color::Bgra8<const std::byte>;

Bytes Encode(const View& picture, FullChroma full_chroma, YuvTilesSummary* summary) {
  Bytes out(YuvTilesCapacity(picture.width, picture.height, full_chroma), std::byte{0x77});
  Bytes room(YuvTilesRoomBytes(picture.width, picture.height, full_chroma));
  const auto encoded = EncodeYuvTiles({picture, 5, {}, full_chroma}, out, room);
  EXPECT_TRUE(encoded.ok()) << encoded.error().message;
  out.resize(encoded->bytes);
  if (summary != nullptr) *summary = *encoded;
  return out;
}

Bytes Decode(const Bytes& bytes, std::uint32_t width, std::uint32_t height) {
  Bytes pixels(4ULL * width * height);
  const auto checked = CheckYuvTiles(bytes);
  EXPECT_TRUE(checked.ok()) << checked.error().message;
  if (checked.ok()) {
    Bytes room(YuvTilesRoomBytes(checked->header));
    DecodeYuvTiles(*checked, {pixels.data(), 4ULL * width, width, height}, {}, color::ChromaFilter::kNearest, room);
  }
  return pixels;
}

TEST(YuvTilesTest, EveryPicture_WithoutFullTiles_ComesBackAsPlainYuvDoes) {
  for (const Picture picture : kPictures) {
    for (const auto& [width, height] : {std::pair{1U, 1U}, {7U, 9U}, {200U, 75U}, {256U, 64U}}) {
      const Bytes pixels = DrawPicture(picture, width, height, 4);
      const View view{pixels.data(), 4ULL * width, width, height};
      const std::uint64_t chroma = color::ChromaExtent(width);
      Bytes planes(std::size_t{width} * height + 2 * chroma * color::ChromaExtent(height));
      std::byte* const u = planes.data() + std::size_t{width} * height;
      color::EncodeYuv420({color::YuvLayout::kNv12, planes.data(), u, nullptr, width, 2 * chroma}, view, {});
      Bytes expected(pixels.size());
      color::DecodeYuv420({expected.data(), 4ULL * width, width, height},
                          {color::YuvLayout::kNv12, planes.data(), u, nullptr, width, 2 * chroma}, {},
                          color::ChromaFilter::kNearest);
      EXPECT_EQ(Decode(Encode(view, {}, nullptr), width, height), expected) << ToString(picture) << ", " << width;
    }
  }
}

TEST(YuvTilesTest, FullTiles_ComeBackBitForBit_AndOnlyAsManyAsAllowed) {
  const Bytes pixels = DrawPicture(Picture::kText, 515, 301, 1);
  const View view{pixels.data(), 4 * 515, 515, 301};
  YuvTilesSummary none;
  YuvTilesSummary some;
  YuvTilesSummary all;
  Encode(view, {0, 1}, &none);
  const Bytes text = Encode(view, {250, 1}, &some);
  EXPECT_EQ(Decode(Encode(view, {1000, 0}, &all), 515, 301).size(), pixels.size());
  EXPECT_EQ(none.full_tiles, 0U);
  EXPECT_GT(some.full_tiles, some.tiles / 20);
  EXPECT_LE(some.full_tiles, some.tiles / 4);
  EXPECT_GE(all.full_tiles, some.full_tiles);
  const auto checked = CheckYuvTiles(text);
  ASSERT_TRUE(checked.ok());
  const Bytes decoded = Decode(text, 515, 301);
  for (std::uint32_t tile = 0; tile < some.tiles; ++tile) {
    if ((std::to_integer<unsigned>(checked->map[tile / 8]) >> tile % 8 & 1U) == 0) continue;
    for (std::uint32_t y = tile / 65 * 8; y < std::min(301U, tile / 65 * 8 + 8); ++y) {
      const std::size_t at = 4 * (std::size_t{515} * y + tile % 65 * 8);
      const std::size_t row = 4 * std::min(8U, 515 - tile % 65 * 8);
      ASSERT_EQ(std::memcmp(&decoded[at], &pixels[at], row), 0) << "tile " << tile;
    }
  }
}

TEST(YuvTilesTest, ColouredText_WithFullTiles_LosesFarLess) {
  Bytes pixels(4ULL * 256 * 64);
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    const std::size_t x = i / 4 % 256;
    const std::size_t y = i / 1024;
    const bool ink = x < 64 && (x * 7 + y * 5) % 11 < 4;  // red on blue, the rest grey
    pixels[i] = x < 64 ? std::byte{static_cast<std::uint8_t>(ink ? 0 : 255)} : std::byte{90};
    pixels[i + 1] = x < 64 ? std::byte{0} : std::byte{90};
    pixels[i + 2] = x < 64 ? std::byte{static_cast<std::uint8_t>(ink ? 255 : 0)} : std::byte{90};
    pixels[i + 3] = std::byte{255};
  }
  const View view{pixels.data(), 1024, 256, 64};
  const auto quality = [&](FullChroma full_chroma) {
    const Bytes decoded = Decode(Encode(view, full_chroma, nullptr), 256, 64);
    return Compare(view, {decoded.data(), 1024, 256, 64});
  };
  EXPECT_LT(quality({}).psnr_db, 20);
  EXPECT_LE(quality({300, 20}).max_error, 1);
}

TEST(YuvTilesTest, BytesCutOrChanged_AreRefused) {
  const Bytes pixels = DrawPicture(Picture::kText, 150, 60, 1);
  const Bytes good = Encode({pixels.data(), 600, 150, 60}, {200, 1}, nullptr);
  ASSERT_TRUE(CheckYuvTiles(good).ok());
  for (std::size_t size = 0; size < good.size(); size += 1 + size / 40) {
    EXPECT_FALSE(CheckYuvTiles(std::span(good).first(size)).ok()) << size;
  }
  YuvTilesHeader header{};
  std::memcpy(&header, good.data(), sizeof(header));
  const std::uint64_t padded = sizeof(header) + (header.bytes - header.slice_bytes[3]);
  for (std::size_t at = 0; at < std::min<std::uint64_t>(padded, 2000); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{0x10};
    const auto checked = CheckYuvTiles(bad);
    if (checked.ok()) {
      // The change hit bytes between the parts, which have no meaning.
      EXPECT_EQ(Decode(bad, 150, 60), Decode(good, 150, 60)) << at;
    }
  }
  // A valid checksum over a false header.
  const auto lie = [&](auto&& spoil) {
    Bytes bad = good;
    YuvTilesHeader spoiled = header;
    spoil(spoiled, bad);
    spoiled.checksum = 0;
    const std::size_t map = (std::size_t{TilesAcross(150)} * TilesAcross(60) + 7) / 8;
    spoiled.checksum = BytesChecksum(std::as_bytes(std::span(&spoiled, 1)), std::span(bad).subspan(sizeof(spoiled), map));
    std::memcpy(bad.data(), &spoiled, sizeof(spoiled));
    return CheckYuvTiles(bad).ok();
  };
  EXPECT_TRUE(lie([](YuvTilesHeader&, Bytes&) {}));
  EXPECT_FALSE(lie([](YuvTilesHeader& h, Bytes&) { ++h.full_tiles; }));
  EXPECT_FALSE(lie([](YuvTilesHeader& h, Bytes&) { ++h.frame; }));
  EXPECT_FALSE(lie([](YuvTilesHeader& h, Bytes&) { h.width -= 1; }));
  EXPECT_FALSE(lie([](YuvTilesHeader& h, Bytes&) { h.slice_bytes[1] += 8; }));
  EXPECT_FALSE(lie([](YuvTilesHeader& h, Bytes&) { h.slice_bytes[3] = 0xFFFFFFF0; }));
  EXPECT_FALSE(lie([](YuvTilesHeader&, Bytes& bytes) { bytes[sizeof(YuvTilesHeader)] ^= std::byte{1}; }));
}

// The map may change between the check and the decoding, as may the slices.
TEST(YuvTilesTest, DecodeYuvTiles_MapChangedAfterTheCheck_StaysWithinThePicture) {
  const Bytes pixels = DrawPicture(Picture::kText, 150, 60, 1);
  Bytes coded = Encode({pixels.data(), 600, 150, 60}, {200, 1}, nullptr);
  const auto checked = CheckYuvTiles(coded);
  ASSERT_TRUE(checked.ok());
  Bytes room(YuvTilesRoomBytes(checked->header));
  for (const int value : {0xFF, 0x80, 0x01}) {
    std::memset(coded.data() + sizeof(YuvTilesHeader), value, checked->map.size());
    Bytes back(pixels.size());
    DecodeYuvTiles(*checked, {back.data(), 600, 150, 60}, {}, color::ChromaFilter::kNearest, room);
  }
}

TEST(YuvTilesTest, Job_WithSizesOrNumbersOutOfRange_IsRefused) {
  const Bytes pixels(4 * 64);
  const YuvTilesJob good{{pixels.data(), 32, 8, 8}, 1, {}, {100, 20}};
  Bytes room(YuvTilesRoomBytes(8, 8, good.full_chroma));
  Bytes out(YuvTilesCapacity(8, 8, good.full_chroma));
  ASSERT_TRUE(EncodeYuvTiles(good, out, room).ok());
  const auto refused = [&](auto&& spoil) {
    YuvTilesJob job = good;
    spoil(job);
    return !EncodeYuvTiles(job, out, room).ok();
  };
  EXPECT_TRUE(refused([](YuvTilesJob& job) { job.picture.width = 0; }));
  EXPECT_TRUE(refused([](YuvTilesJob& job) { job.picture.height = 70000; }));
  EXPECT_TRUE(refused([](YuvTilesJob& job) { job.frame_number = 0; }));
  EXPECT_TRUE(refused([](YuvTilesJob& job) { job.full_chroma.most_per_mille = 1001; }));
  EXPECT_FALSE(EncodeYuvTiles(good, std::span(out).first(out.size() - 1), room).ok());
}

}  // namespace
}  // namespace tandem::codec
