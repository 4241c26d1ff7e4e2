// Packed pixels and blocks in shaders: every byte equals the processor's, in both directions, on each Vulkan driver.
#include "drivers/vulkan/link/fixed_rate_shader.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "codec/bc1/bc1.h"
#include "codec/packed/packed_rgb.h"
#include "codec/pictures/pictures.h"
#include "drivers/vulkan/testing/shader_test.h"

namespace tandem::vulkan::testing {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kFirst = 12;  // offset of the picture in its buffer

struct Extent {
  std::uint32_t width;
  std::uint32_t height;
};
constexpr Extent kExtents[] = {{1, 1}, {3, 5}, {6, 7}, {67, 17}, {256, 9}, {301, 34}};

Bytes Encoded(FixedRate rate, const Bytes& pixels, const Extent& extent, std::uint64_t pitch, bool red_first) {
  const auto [width, height] = extent;
  if (rate == FixedRate::kBc1) {
    Bytes blue_first = pixels;
    for (std::size_t i = 0; red_first && i + 4 <= pixels.size(); i += 4) std::swap(blue_first[i], blue_first[i + 2]);
    Bytes blocks(codec::Bc1Bytes(width, height));
    codec::EncodeBc1(blocks.data(), codec::Bc1RowBytes(width), {blue_first.data(), pitch, width, height});
    return blocks;
  }
  const auto packing = rate == FixedRate::kPacked24 ? codec::PackedRgb::k24 : codec::PackedRgb::k30;
  const std::uint64_t row_bytes = codec::PackedRowBytes(packing, width);
  Bytes packed(row_bytes * height);
  codec::PackRgb(packing, packed.data(), row_bytes, pixels.data(), pitch, width, height);
  return packed;
}

Bytes Decoded(FixedRate rate, const Bytes& coded, const Extent& extent, std::uint64_t pitch, bool red_first) {
  const auto [width, height] = extent;
  Bytes pixels(pitch * height, kUntouched);
  if (rate == FixedRate::kBc1) {
    codec::DecodeBc1({pixels.data(), pitch, width, height}, coded.data(), codec::Bc1RowBytes(width));
    for (std::uint32_t y = 0; red_first && y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) std::swap(pixels[y * pitch + 4 * x], pixels[y * pitch + 4 * x + 2]);
    }
    return pixels;
  }
  const auto packing = rate == FixedRate::kPacked24 ? codec::PackedRgb::k24 : codec::PackedRgb::k30;
  codec::UnpackRgb(packing, pixels.data(), pitch, coded.data(), codec::PackedRowBytes(packing, width), width, height);
  return pixels;
}

class FixedRateShaderTest : public ShaderTest<FixedRateShader> {
 protected:
  static constexpr std::uint64_t kRoom = 64;  // bytes after all data

  void ExpectTheSame(FixedRate rate, const Bytes& pixels, const Extent& extent, std::uint64_t pitch, bool red_first) {
    const Bytes coded = Encoded(rate, pixels, extent, pitch, red_first);
    const auto picture = Buffer(kFirst + pixels.size() + kRoom);
    const auto slice = Buffer(coded.size() / 4 * 4 + kRoom);
    std::memcpy(picture->bounce() + kFirst, pixels.data(), pixels.size());
    FixedRateJob job;
    job.rate = rate;
    job.picture = All(*picture);
    job.picture_first = kFirst;
    job.picture_pitch = pitch;
    job.red_first = red_first;
    job.slice = All(*slice);
    job.width = extent.width;
    job.height = extent.height;
    ASSERT_TRUE(shader_->Takes(job));
    Run([&](VkCommandBuffer commands) { return shader_->RecordEncode(commands, job); });
    EXPECT_EQ(std::memcmp(slice->bounce(), coded.data(), coded.size()), 0) << "encoded";
    EXPECT_EQ(slice->bounce()[(coded.size() + 3) / 4 * 4], kUntouched);

    std::memset(picture->bounce(), static_cast<int>(kUntouched), picture->size_bytes());
    const Bytes decoded = Decoded(rate, coded, extent, pitch, red_first);
    Run([&](VkCommandBuffer commands) { return shader_->RecordDecode(commands, job); });
    EXPECT_EQ(std::memcmp(picture->bounce() + kFirst, decoded.data(), decoded.size()), 0) << "decoded";
    EXPECT_EQ(picture->bounce()[kFirst - 1], kUntouched);
    EXPECT_EQ(picture->bounce()[kFirst + decoded.size()], kUntouched);
  }
};

