// Encoder and decoder on each instruction set.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

// Tiles of every kind in turn: one colour, few colours, ramps, noise, repeated.
std::vector<std::byte> MixedSamples(std::uint32_t pitch, std::uint32_t height, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> samples(std::size_t{pitch} * height);
  std::vector<unsigned> kinds((pitch / 4 + 8) * (height / 8 + 1));
  for (unsigned& kind : kinds) kind = static_cast<unsigned>(random());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t x = i % pitch / 4;
    const std::size_t y = i / pitch;
    const unsigned kind = kinds[y / 8 * (pitch / 4 + 8) + x / 8];
    const std::size_t color = (x * 5 + y * 3) % (2 + kind / 256 % 17) * (31 + i % 4);
    switch (kind % 6) {
      case 0: samples[i] = std::byte{200}; break;
      case 1: samples[i] = static_cast<std::byte>(kind >> 8); break;
      case 2: samples[i] = static_cast<std::byte>(color); break;
      case 3: samples[i] = static_cast<std::byte>(x / 3 * 40 + y / 2 * 3); break;
      case 4: samples[i] = static_cast<std::byte>(x * 3 - y * (kind >> 8 & 7) + random() % 2); break;
      default: samples[i] = static_cast<std::byte>(random());
    }
  }
  return samples;
}

// The second frame, in one slice.
TileSliceJob WholeFrame(const std::vector<std::byte>& samples, std::uint32_t pitch, std::uint32_t height, TileContent content) {
  TileSliceJob job;
  job.content = content;
  job.frame = {samples.data(), pitch, pitch / BytesPerSample(content), height};
  job.frame_number = 2;
  job.row_count = TileRows(height);
  return job;
}

// Codes a slice that this instruction set finds sound and decodes bit for bit. The fourth byte of X8 has no meaning.
std::vector<std::byte> EncodeHere(const TileSliceJob& job) {
  std::vector<std::byte> bytes(TileSliceCapacity(job.content, job.frame.width, job.row_count));
  const auto summary = EncodeTileSlice(job, bytes);
  EXPECT_TRUE(summary.ok());
  EXPECT_EQ(summary->unchanged_tiles != 0, job.reference_number != 0);
  bytes.resize(summary->bytes);
  const auto checked = CheckTileSlice(bytes);
  EXPECT_TRUE(checked.ok()) << checked.error().message;
  const auto& [frame, pitch, width, height] = job.frame;
  std::vector<std::byte> back(pitch * height);
  if (checked.ok()) DecodeTileSlice(*checked, {back.data(), pitch, width, height}, job.reference);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < back.size(); ++i) {
    wrong += back[i] != frame[i] && (job.content != TileContent::kBgrx8 || i % 4 != 3) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
  return bytes;
}

TEST(TileTargetsTest, MixedTiles_OfEveryContent_AreCodedTheSameAndComeBack) {
  constexpr std::uint32_t kPitch = 4 * 211;
  constexpr std::uint32_t kHeight = 70;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const auto samples = MixedSamples(kPitch, kHeight, seed);
    auto held = samples;
    for (std::size_t i = 0; i < held.size(); i += 499 + 61 * seed) held[i] ^= std::byte{1};
    for (const TileContent content : {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8}) {
      TileSliceJob job = WholeFrame(samples, kPitch, kHeight, content);
      for (const bool refers : {false, true}) {
        if (refers) job.reference = {held.data(), kPitch, job.frame.width, kHeight};
        job.reference_number = refers ? 1 : 0;
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", channels " << ChannelsOf(content) << ", refers " << refers);
        const auto expected = EncodeHere(job);
        color::simd::OnEachTarget([&] { EXPECT_EQ(EncodeHere(job), expected); });
      }
    }
  }
}

// Bands of one colour, as windows have, with something else at odd places: strips of one colour begin and end rows, follow tiles
// of the same and of other colours, and reach over the edge.
TEST(TileTargetsTest, BandsOfOneColor_AreCodedTheSameAndComeBack) {
  constexpr std::uint32_t kPitch = 4 * 211;
  constexpr std::uint32_t kHeight = 70;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> samples(std::size_t{kPitch} * kHeight, std::byte{77});
    for (unsigned mark = 0; mark < 14; ++mark) samples[random() % samples.size()] ^= std::byte{2};
    for (std::uint32_t y = 16 + seed; y < 40; ++y) std::fill_n(&samples[std::size_t{y} * kPitch + 64 * seed], 300, std::byte{9});
    for (const TileContent content : {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8}) {
      TileSliceJob job = WholeFrame(samples, kPitch, kHeight, content);
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", channels " << ChannelsOf(content));
      const auto expected = EncodeHere(job);
      color::simd::OnEachTarget([&] { EXPECT_EQ(EncodeHere(job), expected); });
    }
  }
}

// Codes a slice within a budget, which may lose bits.
std::vector<std::byte> EncodeWithinHere(const TileSliceJob& job) {
  std::vector<std::byte> bytes(TileSliceCapacity(job.content, job.frame.width, job.row_count));
  const auto summary = EncodeTileSlice(job, bytes);
  EXPECT_TRUE(summary.ok());
  EXPECT_LE(summary->bytes, job.budget_bytes);
  bytes.resize(summary->bytes);
  EXPECT_TRUE(CheckTileSlice(bytes).ok());
  return bytes;
}

TEST(TileTargetsTest, MixedTiles_WithinBudgets_AreCodedTheSame) {
  constexpr std::uint32_t kPitch = 4 * 611;
  constexpr std::uint32_t kHeight = 75;
  std::vector<std::byte> room(TileBudgetRoomBytes(kPitch, TileRows(kHeight)));
  for (unsigned seed = 0; seed < 6; ++seed) {
    const auto samples = MixedSamples(kPitch, kHeight, seed);
    auto held = samples;
    for (std::size_t i = 0; i < held.size(); i += 7 + 61 * seed) held[i] ^= static_cast<std::byte>(1U << (i % 7));
    for (const TileContent content : {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8}) {
      TileSliceJob job = WholeFrame(samples, kPitch, kHeight, content);
      job.budget_room = room;
      if (seed % 2 != 0) job.reference = {held.data(), kPitch, job.frame.width, kHeight};
      job.reference_number = seed % 2;
      const std::uint64_t whole = EncodeHere(job).size();
      for (const std::uint64_t percent : {90U, 75U, 60U, 45U, 30U, 1U}) {
        job.budget_bytes = std::max(TileSliceFloor(content, job.frame.width, job.row_count), whole * percent / 100);
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", channels " << ChannelsOf(content) << ", percent " << percent);
        const auto expected = EncodeWithinHere(job);
        color::simd::OnEachTarget([&] { EXPECT_EQ(EncodeWithinHere(job), expected); });
      }
    }
  }
}

}  // namespace
}  // namespace tandem::codec
