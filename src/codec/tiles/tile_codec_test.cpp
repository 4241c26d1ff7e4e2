// Encoder and decoder together.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/pictures/quality.h"
#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

SampleSurface<const std::byte> Surface(const std::vector<std::byte>& samples, std::uint32_t width, std::uint32_t height,
                                       std::uint32_t sample_bytes) {
  return {samples.data(), std::uint64_t{width} * sample_bytes, width, height};
}

struct Coded {
  std::vector<std::byte> bytes;
  TileSliceSummary summary;
};

Coded Encode(TileSliceJob job) {
  Coded coded;
  std::vector<std::byte> room(TileBudgetRoomBytes(job.frame.width, job.row_count));
  job.budget_room = room;
  coded.bytes.resize(TileSliceCapacity(job.content, job.frame.width, job.row_count));
  const auto summary = EncodeTileSlice(job, coded.bytes);
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  if (!summary.ok()) return coded;
  coded.summary = *summary;
  coded.bytes.resize(summary->bytes);
  return coded;
}

TileSliceJob WholeFrame(const std::vector<std::byte>& pixels, std::uint32_t width, std::uint32_t height) {
  TileSliceJob job;
  job.frame = Surface(pixels, width, height, 4);
  job.frame_number = 1;
  job.row_count = TileRows(height);
  return job;
}

// Decodes over a frame of 0xCC bytes.
std::vector<std::byte> Decode(const Coded& coded, std::uint32_t width, std::uint32_t height, std::uint32_t sample_bytes,
                              const SampleSurface<const std::byte>& reference) {
  std::vector<std::byte> samples(std::size_t{width} * height * sample_bytes, std::byte{0xCC});
  const auto checked = CheckTileSlice(coded.bytes);
  EXPECT_TRUE(checked.ok()) << checked.error().message;
  if (checked.ok()) DecodeTileSlice(*checked, {samples.data(), std::uint64_t{width} * sample_bytes, width, height}, reference);
  return samples;
}

TEST(TileCodecTest, EveryPicture_AtOddSizes_ComesBackBitForBit) {
  for (const Picture picture : kPictures) {
    for (const auto& [width, height] : {std::pair{64U, 8U}, {1U, 1U}, {7U, 9U}, {65U, 17U}, {200U, 75U}, {512U, 64U}}) {
      const auto pixels = DrawPicture(picture, width, height, 4);
      const auto coded = Encode(WholeFrame(pixels, width, height));
      EXPECT_EQ(coded.summary.lossy_tiles, 0U);
      color::simd::OnEachTarget([&, w = width, h = height] {
        EXPECT_EQ(Encode(WholeFrame(pixels, w, h)).bytes, coded.bytes);
        EXPECT_EQ(Decode(coded, w, h, 4, {}), pixels) << w << " x " << h;
      });
    }
  }
}

TEST(TileCodecTest, AlphaAndPlanes_ComeBackBitForBit) {
  auto pixels = DrawPicture(Picture::kScene, 100, 40, 1);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = static_cast<std::byte>(i / 64);
  TileSliceJob job = WholeFrame(pixels, 100, 40);
  job.content = TileContent::kBgra8;
  EXPECT_EQ(Decode(Encode(job), 100, 40, 4, {}), pixels);
  for (auto& byte : pixels) byte ^= std::byte{0x35};  // no predictor fits this
  EXPECT_EQ(Decode(Encode(job), 100, 40, 4, {}), pixels);
  TileSliceJob plane = job;
  plane.content = TileContent::kPlane8;
  plane.frame = Surface(pixels, 400, 40, 1);
  EXPECT_EQ(Decode(Encode(plane), 400, 40, 1, {}), pixels);
}

TEST(TileCodecTest, NoisyFrame_IsNeverLargerThanPackedSamplesAndTables) {
  const auto pixels = DrawPicture(Picture::kNoise, 256, 64, 1);
  const auto coded = Encode(WholeFrame(pixels, 256, 64));
  EXPECT_LE(coded.summary.bytes, 256 * 64 * 3 + 32 * 8 + 4 * 8 + sizeof(TileSliceHeader));
}

TEST(TileCodecTest, OneColor_TakesAByteATile) {
  const std::vector<std::byte> pixels(256 * 64 * 4, std::byte{255});
  const auto coded = Encode(WholeFrame(pixels, 256, 64));
  EXPECT_EQ(coded.summary.repeated_tiles, 31U * 8U);
  EXPECT_EQ(coded.summary.bytes, sizeof(TileSliceHeader) + 8 * (4 + 32 + 4));
}

