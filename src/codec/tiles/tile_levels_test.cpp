// The functions for a budget, on each instruction set.
#include "codec/tiles/tile_levels.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_samples.h"
#include "codec/tiles/tile_writer.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

constexpr TileContent kContents[] = {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8};
constexpr std::uint64_t kPitch = 4 * kStripWidth + 12;

// Tiles of one colour, few colours, noise of few and many bits; some equal the previous tile except for low bits.
std::vector<std::byte> Samples(unsigned seed, std::uint32_t sample_bytes) {
  std::mt19937 random(seed);
  std::vector<std::byte> samples(kPitch * kTileExtent);
  for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
    const auto kind = tile == 0 ? 0U : static_cast<unsigned>(random() % 6);
    const auto base = static_cast<std::uint32_t>(random());
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      for (std::uint32_t i = 0; i < kTileExtent * sample_bytes; ++i) {
        std::byte* const at = &samples[y * kPitch + tile * kTileExtent * sample_bytes + i];
        const std::byte before = tile == 0 ? std::byte{0} : *(at - kTileExtent * sample_bytes);
        switch (kind) {
          case 0: *at = static_cast<std::byte>(random()); break;
          case 1: *at = static_cast<std::byte>(base >> (i % sample_bytes)); break;
          case 2: *at = static_cast<std::byte>((i / sample_bytes * 5 + y * 3) % (2 + base % 5) * 31); break;
          case 3: *at = static_cast<std::byte>(base + random() % 6); break;
          case 4: *at = before; break;
          default: *at = before ^ static_cast<std::byte>(random() % (1U << base % 5));
        }
      }
    }
  }
  return samples;
}

struct Figures {
  std::uint64_t bytes[kStripTiles];
  std::uint32_t same;
  std::uint8_t differing[kStripTiles];
  std::uint32_t means[kStripTiles];
};

TEST(TileLevelsTest, SizesDifferencesAndMeans_OnEachTarget_AreTheReferences) {
  bool any_same = false;
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const TileContent content : kContents) {
      const auto samples = Samples(seed, BytesPerSample(content));
      auto others = samples;
      std::mt19937 random(seed);
      for (int i = 0; i < 12; ++i) others[random() % others.size()] ^= static_cast<std::byte>(random() % 32);
      StripPlanes planes;
      ReferenceStripFunctions().split(samples.data(), kPitch, 0, content, 0, planes);
      for (const std::uint32_t drop : kDroppedBits) {
        const auto figures = [&](const StripFunctions& functions) {
          Figures found;
          found.same = functions.sizes(samples.data(), kPitch, content, drop, 0xFF, found.bytes);
          functions.differing(samples.data(), kPitch, others.data(), kPitch, content, found.differing);
          functions.means(planes, ChannelsOf(content), found.means);
          return found;
        };
        const Figures expected = figures(ReferenceStripFunctions());
        any_same = any_same || expected.same != 0;
        color::simd::OnEachTarget([&] {
          const Figures got = figures(simd::StripFunctionsHere());
          EXPECT_EQ(got.same, expected.same);
          EXPECT_TRUE(std::ranges::equal(got.bytes, expected.bytes));
          EXPECT_TRUE(std::ranges::equal(got.differing, expected.differing));
          EXPECT_TRUE(std::ranges::equal(got.means, expected.means));
        });
      }
    }
  }
  EXPECT_TRUE(any_same);
}

