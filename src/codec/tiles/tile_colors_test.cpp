// Strips of few colours on each instruction set.
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_format.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

constexpr TileContent kContents[] = {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8};

TEST(TileColorsTest, IsOneColor_UntilOneBitOfAnySampleDiffers_OnEachTarget) {
  constexpr std::uint64_t kPitch = 4 * kStripWidth + 12;
  for (const TileContent content : kContents) {
    const std::size_t sample = BytesPerSample(content);
    std::vector<std::byte> samples(kPitch * kTileExtent);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::byte>(i % kPitch % sample * 57 + 3);
    const auto expect = [&](bool is_one_color, std::size_t at) {
      const StripFunctions& reference = ReferenceStripFunctions();
      EXPECT_EQ(reference.is_one_color(samples.data(), kPitch, 0, content), is_one_color) << at;
      color::simd::OnEachTarget([&] {
        const StripFunctions& here = simd::StripFunctionsHere();
        EXPECT_EQ(here.is_one_color(samples.data(), kPitch, 0, content), is_one_color) << at;
      });
    };
    expect(true, 0);
    for (std::size_t at = 0; at < samples.size(); at += 5) {
      const bool counts = at % kPitch < sample * kStripWidth && (content != TileContent::kBgrx8 || at % kPitch % 4 != 3);
      samples[at] ^= std::byte{0x40};
      expect(!counts, at);
      samples[at] ^= std::byte{0x40};
    }
  }
}

TEST(TileColorsTest, Decode_TilesOfOneColorEach_OnEachTarget_IsTheReferences) {
  constexpr std::uint64_t kPitch = 4 * kStripWidth;
  for (const TileContent content : kContents) {
    const std::uint8_t heads[kStripTiles][1 + kMaxChannels] = {{0, 200, 60, 250, 1}, {1, 0, 0, 0, 0},    {2, 255, 255, 255, 255},
                                                               {0, 1, 2, 3, 4},      {0, 90, 9, 8, 7},   {0, 7, 0, 7, 0},
                                                               {1, 128, 128, 1, 9},  {0, 40, 30, 20, 10}};
    std::vector<std::vector<std::uint8_t>> bytes;
    CodedTile tiles[kStripTiles];
    for (const auto& head : heads) {
      bytes.emplace_back(kTileReadBytes);
      std::memcpy(bytes.back().data(), head, sizeof(head));
    }
    for (std::uint32_t i = 0; i < kStripTiles; ++i) tiles[i] = {bytes[i].data(), kEntryPredicted};
    std::vector<std::byte> expected(kPitch * kTileExtent);
    ReferenceStripFunctions().decode(tiles, content, expected.data(), kPitch, false);
    color::simd::OnEachTarget([&] {
      std::vector<std::byte> got(kPitch * kTileExtent);
      simd::StripFunctionsHere().decode(tiles, content, got.data(), kPitch, false);
      EXPECT_EQ(got, expected);
    });
  }
}

TEST(TileColorsTest, Colors_OnEachTarget_AreTheReferences) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t values = 1 + seed % 18;
    StripPlanes planes{};
    for (auto& plane : planes.at) {
      for (auto& row : plane) {
        for (std::uint8_t& sample : row) sample = static_cast<std::uint8_t>(random() % 40 < 38 ? 7 : random() % values);
      }
    }
    for (const TileContent content : kContents) {
      for (std::uint32_t i = 0; i < kStripTiles; ++i) {
        const std::uint32_t most = 1 + (i + seed) % kMaxPaletteColors;
        TileColors expected{};
        const std::uint32_t count = ReferenceStripFunctions().colors(planes, ChannelsOf(content), i, most, expected);
        color::simd::OnEachTarget([&] {
          TileColors got{};
          ASSERT_EQ(simd::StripFunctionsHere().colors(planes, ChannelsOf(content), i, most, got), count);
          for (std::uint32_t color = 0; color < count; ++color) {
            EXPECT_EQ(got.values[color], expected.values[color]);
            EXPECT_EQ(got.samples[color], expected.samples[color]);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace tandem::codec