TEST_P(FixedRateShaderTest, EveryPicture_AtOddSizes_IsTheProcessorsBothWays) {
  for (const FixedRate rate : {FixedRate::kPacked24, FixedRate::kPacked30, FixedRate::kBc1}) {
    for (const Extent& extent : kExtents) {
      for (const codec::Picture picture : codec::kPictures) {
        const Bytes pixels = codec::DrawPicture(picture, extent.width + 3, extent.height, 3);
        const std::uint64_t pitch = 4ULL * (extent.width + 3);
        ExpectTheSame(rate, pixels, extent, pitch, false);
        ExpectTheSame(rate, pixels, extent, pitch, true);
        if (HasFailure()) FAIL() << static_cast<int>(rate) << ", " << ToString(picture) << ", " << extent.width;
      }
    }
  }
}

// Blocks of one colour, with every level in every channel.
TEST_P(FixedRateShaderTest, FlatBlocks_AreTheProcessors) {
  Bytes pixels(4ULL * 1024 * 4);
  for (std::uint32_t x = 0; x < 1024; ++x) {
    const std::uint32_t level = x / 4;
    const std::uint32_t pixel = level | ((level * 7 + 3) & 255) << 8 | (255 - level) << 16;
    for (std::uint32_t y = 0; y < 4; ++y) std::memcpy(pixels.data() + 4ULL * (1024 * y + x), &pixel, sizeof(pixel));
  }
  ExpectTheSame(FixedRate::kBc1, pixels, {1024, 4}, 4096, false);
}

// Shader and processor decode arbitrary bytes to equal pixels.
TEST_P(FixedRateShaderTest, NoiseInSlices_IsDecodedAsByTheProcessor) {
  for (const FixedRate rate : {FixedRate::kPacked24, FixedRate::kPacked30, FixedRate::kBc1}) {
    const Extent extent{61, 22};
    const Bytes coded = Random(Encoded(rate, Bytes(4 * 61 * 22), extent, 244, false).size());
    const auto picture = Buffer(244 * 22);
    const auto slice = Buffer(coded.size() / 4 * 4 + kRoom);
    std::memcpy(slice->bounce(), coded.data(), coded.size());
    FixedRateJob job{rate, All(*picture), 0, 244, false, All(*slice), extent.width, extent.height};
    Run([&](VkCommandBuffer commands) { return shader_->RecordDecode(commands, job); });
    const Bytes decoded = Decoded(rate, coded, extent, 244, false);
    EXPECT_EQ(std::memcmp(picture->bounce(), decoded.data(), decoded.size()), 0) << static_cast<int>(rate);
  }
}

TEST_P(FixedRateShaderTest, Takes_PlacesPitchesAndRoomsThatAreTooSmall_AreRefused) {
  const auto picture = Buffer(4096);
  const auto slice = Buffer(16 * 12 * 4 + 8);
  const FixedRateJob good{FixedRate::kPacked24, All(*picture), 0, 64, false, All(*slice), 16, 16};
  ASSERT_TRUE(shader_->Takes(good));
  const auto refused = [&](auto&& spoil) {
    FixedRateJob job = good;
    spoil(job);
    return !shader_->Takes(job);
  };
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.width = 0; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.height = 0; }));
  EXPECT_FALSE(refused([](FixedRateJob& job) { job.width = 8, job.height = 17; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.width = 8, job.height = 17, job.rotation = color::Rotation::k90; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.picture_pitch = 60; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.picture_pitch = 66; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.picture_first = 3076; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.picture_first = 2; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.slice.range -= 4; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.rate = FixedRate::kPacked30; }));
  EXPECT_TRUE(refused([](FixedRateJob& job) { job.slice.buffer = VK_NULL_HANDLE; }));
}

INSTANTIATE_TEST_SUITE_P(Drivers, FixedRateShaderTest, ShaderDrivers(), NameOfIcd);

}  // namespace
}  // namespace tandem::vulkan::testing
