// Checks of eight tiles at once.
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_format.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

constexpr TileContent kContents[] = {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8};

// Eight tiles of every kind, without gaps.
struct TilesInARow {
  TilesInARow(TileContent content, unsigned seed) : channels(ChannelsOf(content)), bytes(kStripReadBytes, 0x55) {
    std::mt19937 random(seed);
    const auto samples = DrawPicture(kPictures[seed % std::size(kPictures)], kStripWidth, kTileExtent, seed);
    auto planes = std::make_unique<StripPlanes>();
    auto code = std::make_unique<StripCode>();
    ReferenceStripFunctions().split(samples.data(), 4 * kStripWidth, 0, content, seed % 3, *planes);
    ReferenceStripFunctions().predict(*planes, channels, *code);
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      std::uint8_t predicted[kTileWriteSlack];
      ReferenceStripFunctions().write(*code, channels, i, seed % 3, predicted);
      const std::uint64_t extra = code->bytes[i] - 1 - channels;
      const unsigned kind = random() % 4;
      entries[i] = static_cast<std::uint8_t>(kind == 0 || extra > kMaxPredictedExtra ? random() % kEntryPredicted
                                                                                     : kEntryPredicted + extra);
      if (entries[i] >= kEntryPredicted) std::copy_n(predicted, code->bytes[i], &bytes[end]);
      at[i] = end;
      end += TileBytes(entries[i], channels);
    }
  }

  // Checks the tiles one by one.
  [[nodiscard]] std::uint32_t Expected() const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      const std::uint8_t* tiles[kStripTiles] = {entries[i] >= kEntryPredicted ? bytes.data() + at[i] : nullptr};
      const std::uint64_t sizes[kStripTiles] = {TileBytes(entries[i], channels)};
      if (ReferenceStripFunctions().unsound(tiles, sizes, channels) != 0) return kLookAtEach;
      sum += static_cast<std::uint32_t>(sizes[0]);
    }
    return sum;
  }

  std::uint32_t channels;
  std::vector<std::uint8_t> bytes;
  std::uint8_t entries[kStripTiles];
  std::size_t at[kStripTiles];
  std::size_t end = 0;
};

TEST(TileCheckTest, SoundBytes_OfWholeAndSpoiledTiles_AreThoseOfAllOrNone) {
  std::uint32_t spoiled = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    for (const TileContent content : kContents) {
      TilesInARow row(content, seed);
      const std::uint32_t whole = row.Expected();
      ASSERT_NE(whole, kLookAtEach);
      const auto expect = [&](std::uint32_t expected) {
        color::simd::OnEachTarget([&] {
          const auto sound_bytes = simd::StripFunctionsHere().sound_bytes;
          if (sound_bytes == nullptr) return;
          const std::uint32_t got = sound_bytes(row.entries, row.bytes.data(), row.channels);
          if (row.channels < 4 || got != kLookAtEach) {
            EXPECT_EQ(got, expected) << seed << ", " << row.channels;
          }
        });
      };
      expect(whole);
      for (std::uint32_t i = 0; i < kStripTiles; ++i) {
        if (row.entries[i] < kEntryPredicted) continue;
        const std::size_t byte = i % 2 == 0 ? 0 : seed % (1 + 4 * row.channels);
        row.bytes[row.at[i] + byte] ^= static_cast<std::uint8_t>(1U << seed / 8 % 8);
        spoiled += row.Expected() == kLookAtEach ? 1 : 0;
        expect(row.Expected());
        row.bytes[row.at[i] + byte] ^= static_cast<std::uint8_t>(1U << seed / 8 % 8);
        if (row.entries[i] == 255) continue;
        ++row.entries[i];
        expect(kLookAtEach);
        --row.entries[i];
      }
    }
  }
  EXPECT_GE(spoiled, 1000U);
}

}  // namespace
}  // namespace tandem::codec
