// Tiles decoded in a shader: every bit equals the processor's, on each Vulkan driver.
#include "drivers/vulkan/link/tile_shader.h"

#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"
#include "drivers/vulkan/testing/shader_test.h"

namespace tandem::vulkan::testing {
namespace {

using codec::TileContent;

constexpr std::uint64_t kFirst = 12;  // offset of slice and frame in their buffers

using Samples = std::vector<std::byte>;

codec::SampleSurface<const std::byte> Surface(const Samples& samples, std::uint32_t width, std::uint32_t height,
                                              TileContent content) {
  return {samples.data(), std::uint64_t{width} * codec::BytesPerSample(content), width, height};
}

Samples Encode(codec::TileSliceJob job) {
  Samples bytes(codec::TileSliceCapacity(job.content, job.frame.width, job.row_count));
  Samples room(codec::TileBudgetRoomBytes(job.frame.width, job.row_count));
  job.budget_room = room;
  const auto summary = codec::EncodeTileSlice(job, bytes);
  EXPECT_TRUE(summary.ok());
  bytes.resize(summary->bytes);
  return bytes;
}

class TileShaderTest : public ShaderTest<TileShader> {
 protected:
  // Decodes the slice by shader and by processor over the same bytes; the frame's rows have their own pitch.
  void ExpectTheSame(const Samples& bytes, std::uint64_t pitch, const Samples& before, bool red_first) {
    const auto checked = codec::CheckTileSlice(bytes);
    ASSERT_TRUE(checked.ok()) << checked.error().message;
    const codec::TileSliceHeader& header = checked->header;
    const auto slice = Buffer(kFirst + bytes.size() + 64);
    std::memcpy(slice->bounce() + kFirst, bytes.data(), bytes.size());
    const auto frame = Buffer(kFirst + before.size() + 64);
    std::memcpy(frame->bounce() + kFirst, before.data(), before.size());
    const TileShaderJob job{All(*slice), kFirst, header, All(*frame), kFirst, pitch, red_first};
    ASSERT_TRUE(shader_->Takes(job));
    Run([&](VkCommandBuffer commands) { return shader_->RecordDecode(commands, job); });
    Samples expected = before;
    const auto turn_round = [&] {
      for (std::size_t y = 0; y < header.height && red_first; ++y) {
        for (std::size_t x = 0; x < header.width; ++x) std::swap(expected[y * pitch + 4 * x], expected[y * pitch + 4 * x + 2]);
      }
    };
    turn_round();
    codec::DecodeTileSlice(*checked, {expected.data(), pitch, header.width, header.height},
                           {expected.data(), pitch, header.width, header.height});
    turn_round();
    EXPECT_EQ(std::memcmp(frame->bounce() + kFirst, expected.data(), expected.size()), 0);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(frame->bounce()[kFirst + expected.size() + i], kUntouched);
  }
};

TEST_P(TileShaderTest, EveryPicture_AtOddSizes_IsTheProcessorsFrame) {
  for (const codec::Picture picture : codec::kPictures) {
    for (const auto& [width, height] : {std::pair{1U, 1U}, {67U, 17U}, {640U, 40U}, {1100U, 9U}}) {
      const Samples pixels = codec::DrawPicture(picture, width, height, 3);
      codec::TileSliceJob job;
      job.frame = Surface(pixels, width, height, TileContent::kBgrx8);
      job.frame_number = 1;
      job.row_count = codec::TileRows(height);
      const std::uint64_t pitch = 4ULL * width + 16;
      const Samples before = Random(pitch * height);
      ExpectTheSame(Encode(job), pitch, before, false);
      ExpectTheSame(Encode(job), pitch, before, true);
      if (HasFailure()) FAIL() << ToString(picture) << ", " << width << " x " << height;
    }
  }
}

TEST_P(TileShaderTest, AlphaAndPlanes_AreTheProcessors) {
  Samples pixels = codec::DrawPicture(codec::Picture::kScene, 150, 40, 1);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = static_cast<std::byte>(i / 64);
  codec::TileSliceJob job;
  job.content = TileContent::kBgra8;
  job.frame = Surface(pixels, 150, 40, job.content);
  job.frame_number = 1;
  job.row_count = codec::TileRows(40);
  ExpectTheSame(Encode(job), 600, Random(600 * 40), false);
  job.content = TileContent::kPlane8;
  for (const std::uint32_t width : {150U, 149U, 151U, 600U}) {
    job.frame = Surface(pixels, width, 40, job.content);
    const std::uint64_t pitch = width + 12 - width % 4;
    ExpectTheSame(Encode(job), pitch, Random(pitch * 40), false);
  }
}

TEST_P(TileShaderTest, UnchangedAndRepeatedTilesInSlices_AreTheProcessors) {
  const Samples before = codec::DrawPicture(codec::Picture::kInterface, 1300, 64, 1);
  Samples after = before;
  for (std::size_t pixel = 700; pixel < 1300 * 64; pixel += 3911) after[4 * pixel + 1] ^= std::byte{8};
  std::fill(after.begin() + 4 * 1300 * 20, after.begin() + 4 * 1300 * 30, std::byte{255});
  codec::TileSliceJob job;
  job.frame = Surface(after, 1300, 64, TileContent::kBgrx8);
  job.reference = Surface(before, 1300, 64, TileContent::kBgrx8);
  job.frame_number = 9;
  job.reference_number = 8;
  for (const auto& [first, count] : {std::pair{0U, 8U}, {2U, 3U}, {7U, 1U}}) {
    job.first_row = first;
    job.row_count = count;
    ExpectTheSame(Encode(job), 4 * 1300, before, false);
  }
}

TEST_P(TileShaderTest, TilesThatLostBits_AreTheProcessors) {
  const Samples pixels = codec::DrawPicture(codec::Picture::kNoise, 256, 32, 2);
  codec::TileSliceJob job;
  job.frame = Surface(pixels, 256, 32, TileContent::kBgrx8);
  job.frame_number = 1;
  job.row_count = codec::TileRows(32);
  for (const std::uint64_t budget : {20000ULL, 12000ULL, 6000ULL, 3000ULL}) {
    job.budget_bytes = budget;
    ExpectTheSame(Encode(job), 4 * 256, Random(4 * 256 * 32), false);
  }
}

TEST_P(TileShaderTest, Takes_PlacesAndPitchesThatAreNoWordsOrTooShort_AreRefused) {
  const auto slice = Buffer(4096);
  const auto frame = Buffer(4096);
  TileShaderJob good{All(*slice), 0, {}, All(*frame), 0, 64, false};
  good.header.width = 16;
  good.header.height = 16;
  good.header.content = static_cast<std::uint8_t>(TileContent::kBgrx8);
  good.header.bytes = 400;
  ASSERT_TRUE(shader_->Takes(good));
  const auto refused = [&](auto&& spoil) {
    TileShaderJob job = good;
    spoil(job);
    return !shader_->Takes(job);
  };
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.slice_first = 2; }));
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.slice_first = 3700; }));
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.header.bytes = 4097; }));
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.frame_pitch = 60; }));
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.frame_pitch = 66; }));
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.frame_first = 3076; }));
  EXPECT_TRUE(refused([](TileShaderJob& job) { job.frame.buffer = VK_NULL_HANDLE; }));
}

INSTANTIATE_TEST_SUITE_P(Drivers, TileShaderTest, ShaderDrivers(), NameOfIcd);

}  // namespace
}  // namespace tandem::vulkan::testing