// Writes a strip's tiles at their levels with the reference's single steps.
std::vector<std::uint8_t> WrittenInSteps(const std::vector<std::byte>& samples, TileContent content, unsigned seed,
                                         LeveledTile (&tiles)[kStripTiles]) {
  const StripFunctions& steps = ReferenceStripFunctions();
  const std::uint32_t channels = ChannelsOf(content);
  std::mt19937 random(seed);
  std::vector<std::uint8_t> written(kStripTiles * kTileSamples * kMaxChannels + kTileWriteSlack);
  std::uint8_t* at = written.data();
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const auto level = static_cast<std::uint32_t>(random() % (kMean + 1));
    StripPlanes planes;
    StripCode code;
    steps.split(samples.data(), kPitch, 0, content, level == kMean ? 0 : kDroppedBits[level], planes);
    steps.predict(planes, channels, code);
    const auto bytes = static_cast<std::uint32_t>(code.bytes[i]);
    if (random() % 8 == 0 || (level % kMean != kNothingDropped && bytes > 1 + channels + kMaxPredictedExtra)) {
      tiles[i] = {random() % 2 == 0 ? kEntryUnchanged : kEntryRepeated, kNothingDropped, 0};
      continue;
    }
    tiles[i] = {kEntryPredicted, static_cast<std::uint8_t>(level), static_cast<std::uint32_t>(random()) >> (32 - 8 * channels)};
    if (level == kMean) {
      WriteOneColor(tiles[i].color, at);
    } else if (level == kNothingDropped) {
      tiles[i].entry = WriteTile(steps, planes, code, channels, i, at).entry;
    } else {
      steps.write(code, channels, i, level, at);
      tiles[i].entry = PredictedEntry(bytes, channels);
    }
    at += TileBytes(tiles[i].entry, channels);
  }
  written.resize(static_cast<std::size_t>(at - written.data()));
  return written;
}

TEST(TileLevelsTest, EncodeLevels_OnEachTarget_WritesWhatTheStepsWrite) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const TileContent content : kContents) {
      const auto samples = Samples(seed, BytesPerSample(content));
      LeveledTile tiles[kStripTiles];
      const auto expected = WrittenInSteps(samples, content, seed, tiles);
      color::simd::OnEachTarget([&] {
        const auto encode = simd::StripFunctionsHere().encode_levels;
        if (encode == nullptr) return;
        std::vector<std::uint8_t> got(expected.size() + kTileWriteSlack);
        encode(samples.data(), kPitch, content, tiles, got.data());
        got.resize(expected.size());
        EXPECT_EQ(got, expected) << seed << ", " << ChannelsOf(content);
      });
    }
  }
}

TEST(TileLevelsTest, LastTile_WhatComesOutAlike_IsRepeated) {
  std::byte samples[3][kTileSamples * 4];
  for (auto& tile : samples) std::fill(std::begin(tile), std::end(tile), std::byte{0x50});
  for (auto& tile : samples) tile[4] = std::byte{0x90};
  samples[1][40] = std::byte{0x53};  // differs in two bits
  samples[2][43] = std::byte{0x77};  // the byte without meaning
  const auto place = [&](std::size_t i) { return TilePlace{samples[i], 32}; };
  LastTile last(TileContent::kBgrx8);
  EXPECT_FALSE(last.IsRepeated(place(0), kNothingDropped, 90, std::nullopt, 0));
  EXPECT_TRUE(last.IsRepeated(place(2), kNothingDropped, 90, std::nullopt, 1));
  EXPECT_FALSE(last.IsRepeated(place(1), kNothingDropped, 90, std::nullopt, 2));
  EXPECT_FALSE(last.IsRepeated(place(1), 1, 90, std::nullopt, 3));  // another level
  EXPECT_FALSE(last.IsRepeated(place(0), 1, 90, std::nullopt, 4));
  EXPECT_FALSE(last.IsRepeated(place(1), 2, 90, std::nullopt, 5));
  EXPECT_TRUE(last.IsRepeated(place(0), 2, 90, std::nullopt, 7));
  EXPECT_FALSE(last.IsRepeated(place(0), 2, 90, false, 8));  // same_as_before decides
  EXPECT_TRUE(last.IsRepeated(place(0), 2, 90, false, 10));  // its left tile is not the last one here
  last.KeepSamples();
  samples[0][0] = std::byte{0};
  EXPECT_FALSE(last.IsRepeated(place(0), 2, 90, std::nullopt, 11));
  EXPECT_FALSE(last.IsRepeated(7U));
  EXPECT_TRUE(last.IsRepeated(7U));
  EXPECT_FALSE(last.IsRepeated(place(0), 2, 90, std::nullopt, 13));
  last.Forget();
  EXPECT_FALSE(last.IsRepeated(place(0), 2, 90, std::nullopt, 0));
}

}  // namespace
}  // namespace tandem::codec
