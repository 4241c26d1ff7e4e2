// Tiles encoded in shaders: every byte equals the processor's, on each Vulkan driver.
#include "drivers/vulkan/link/tile_encode_shader.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/tiles/tile_decoder.h"
#include "drivers/vulkan/testing/shader_test.h"

namespace tandem::vulkan::testing {
namespace {

using codec::TileContent;
using Samples = std::vector<std::byte>;

constexpr std::uint64_t kFirst = 12;  // offset of each item in its buffer

class TileEncodeShaderTest : public ShaderTest<TileEncodeShader> {
 protected:
  std::unique_ptr<HostBuffer> BufferWith(const Samples& samples) {
    auto buffer = Buffer(kFirst + samples.size() + 64);
    std::copy(samples.begin(), samples.end(), buffer->bounce() + kFirst);
    return buffer;
  }

  // Encodes by shaders and by the processor, and compares.
  void ExpectTheSame(const codec::TileSliceJob& job, const Samples& frame, const Samples& reference, bool red_first) {
    const auto frame_buffer = BufferWith(frame);
    const auto reference_buffer = BufferWith(reference);
    const std::uint64_t capacity = codec::TileSliceCapacity(job.content, job.frame.width, job.row_count);
    const auto records = Buffer(TileRecordBytes(job.frame.width, job.row_count));
    const auto slice = Buffer(kFirst + capacity + 64);
    TileEncodeJob shader_job;
    shader_job.content = job.content;
    shader_job.width = job.frame.width;
    shader_job.height = job.frame.height;
    shader_job.first_row = job.first_row;
    shader_job.row_count = job.row_count;
    shader_job.red_first = red_first;
    shader_job.frame = {All(*frame_buffer), kFirst, job.frame.pitch};
    if (!reference.empty()) shader_job.reference = {All(*reference_buffer), kFirst, job.reference.pitch};
    shader_job.records = All(*records);
    shader_job.slice = All(*slice);
    shader_job.slice_first = kFirst;
    ASSERT_TRUE(shader_->Takes(shader_job));
    Run([&](VkCommandBuffer commands) { return shader_->Record(commands, shader_job); });
    const auto sealed = codec::SealTileSlice(job, {slice->bounce() + kFirst, capacity});
    ASSERT_TRUE(sealed.ok()) << sealed.error().message;

    Samples turned = frame;
    for (std::size_t i = 0; red_first && i + 4 <= turned.size(); i += 4) std::swap(turned[i], turned[i + 2]);
    Samples turned_reference = reference;
    for (std::size_t i = 0; red_first && i + 4 <= turned_reference.size(); i += 4)
      std::swap(turned_reference[i], turned_reference[i + 2]);
    codec::TileSliceJob expected_job = job;
    expected_job.frame.samples = turned.data();
    if (!reference.empty()) expected_job.reference.samples = turned_reference.data();
    Samples expected(capacity);
    const auto summary = codec::EncodeTileSlice(expected_job, expected);
    ASSERT_TRUE(summary.ok());
    ASSERT_EQ(*sealed, summary->bytes);
    EXPECT_EQ(std::memcmp(slice->bounce() + kFirst, expected.data(), summary->bytes), 0);
    EXPECT_EQ(slice->bounce()[kFirst + (capacity + 3) / 4 * 4], kUntouched);
    EXPECT_EQ(slice->bounce()[kFirst - 1], kUntouched);
  }

  static codec::TileSliceJob Job(const Samples& samples, std::uint32_t width, std::uint32_t height, std::uint64_t pitch,
                                 TileContent content) {
    codec::TileSliceJob job;
    job.content = content;
    job.frame = {samples.data(), pitch, width, height};
    job.frame_number = 7;
    job.row_count = codec::TileRows(height);
    return job;
  }
};

TEST_P(TileEncodeShaderTest, EveryPicture_AtOddSizes_IsTheProcessorsSlice) {
  for (const codec::Picture picture : codec::kPictures) {
    for (const auto& [width, height] : {std::pair{1U, 1U}, {67U, 17U}, {640U, 40U}, {1100U, 9U}}) {
      const Samples pixels = codec::DrawPicture(picture, width, height, 3);
      ExpectTheSame(Job(pixels, width, height, 4ULL * width, TileContent::kBgrx8), pixels, {}, false);
      ExpectTheSame(Job(pixels, width, height, 4ULL * width, TileContent::kBgrx8), pixels, {}, true);
      if (HasFailure()) FAIL() << ToString(picture) << ", " << width << " x " << height;
    }
  }
}

TEST_P(TileEncodeShaderTest, AlphaAndPlanes_AreTheProcessors) {
  Samples pixels = codec::DrawPicture(codec::Picture::kScene, 152, 40, 1);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = static_cast<std::byte>(i / 64);
  ExpectTheSame(Job(pixels, 150, 40, 608, TileContent::kBgra8), pixels, {}, false);
  for (const std::uint32_t width : {600U, 599U, 598U, 597U}) {
    ExpectTheSame(Job(pixels, width, 40, 608, TileContent::kPlane8), pixels, {}, false);
  }
  const Samples noise = Random(4 * 64 * 24);
  ExpectTheSame(Job(noise, 64, 24, 256, TileContent::kBgra8), noise, {}, false);
}

TEST_P(TileEncodeShaderTest, UnchangedAndRepeatedTilesInSlices_AreTheProcessors) {
  const Samples before = codec::DrawPicture(codec::Picture::kInterface, 1300, 64, 1);
  Samples after = before;
  for (std::size_t pixel = 700; pixel < 1300 * 64; pixel += 3911) after[4 * pixel + 1] ^= std::byte{8};
  std::fill(after.begin() + 4 * 1300 * 20, after.begin() + 4 * 1300 * 30, std::byte{255});
  for (const auto& [first, count] : {std::pair{0U, 8U}, {2U, 3U}, {7U, 1U}}) {
    codec::TileSliceJob job = Job(after, 1300, 64, 5200, TileContent::kBgrx8);
    job.reference = {before.data(), 5200, 1300, 64};
    job.reference_number = 6;
    job.first_row = first;
    job.row_count = count;
    ExpectTheSame(job, after, before, false);
    ExpectTheSame(job, before, before, true);
  }
}

TEST_P(TileEncodeShaderTest, Takes_PlacesPitchesAndRoomsThatAreTooSmall_AreRefused) {
  const auto samples = Buffer(4096);
  const auto records = Buffer(TileRecordBytes(16, 2));
  const auto slice = Buffer(4096);
  TileEncodeJob good;
  good.width = good.height = 16;
  good.row_count = 2;
  good.frame = {All(*samples), 0, 64};
  good.records = All(*records);
  good.slice = All(*slice);
  ASSERT_TRUE(shader_->Takes(good));
  const auto refused = [&](auto&& spoil) {
    TileEncodeJob job = good;
    spoil(job);
    return !shader_->Takes(job);
  };
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.row_count = 3; }));
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.first_row = 1; }));
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.height = 0; }));
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.frame.pitch = 60; }));
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.frame.first = 3076; }));
  EXPECT_TRUE(refused([&](TileEncodeJob& job) { job.reference = {All(*samples), 2, 64}; }));
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.records.range -= 4; }));
  EXPECT_TRUE(refused([](TileEncodeJob& job) { job.slice_first = 3400; }));
}

INSTANTIATE_TEST_SUITE_P(Drivers, TileEncodeShaderTest, ShaderDrivers(), NameOfIcd);

}  // namespace
}  // namespace tandem::vulkan::testing