TEST(TileCodecTest, UnchangedTiles_AreNotSentAndComeFromTheReference) {
  const auto before = DrawPicture(Picture::kScene, 203, 90, 1);
  auto after = before;
  for (const std::size_t pixel : {0U, 203U * 50 + 77, 203U * 90 - 1}) after[4 * pixel + 1] ^= std::byte{8};
  TileSliceJob job = WholeFrame(after, 203, 90);
  job.reference = Surface(before, 203, 90, 4);
  job.frame_number = 9;
  job.reference_number = 8;
  const auto coded = Encode(job);
  EXPECT_EQ(coded.summary.tiles - coded.summary.unchanged_tiles, 3U);
  EXPECT_LT(coded.summary.bytes, 1000U);
  EXPECT_EQ(Decode(coded, 203, 90, 4, Surface(before, 203, 90, 4)), after);
  auto in_place = before;
  const auto checked = CheckTileSlice(coded.bytes);
  ASSERT_TRUE(checked.ok());
  DecodeTileSlice(*checked, {in_place.data(), 4 * 203, 203, 90}, Surface(in_place, 203, 90, 4));
  EXPECT_EQ(in_place, after);
}

TEST(TileCodecTest, Slices_InAnyOrder_MakeTheFrame) {
  const auto pixels = DrawPicture(Picture::kInterface, 300, 100, 2);
  std::vector<std::byte> back(pixels.size());
  for (const auto& [first, count] : {std::pair{9U, 4U}, {0U, 1U}, {1U, 8U}}) {
    TileSliceJob job = WholeFrame(pixels, 300, 100);
    job.first_row = first;
    job.row_count = count;
    const auto coded = Encode(job);
    const auto checked = CheckTileSlice(coded.bytes);
    ASSERT_TRUE(checked.ok());
    DecodeTileSlice(*checked, {back.data(), 1200, 300, 100}, {});
  }
  EXPECT_EQ(back, pixels);
}

TEST(TileCodecTest, Budget_IsKeptAndUsed) {
  for (const Picture picture : kPictures) {
    const auto pixels = DrawPicture(picture, 256, 128, 3);
    TileSliceJob job = WholeFrame(pixels, 256, 128);
    const std::uint64_t whole = Encode(job).summary.bytes;
    for (const std::uint64_t percent : {100U, 90U, 60U, 30U}) {
      job.budget_bytes = std::max(TileSliceFloor(job.content, 256, 16), whole * percent / 100);
      const auto coded = Encode(job);
      EXPECT_LE(coded.summary.bytes, job.budget_bytes);
      EXPECT_EQ(coded.summary.lossy_tiles != 0, job.budget_bytes < whole);
      if (picture == Picture::kScene) {
        EXPECT_GE(coded.summary.bytes, job.budget_bytes * 85 / 100);
      }
      const auto back = Decode(coded, 256, 128, 4, {});
      if (picture == Picture::kScene && percent >= 60) {
        EXPECT_GE(Compare({pixels.data(), 1024, 256, 128}, {back.data(), 1024, 256, 128}).psnr_db, 38);
      }
    }
    job.budget_bytes = TileSliceFloor(job.content, 256, 16);
    EXPECT_LE(Encode(job).summary.bytes, job.budget_bytes);
  }
}

TEST(TileCodecTest, EncodeTileSlice_WrongJob_IsRefusedWithTheReason) {
  const auto pixels = DrawPicture(Picture::kNoise, 64, 64, 1);
  const TileSliceJob good = WholeFrame(pixels, 64, 64);
  std::vector<std::byte> out(TileSliceCapacity(good.content, 64, 8));
  const auto refused = [&](auto&& change, ErrorKind kind) {
    TileSliceJob job = good;
    change(job);
    const auto result = EncodeTileSlice(job, out);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().kind, kind);
  };
  ASSERT_TRUE(EncodeTileSlice(good, out).ok());
  refused([](TileSliceJob& job) { job.frame.width = 0; }, ErrorKind::kInvalidArgument);
  refused([](TileSliceJob& job) { job.row_count = 0; }, ErrorKind::kInvalidArgument);
  refused([](TileSliceJob& job) { job.first_row = 1; }, ErrorKind::kInvalidArgument);
  refused([](TileSliceJob& job) { job.frame_number = 0; }, ErrorKind::kInvalidArgument);
  refused([](TileSliceJob& job) { job.reference_number = 1; }, ErrorKind::kInvalidArgument);
  refused([](TileSliceJob& job) { job.budget_bytes = 300; }, ErrorKind::kLimit);
  refused([](TileSliceJob& job) { job.budget_bytes = 3000; }, ErrorKind::kInvalidArgument);  // no room for the budget
  refused([&](TileSliceJob& job) { out.resize(out.size() - 1), (void)job; }, ErrorKind::kInvalidArgument);
}

