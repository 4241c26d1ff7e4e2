#include "codec/tiles/tile_strip.h"

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_format.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

constexpr TileContent kContents[] = {TileContent::kPlane8, TileContent::kBgrx8, TileContent::kBgra8};

// Strips of many kinds: noise, ramps in each direction, few colours.
std::vector<std::byte> Samples(unsigned seed, std::uint64_t pitch) {
  std::mt19937 random(seed);
  std::vector<std::byte> samples(pitch * kTileExtent);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t x = i % pitch / 4;
    const std::size_t y = i / pitch;
    switch (x / 8 * 7 % 5 + seed % 2) {
      case 0: samples[i] = static_cast<std::byte>(random()); break;
      case 1: samples[i] = static_cast<std::byte>(x * 3 + random() % 4); break;
      case 2: samples[i] = static_cast<std::byte>(y * 9 + i % 4); break;
      case 3: samples[i] = static_cast<std::byte>(x * 5 - y * 3 + random() % 2); break;
      default: samples[i] = static_cast<std::byte>(random() % 2 * 255);
    }
  }
  return samples;
}

// Bytes of each tile as predicted.
using Tiles = std::vector<std::vector<std::uint8_t>>;

Tiles WriteAll(const StripFunctions& functions, const StripCode& code, std::uint32_t channels) {
  Tiles tiles;
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    tiles.emplace_back(kTileWriteSlack);
    functions.write(code, channels, i, i % 4, tiles.back().data());
    tiles.back().resize(code.bytes[i]);
  }
  return tiles;
}

// A strip's tiles, some of another kind than the predicted one. Behind each stand bytes that may be read and mean nothing.
struct Coded {
  Coded(const StripPlanes& planes, const Tiles& predicted, std::uint32_t channels, unsigned seed) {
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      std::vector<std::uint8_t>& own = bytes.emplace_back(predicted[i]);
      tiles[i].entry = static_cast<std::uint8_t>(kEntryPredicted + own.size() - 1 - channels);
      const std::uint32_t kind = (i + seed) % 16;
      if (kind == 3) tiles[i].entry = kEntryUnchanged;
      if (kind == 5 || own.size() > 1 + channels + kMaxPredictedExtra) MakeRaw(planes, channels, i);
      if (kind == 7 || kind == 9) MakePalette(channels, kind + seed, i);
      own.resize(kTileReadBytes, 0xDD);
    }
    for (std::uint32_t i = 0; i < kStripTiles; ++i)
      tiles[i].bytes = tiles[i].entry == kEntryUnchanged ? nullptr : bytes[i].data();
  }

  void MakeRaw(const StripPlanes& planes, std::uint32_t channels, std::uint32_t i) {
    tiles[i].entry = kEntryRaw;
    bytes[i].clear();
    for (std::uint32_t c = 0; c < channels; ++c) {
      for (const auto& row : planes.at[c]) bytes[i].insert(bytes[i].end(), row + 8 * i, row + 8 * i + 8);
    }
  }

  void MakePalette(std::uint32_t channels, unsigned seed, std::uint32_t i) {
    std::mt19937 random(seed);
    tiles[i].entry = static_cast<std::uint8_t>(kEntryPalette + random() % (kMaxPaletteColors - 1));
    bytes[i].resize(TileBytes(tiles[i].entry, channels));
    for (std::uint8_t& byte : bytes[i]) byte = static_cast<std::uint8_t>(random());
  }

  Tiles bytes;
  CodedTile tiles[kStripTiles];
};

// Samples of the tiles that exist; others are 0.
std::vector<std::byte> DecodeAll(const StripFunctions& functions, const Coded& coded, TileContent content, std::uint64_t pitch) {
  std::vector<std::byte> samples(pitch * kTileExtent);
  functions.decode(coded.tiles, content, samples.data(), pitch, false);
  const std::size_t row = std::size_t{kTileExtent} * BytesPerSample(content);
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    if (coded.tiles[i].entry != kEntryUnchanged) continue;
    for (std::uint32_t y = 0; y < kTileExtent; ++y) std::memset(&samples[y * pitch + i * row], 0, row);
  }
  return samples;
}

TEST(TileStripTest, TransposeBits_MovesBitJOfBytePToBitPOfByteJ) {
  for (std::uint32_t j = 0; j < 8; ++j) {
    for (std::uint32_t p = 0; p < 8; ++p) EXPECT_EQ(TransposeBits(1ULL << (8 * j + p)), 1ULL << (8 * p + j));
  }
}

