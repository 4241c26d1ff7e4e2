// 4:2:0 in shaders: every bit equals the reference's, on each Vulkan driver.
#include "drivers/vulkan/link/yuv_shader.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/vulkan/testing/shader_test.h"

namespace tandem::vulkan::testing {
namespace {

using color::ChromaExtent;
using color::ChromaFilter;
using color::Rotation;
using color::YuvLayout;

constexpr std::uint64_t kGuard = 64;  // bytes before the first row and after the last, which must stay unchanged

std::uint64_t Words(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

class YuvShaderTest : public ShaderTest<YuvShader> {
 protected:
  // Rows of a rotated picture in memory, with some padding between them.
  ShaderPicture PictureIn(const HostBuffer& buffer, std::uint32_t width, Rotation rotation) const {
    return {All(buffer), kGuard, 4ULL * width + 8, false, rotation};
  }

  ShaderPlanes PlanesIn(const HostBuffer& buffer, std::uint32_t width, std::uint32_t height, YuvLayout layout) const {
    ShaderPlanes planes;
    planes.buffer = All(buffer);
    planes.layout = layout;
    planes.y = kGuard;
    planes.y_pitch = Words(width) + 4;
    planes.u = planes.y + planes.y_pitch * height;
    planes.chroma_pitch = Words(layout == YuvLayout::kNv12 ? 2 * ChromaExtent(width) : ChromaExtent(width)) + 8;
    planes.v = planes.u + planes.chroma_pitch * ChromaExtent(height);
    return planes;
  }
  template <class Byte>
  static color::Yuv420<Byte> PlanesAt(const ShaderPlanes& planes, Byte* bytes) {
    return {planes.layout, bytes + planes.y, bytes + planes.u, bytes + planes.v, planes.y_pitch, planes.chroma_pitch};
  }
};

// Position of pixel (x, y) of the picture in memory, after the guard.
std::uint64_t PlaceOf(const ShaderPicture& picture, std::uint32_t width, std::uint32_t height, std::uint32_t x, std::uint32_t y) {
  std::uint64_t column = x;
  std::uint64_t row = y;
  if (picture.rotation == Rotation::k90) {
    column = y;
    row = width - 1 - x;
  } else if (picture.rotation == Rotation::k180) {
    column = width - 1 - x;
    row = height - 1 - y;
  } else if (picture.rotation == Rotation::k270) {
    column = height - 1 - y;
    row = x;
  }
  return picture.first + row * picture.pitch + 4 * column;
}

struct Case {
  std::uint32_t width, height;
  Rotation rotation;
  bool red_first;
};
constexpr Case kCases[] = {{1, 1, Rotation::kIdentity, false},   {2, 2, Rotation::kIdentity, false},
                           {3, 5, Rotation::k90, false},         {67, 33, Rotation::kIdentity, true},
                           {130, 18, Rotation::k180, false},     {33, 67, Rotation::k270, true},
                           {256, 32, Rotation::kIdentity, false}};
constexpr color::YuvCoding kCodings[] = {{color::YuvMatrix::kBt709, color::YuvRange::kFull},
                                         {color::YuvMatrix::kBt601, color::YuvRange::kLimited},
                                         {color::YuvMatrix::kBt2020, color::YuvRange::kFull}};

TEST_P(YuvShaderTest, Encode_AnySizeLayoutAndRotation_IsTheReferenceInEveryBit) {
  for (const Case& c : kCases) {
    const bool turned = color::IsQuarterTurn(c.rotation);
    const std::uint64_t picture_bytes = 2 * kGuard + (4ULL * (turned ? c.height : c.width) + 8) * (turned ? c.width : c.height);
    const auto in = Buffer(picture_bytes);
    std::memcpy(in->bounce(), Random(picture_bytes).data(), picture_bytes);
    ShaderPicture picture = PictureIn(*in, turned ? c.height : c.width, c.rotation);
    picture.red_first = c.red_first;
    std::vector<std::byte> upright(4ULL * c.width * c.height);
    for (std::uint32_t y = 0; y < c.height; ++y) {
      for (std::uint32_t x = 0; x < c.width; ++x) {
        std::byte* const pixel = &upright[4 * (std::size_t{y} * c.width + x)];
        std::memcpy(pixel, in->bounce() + PlaceOf(picture, c.width, c.height, x, y), 4);
        if (c.red_first) std::swap(pixel[0], pixel[2]);
      }
    }
    for (const YuvLayout layout : {YuvLayout::kNv12, YuvLayout::kThreePlanes}) {
      for (const YuvPasses passes : {YuvPasses::kFused, YuvPasses::kThree}) {
        for (const color::YuvCoding coding : kCodings) {
          const auto out = Buffer(2 * kGuard + 6ULL * (c.width + 16) * (c.height + 2));
          const ShaderPlanes planes = PlanesIn(*out, c.width, c.height, layout);
          const YuvShaderJob job{picture, planes, c.width, c.height, coding};
          ASSERT_TRUE(shader_->Takes(job));
          Run([&](VkCommandBuffer commands) { return shader_->RecordEncode(commands, job, passes); });
          std::vector<std::byte> expected(out->size_bytes(), kUntouched);
          color::EncodeYuv420Reference(PlanesAt(planes, expected.data()), {upright.data(), 4ULL * c.width, c.width, c.height},
                                       coding);
          const auto clear_tails = [&](std::uint64_t plane, std::uint64_t pitch, std::uint64_t row_bytes, std::uint64_t rows) {
            for (std::uint64_t y = 0; y < rows; ++y)
              std::memset(&expected[plane + y * pitch + row_bytes], 0, Words(row_bytes) - row_bytes);
          };
          const std::uint64_t chroma = ChromaExtent(c.width);
          clear_tails(planes.y, planes.y_pitch, c.width, c.height);
          clear_tails(planes.u, planes.chroma_pitch, layout == YuvLayout::kNv12 ? 2 * chroma : chroma, ChromaExtent(c.height));
          if (layout == YuvLayout::kThreePlanes) clear_tails(planes.v, planes.chroma_pitch, chroma, ChromaExtent(c.height));
          ASSERT_EQ(std::memcmp(out->bounce(), expected.data(), expected.size()), 0)
              << c.width << " x " << c.height << ", layout " << static_cast<int>(layout) << ", passes "
              << static_cast<int>(passes) << ", matrix " << static_cast<int>(coding.matrix);
        }
      }
    }
  }
}

TEST_P(YuvShaderTest, Decode_AnySizeLayoutAndFilter_IsTheReferenceInEveryBit) {
  for (const Case& c : kCases) {
    const bool turned = color::IsQuarterTurn(c.rotation);
    for (const YuvLayout layout : {YuvLayout::kNv12, YuvLayout::kThreePlanes}) {
      const auto in = Buffer(2 * kGuard + 6ULL * (c.width + 16) * (c.height + 2));
      std::memcpy(in->bounce(), Random(in->size_bytes()).data(), in->size_bytes());
      const ShaderPlanes planes = PlanesIn(*in, c.width, c.height, layout);
      for (const ChromaFilter filter : {ChromaFilter::kNearest, ChromaFilter::kBilinear}) {
        for (const color::YuvCoding coding : kCodings) {
          const auto out = Buffer(2 * kGuard + (4ULL * (turned ? c.height : c.width) + 8) * (turned ? c.width : c.height));
          ShaderPicture picture = PictureIn(*out, turned ? c.height : c.width, c.rotation);
          picture.red_first = c.red_first;
          const YuvShaderJob job{picture, planes, c.width, c.height, coding};
          ASSERT_TRUE(shader_->Takes(job));
          Run([&](VkCommandBuffer commands) { return shader_->RecordDecode(commands, job, filter); });
          std::vector<std::byte> upright(4ULL * c.width * c.height);
          color::DecodeYuv420Reference({upright.data(), 4ULL * c.width, c.width, c.height},
                                       PlanesAt<const std::byte>(planes, in->bounce()), coding, filter);
          std::vector<std::byte> expected(out->size_bytes(), kUntouched);
          for (std::uint32_t y = 0; y < c.height; ++y) {
            for (std::uint32_t x = 0; x < c.width; ++x) {
              std::byte* const pixel = &upright[4 * (std::size_t{y} * c.width + x)];
              if (c.red_first) std::swap(pixel[0], pixel[2]);
              std::memcpy(&expected[PlaceOf(picture, c.width, c.height, x, y)], pixel, 4);
            }
          }
          ASSERT_EQ(std::memcmp(out->bounce(), expected.data(), expected.size()), 0)
              << c.width << " x " << c.height << ", layout " << static_cast<int>(layout) << ", filter "
              << static_cast<int>(filter) << ", matrix " << static_cast<int>(coding.matrix);
        }
      }
    }
  }
}

TEST_P(YuvShaderTest, Takes_PlacesAndPitchesThatAreNoWordsOrTooShort_AreRefused) {
  const auto in = Buffer(8192);
  const auto out = Buffer(8192);
  const YuvShaderJob good{PictureIn(*in, 16, Rotation::kIdentity), PlanesIn(*out, 16, 16, YuvLayout::kNv12), 16, 16, {}};
  ASSERT_TRUE(shader_->Takes(good));
  const auto refused = [&](auto&& spoil) {
    YuvShaderJob job = good;
    spoil(job);
    return !shader_->Takes(job);
  };
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.width = 0; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.picture.first = 2; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.picture.pitch = 63; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.picture.pitch = 60; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.planes.y_pitch = 18; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.planes.chroma_pitch = 12; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.planes.u = 8100; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.planes.buffer.buffer = VK_NULL_HANDLE; }));
  EXPECT_TRUE(refused([](YuvShaderJob& job) { job.planes.layout = YuvLayout::kThreePlanes, job.planes.v = 8190; }));
}

INSTANTIATE_TEST_SUITE_P(Drivers, YuvShaderTest, ShaderDrivers(), NameOfIcd);

}  // namespace
}  // namespace tandem::vulkan::testing