TEST(TileCodecTest, CheckTileSlice_TruncatedOrFlippedAnywhere_IsRefused) {
  const auto pixels = DrawPicture(Picture::kText, 90, 40, 1);
  const auto coded = Encode(WholeFrame(pixels, 90, 40));
  ASSERT_TRUE(CheckTileSlice(coded.bytes).ok());
  for (std::size_t size = 0; size < coded.bytes.size(); ++size) {
    EXPECT_FALSE(CheckTileSlice(std::span(coded.bytes).first(size)).ok()) << size;
  }
  for (std::size_t bit = 0; bit < 8 * coded.bytes.size(); ++bit) {
    auto flipped = coded.bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(CheckTileSlice(flipped).ok()) << bit;
  }
}

// A valid checksum does not protect against a slice that was encoded wrongly.
TEST(TileCodecTest, CheckTileSlice_WrongTilesUnderARightChecksum_AreRefused) {
  const auto pixels = DrawPicture(Picture::kScene, 64, 8, 1);
  const auto good = Encode(WholeFrame(pixels, 64, 8)).bytes;
  constexpr std::size_t kTable = sizeof(TileSliceHeader);
  constexpr std::size_t kEntries = kTable + 4;
  const auto refused = [&](std::size_t at, std::uint8_t value) {
    auto bytes = good;
    bytes[at] = std::byte{value};
    TileSliceHeader header{};
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.checksum = TileSliceChecksum(header, bytes.data() + sizeof(header), bytes.size() - sizeof(header));
    std::memcpy(bytes.data(), &header, sizeof(header));
    return !CheckTileSlice(bytes).ok();
  };
  ASSERT_FALSE(refused(0, std::to_integer<std::uint8_t>(good[0])));
  EXPECT_TRUE(refused(kTable, 0));                                                         // a row without its bytes
  EXPECT_TRUE(refused(kEntries, kEntryUnchanged));                                         // no reference
  EXPECT_TRUE(refused(kEntries, kEntryRepeated));                                          // nothing to repeat
  EXPECT_TRUE(refused(kEntries + 3, kEntryRaw));                                           // ends outside
  EXPECT_TRUE(refused(kEntries + 8, 3));                                                   // no such predictor
  EXPECT_TRUE(refused(kEntries + 8, static_cast<std::uint8_t>(good[kEntries + 8]) | 32));  // a fourth channel of three
  EXPECT_TRUE(
      refused(kEntries + 8 + 4, static_cast<std::uint8_t>(~static_cast<std::uint8_t>(good[kEntries + 12]))));  // other widths
}

// Other processes may change pages between the check and the decoding. ASan sees every byte read and written.
TEST(TileCodecTest, DecodeTileSlice_BytesChangedAfterTheCheck_StaysWithinSliceAndFrame) {
  std::mt19937 random(7);
  for (const Picture picture : {Picture::kScene, Picture::kText}) {
    const auto pixels = DrawPicture(picture, 203, 50, 1);
    const auto coded = Encode(WholeFrame(pixels, 203, 50));
    color::simd::OnEachTarget([&] {
      for (int round = 0; round < 200; ++round) {
        const auto bytes = std::make_unique<std::byte[]>(coded.bytes.size());  // allocation ends with the slice
        std::memcpy(bytes.get(), coded.bytes.data(), coded.bytes.size());
        const auto checked = CheckTileSlice({bytes.get(), coded.bytes.size()});
        ASSERT_TRUE(checked.ok());
        const std::size_t tables = 4 * 7 + 26;
        const std::size_t reach = round % 2 == 0 ? tables : coded.bytes.size() - sizeof(TileSliceHeader);
        for (int change = 0; change < 1 + round / 4; ++change) {
          bytes[sizeof(TileSliceHeader) + random() % reach] = static_cast<std::byte>(random());
        }
        std::vector<std::byte> back(pixels.size());
        DecodeTileSlice(*checked, {back.data(), 4 * 203, 203, 50}, {});
      }
    });
  }
}

}  // namespace
}  // namespace tandem::codec