TEST(TileStripTest, EveryStep_OnEachTarget_EqualsTheReference) {
  const StripFunctions& reference = ReferenceStripFunctions();
  constexpr std::uint64_t kPitch = 4 * kStripWidth + 12;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto samples = Samples(seed, kPitch);
    for (const TileContent content : kContents) {
      const std::uint32_t channels = ChannelsOf(content);
      const std::uint32_t drop = seed % 4;
      auto planes = std::make_unique<StripPlanes>();
      auto code = std::make_unique<StripCode>();
      std::memset(static_cast<void*>(planes.get()), 0, sizeof(StripPlanes));
      std::memset(static_cast<void*>(code.get()), 0, sizeof(StripCode));
      reference.split(samples.data(), kPitch, 0, content, drop, *planes);
      reference.predict(*planes, channels, *code);
      const Tiles written = WriteAll(reference, *code, channels);
      const Coded coded(*planes, written, channels, seed);
      const std::vector<std::byte> decoded = DecodeAll(reference, coded, content, kPitch);
      color::simd::OnEachTarget([&] {
        const StripFunctions& here = simd::StripFunctionsHere();
        auto got_planes = std::make_unique<StripPlanes>();
        auto got_code = std::make_unique<StripCode>();
        std::memset(static_cast<void*>(got_planes.get()), 0, sizeof(StripPlanes));
        std::memset(static_cast<void*>(got_code.get()), 0, sizeof(StripCode));
        here.split(samples.data(), kPitch, 0, content, drop, *got_planes);
        ASSERT_EQ(std::memcmp(got_planes.get(), planes.get(), sizeof(StripPlanes)), 0);
        here.predict(*planes, channels, *got_code);
        ASSERT_EQ(std::memcmp(got_code.get(), code.get(), sizeof(StripCode)), 0);
        EXPECT_EQ(WriteAll(here, *code, channels), written);
        ASSERT_EQ(DecodeAll(here, coded, content, kPitch), decoded);
      });
    }
  }
}

TEST(TileStripTest, Decode_WhatWasSplitAndWritten_OnEachTarget_IsTheSamples) {
  constexpr std::uint64_t kPitch = 4 * kStripWidth;
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto samples = Samples(seed, kPitch);
    for (const TileContent content : kContents) {
      const std::uint32_t channels = ChannelsOf(content);
      if (content == TileContent::kBgrx8) {
        for (std::size_t i = 3; i < samples.size(); i += 4) samples[i] = std::byte{255};
      }
      StripPlanes planes;
      StripCode code;
      ReferenceStripFunctions().split(samples.data(), kPitch, 0, content, 0, planes);
      ReferenceStripFunctions().predict(planes, channels, code);
      CodedTile tiles[kStripTiles];
      Tiles written(kStripTiles, std::vector<std::uint8_t>(kTileWriteSlack));
      for (std::uint32_t i = 0; i < kStripTiles; ++i) {
        ReferenceStripFunctions().write(code, channels, i, 0, written[i].data());
        tiles[i] = {written[i].data(), kEntryPredicted};
      }
      const std::size_t row = std::size_t{kStripWidth} * BytesPerSample(content);
      const auto equal_rows = [&](const std::byte* got, std::uint64_t pitch) {
        for (std::uint32_t y = 0; y < kTileExtent; ++y) {
          if (std::memcmp(got + y * pitch, samples.data() + y * kPitch, row) != 0) return false;
        }
        return true;
      };
      color::simd::OnEachTarget([&] {
        for (const bool past_caches : {false, true}) {
          alignas(64) std::byte got[2 * kPitch * kTileExtent];
          const std::uint64_t pitch = past_caches ? 2 * kPitch : kPitch + 64;
          simd::StripFunctionsHere().decode(tiles, content, got, pitch, past_caches);
          EXPECT_TRUE(equal_rows(got, pitch)) << seed << ", " << channels << ", " << past_caches;
        }
      });
    }
  }
}

