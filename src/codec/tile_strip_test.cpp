#include "codec/tile_strip.h"

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "codec/simd/strip_functions.h"
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

// The bytes of each tile, as predicted.
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

// Fills the code again after making it useless.
void ReadAll(const StripFunctions& functions, Tiles tiles, std::uint32_t channels, StripCode& code) {
  std::memset(static_cast<void*>(&code), 0xEE, sizeof(code));
  const std::uint8_t* at[kStripTiles];
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    tiles[i].resize(tiles[i].size() + kTileReadSlack, 0xDD);
    at[i] = tiles[i].data();
  }
  functions.read(at, channels, code);
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
      auto restored = std::make_unique<StripPlanes>();
      std::memset(static_cast<void*>(planes.get()), 0, sizeof(StripPlanes));
      std::memset(static_cast<void*>(code.get()), 0, sizeof(StripCode));
      std::memset(static_cast<void*>(restored.get()), 0, sizeof(StripPlanes));
      reference.split(samples.data(), kPitch, 0, content, drop, *planes);
      reference.predict(*planes, channels, *code);
      const Tiles written = WriteAll(reference, *code, channels);
      reference.restore(*code, channels, *restored);
      ASSERT_EQ(std::memcmp(planes.get(), restored.get(), sizeof(StripPlanes)), 0);
      std::vector<std::byte> joined(samples.size());
      reference.join(*planes, content, joined.data(), kPitch);
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
        auto read = std::make_unique<StripCode>(*code);
        ReadAll(here, written, channels, *read);
        here.restore(*read, channels, *got_planes);
        ASSERT_EQ(std::memcmp(got_planes.get(), restored.get(), sizeof(StripPlanes)), 0);
        std::vector<std::byte> got(samples.size());
        here.join(*planes, content, got.data(), kPitch);
        ASSERT_EQ(got, joined);
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
  // Two pixels of pure red on cyan, which modulo 256 are almost the same.
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
                            [](std::uint8_t* tile, std::uint64_t&) { tile[0] |= 0x3C; },  // channels that are not there
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