TEST(TileStripTest, ChromaSteps_OnEachTarget_AreTheReferences) {
  constexpr std::uint64_t kPitch = 4 * kStripWidth;
  auto planes = std::make_unique<StripPlanes>();
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto samples = Samples(seed, kPitch);
    ReferenceStripFunctions().split(samples.data(), kPitch, 0, TileContent::kBgrx8, kChromaStepDrop, *planes);
    std::uint8_t expected[kStripTiles];
    ReferenceStripFunctions().chroma_steps(*planes, expected);
    color::simd::OnEachTarget([&] {
      std::uint8_t steps[kStripTiles];
      simd::StripFunctionsHere().chroma_steps(*planes, steps);
      EXPECT_EQ(std::memcmp(steps, expected, sizeof(steps)), 0);
    });
  }
  // Pure red and cyan, whose samples are almost equal modulo 256.
  std::vector<std::byte> samples(kPitch * kTileExtent);
  for (std::size_t i = 0; i < samples.size(); i += 4) samples[i] = samples[i + 1] = std::byte{255};
  samples[4 * 9] = samples[4 * 9 + 1] = std::byte{0};
  samples[4 * 9 + 2] = std::byte{255};
  ReferenceStripFunctions().split(samples.data(), kPitch, 0, TileContent::kBgrx8, kChromaStepDrop, *planes);
  std::uint8_t steps[kStripTiles];
  ReferenceStripFunctions().chroma_steps(*planes, steps);
  for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) EXPECT_EQ(steps[tile], tile == 1 ? 126 : 0);
}

TEST(TileStripTest, Unsound_HeadOrLengthOfOneTileWrong_IsThatTile) {
  const auto samples = Samples(3, 4 * kStripWidth);
  const StripFunctions& reference = ReferenceStripFunctions();
  for (const TileContent content : kContents) {
    const std::uint32_t channels = ChannelsOf(content);
    auto planes = std::make_unique<StripPlanes>();
    auto code = std::make_unique<StripCode>();
    reference.split(samples.data(), 4 * kStripWidth, 0, content, 0, *planes);
    reference.predict(*planes, channels, *code);
    const auto unsound = [&](const StripFunctions& functions, std::uint32_t broken, auto&& spoil) {
      Tiles tiles = WriteAll(reference, *code, channels);
      const std::uint8_t* at[kStripTiles];
      std::uint64_t bytes[kStripTiles];
      for (std::uint32_t i = 0; i < kStripTiles; ++i) {
        bytes[i] = tiles[i].size();
        tiles[i].resize(bytes[i] + kTileReadSlack);
        at[i] = i == (broken + 1) % kStripTiles ? nullptr : tiles[i].data();
      }
      spoil(tiles[broken].data(), bytes[broken]);
      return functions.unsound(at, bytes, channels);
    };
    using Spoil = void (*)(std::uint8_t * tile, std::uint64_t & bytes);
    const Spoil spoils[] = {[](std::uint8_t* tile, std::uint64_t&) { tile[0] |= 3; },     // no such predictor
                            [](std::uint8_t* tile, std::uint64_t&) { tile[0] ^= 4; },     // a channel more or less
                            [](std::uint8_t* tile, std::uint64_t&) { tile[0] |= 0x3C; },  // channels that do not exist
                            [](std::uint8_t*, std::uint64_t& bytes) { ++bytes; },
                            [](std::uint8_t*, std::uint64_t& bytes) { --bytes; }};
    for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
      for (const Spoil spoil : spoils) {
        const std::uint32_t expected = unsound(reference, tile, spoil);
        if (channels < kMaxChannels || spoil != spoils[2]) {
          EXPECT_EQ(expected, 1U << tile);
        }
        color::simd::OnEachTarget([&] { EXPECT_EQ(unsound(simd::StripFunctionsHere(), tile, spoil), expected); });
      }
      color::simd::OnEachTarget(
          [&] { EXPECT_EQ(unsound(simd::StripFunctionsHere(), tile, [](std::uint8_t*, std::uint64_t&) {}), 0U); });
    }
  }
}

TEST(TileStripTest, Changed_OneSampleOfOneTile_IsThatTile) {
  constexpr std::uint64_t kPitch = 4 * kStripWidth + 12;
  const auto samples = Samples(1, kPitch);
  for (const std::uint32_t sample_bytes : {1U, 4U}) {
    for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
      auto other = samples;
      other[(tile + 3) % kTileExtent * kPitch + (tile * kTileExtent + 7 - tile) * sample_bytes] ^= std::byte{1};
      color::simd::OnEachTarget([&] {
        const StripFunctions& here = simd::StripFunctionsHere();
        EXPECT_EQ(here.changed(samples.data(), kPitch, other.data(), kPitch, sample_bytes, 0), 1U << tile);
        EXPECT_EQ(here.changed(samples.data(), kPitch, samples.data(), kPitch, sample_bytes, 0), 0U);
      });
      EXPECT_EQ(ReferenceStripFunctions().changed(samples.data(), kPitch, other.data(), kPitch, sample_bytes, 0), 1U << tile);
    }
  }
}

}  // namespace
}  // namespace tandem::codec
