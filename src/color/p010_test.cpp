#include "color/p010.h"

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "color/simd/testing/each_target.h"
#include "color/yuv_model.h"

namespace tandem::color {
namespace {

constexpr YuvCoding kCodings[] = {{YuvMatrix::kBt709, YuvRange::kFull},
                                  {YuvMatrix::kBt709, YuvRange::kLimited},
                                  {YuvMatrix::kBt601, YuvRange::kFull},
                                  {YuvMatrix::kBt2020, YuvRange::kLimited}};

// Y, U and V of red, green and blue in 0..1023, by the formulas.
std::array<double, 3> Model(double red, double green, double blue, YuvCoding coding) {
  const auto [kr, kb] = LumaWeightsOf(coding.matrix);
  const bool limited = coding.range == YuvRange::kLimited;
  const double luma = kr * red + (1 - kr - kb) * green + kb * blue;
  const double chroma = limited ? 896.0 / 1023 : 1;
  return {limited ? 64 + 876.0 / 1023 * luma : luma, 512 + chroma * (blue - luma) / (2 * (1 - kb)),
          512 + chroma * (red - luma) / (2 * (1 - kr))};
}

int Round(double value) { return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, 1023.0)); }

struct Picture {
  Picture(std::uint32_t w, std::uint32_t h)
      : width(w), height(h), pixels(w * h), y(w * h), uv(2 * ChromaExtent(w) * ChromaExtent(h)) {}

  void Encode(YuvCoding coding) {
    EncodeP010({reinterpret_cast<std::byte*>(y.data()), reinterpret_cast<std::byte*>(uv.data()), 2ULL * width,
                4ULL * ChromaExtent(width)},
               {reinterpret_cast<const std::byte*>(pixels.data()), 4ULL * width, width, height}, coding);
  }
  [[nodiscard]] std::vector<std::uint32_t> Decode(YuvCoding coding, ChromaFilter filter) const {
    std::vector<std::uint32_t> back(pixels.size());
    DecodeP010({reinterpret_cast<std::byte*>(back.data()), 4ULL * width, width, height},
               {reinterpret_cast<const std::byte*>(y.data()), reinterpret_cast<const std::byte*>(uv.data()), 2ULL * width,
                4ULL * ChromaExtent(width)},
               coding, filter);
    return back;
  }

  std::uint32_t width, height;
  std::vector<std::uint32_t> pixels;
  std::vector<std::uint16_t> y, uv;
};

int ChannelOf(std::uint32_t pixel, int channel) { return static_cast<int>(pixel >> (10 * channel) & 1023); }

TEST(P010Test, Encode_RandomColors_AreTheModelsToOneInAThousand) {
  std::mt19937 random(11);
  for (const YuvCoding coding : kCodings) {
    Picture picture(200, 100);
    for (std::uint32_t& pixel : picture.pixels) pixel = static_cast<std::uint32_t>(random());
    picture.Encode(coding);
    int off = 0;
    for (std::uint32_t at = 0; at < 20000; ++at) {
      const std::uint32_t pixel = picture.pixels[at];
      const int expected = Round(Model(ChannelOf(pixel, 0), ChannelOf(pixel, 1), ChannelOf(pixel, 2), coding)[0]);
      ASSERT_EQ(picture.y[at] & 63, 0);
      ASSERT_NEAR(picture.y[at] >> 6, expected, 1);
      off += (picture.y[at] >> 6) != expected ? 1 : 0;
    }
    for (std::uint32_t at = 0; at < 5000; ++at) {
      std::array<double, 3> mean{};
      for (const std::uint32_t i : {0U, 1U, 200U, 201U}) {
        const std::uint32_t pixel = picture.pixels[at / 100 * 400 + at % 100 * 2 + i];
        for (int c = 0; c < 3; ++c) mean[static_cast<std::size_t>(c)] += ChannelOf(pixel, c) / 4.0;
      }
      const auto model = Model(mean[0], mean[1], mean[2], coding);
      for (const std::uint32_t c : {0U, 1U}) {
        ASSERT_NEAR(picture.uv[2 * at + c] >> 6, Round(model[1 + c]), 1);
        off += (picture.uv[2 * at + c] >> 6) != Round(model[1 + c]) ? 1 : 0;
      }
    }
    EXPECT_LE(off, 30);
  }
}

TEST(P010Test, FlatColors_ComeBackWithinOne_WithEachFilter) {
  std::mt19937 random(12);
  for (const YuvCoding coding : kCodings) {
    for (int turn = 0; turn < 300; ++turn) {
      Picture picture(5, 3);
      const auto color = static_cast<std::uint32_t>(random());
      for (std::uint32_t& pixel : picture.pixels) pixel = color;
      picture.Encode(coding);
      for (const ChromaFilter filter : {ChromaFilter::kNearest, ChromaFilter::kBilinear}) {
        for (const std::uint32_t pixel : picture.Decode(coding, filter)) {
          const int most = coding.range == YuvRange::kFull ? 1 : 2;
          for (int c = 0; c < 3; ++c) ASSERT_NEAR(ChannelOf(pixel, c), ChannelOf(color, c), most);
          ASSERT_EQ(pixel >> 30, 3U);
        }
      }
    }
  }
}

TEST(P010Test, Greys_HaveNoChromaAndStayExact) {
  for (std::uint32_t level = 0; level < 1024; ++level) {
    Picture picture(2, 2);
    for (std::uint32_t& pixel : picture.pixels) pixel = level * 0x100401;
    picture.Encode({});
    EXPECT_EQ(picture.uv[0], 512 << 6);
    EXPECT_EQ(picture.uv[1], 512 << 6);
    EXPECT_EQ(picture.Decode({}, ChromaFilter::kNearest)[3], picture.pixels[3] | 3U << 30);
  }
}

TEST(P010Test, EveryTarget_EqualsTheReference) {
  std::mt19937 random(13);
  for (const YuvCoding coding : kCodings) {
    for (const std::uint32_t width : {1U, 2U, 3U, 7U, 8U, 15U, 16U, 17U, 33U, 130U}) {
      constexpr std::uint32_t kHeight = 5;
      Picture expected(width, kHeight);
      for (std::uint32_t& pixel : expected.pixels) pixel = static_cast<std::uint32_t>(random());
      Picture picture = expected;
      const std::uint64_t uv_pitch = 4ULL * ChromaExtent(width);
      const auto bytes = [](auto& of) { return reinterpret_cast<std::byte*>(of.data()); };
      EncodeP010Reference({bytes(expected.y), bytes(expected.uv), 2ULL * width, uv_pitch},
                          {bytes(expected.pixels), 4ULL * width, width, kHeight}, coding);
      // Decodes arbitrary samples as well, not only those of an encoder.
      for (const bool any : {false, true}) {
        std::vector<std::uint32_t> decoded(picture.pixels.size());
        if (any) {
          for (std::uint16_t& word : expected.y) word = static_cast<std::uint16_t>(random());
          for (std::uint16_t& word : expected.uv) word = static_cast<std::uint16_t>(random());
        }
        DecodeP010Reference({bytes(decoded), 4ULL * width, width, kHeight},
                            {bytes(expected.y), bytes(expected.uv), 2ULL * width, uv_pitch}, coding, ChromaFilter::kNearest);
        simd::OnEachTarget([&] {
          if (!any) {
            picture.Encode(coding);
            ASSERT_EQ(picture.y, expected.y) << width;
            ASSERT_EQ(picture.uv, expected.uv) << width;
          }
          ASSERT_EQ(expected.Decode(coding, ChromaFilter::kNearest), decoded) << width;
        });
      }
    }
  }
}

TEST(P010Test, OddSizes_TouchNothingElse) {
  for (const auto& [width, height] : {std::pair{1U, 1U}, {3U, 1U}, {1U, 4U}, {7U, 5U}}) {
    Picture picture(width, height);
    picture.y.push_back(0x1234);
    picture.uv.push_back(0x1234);
    for (std::uint32_t& pixel : picture.pixels) pixel = 0x2FF3FCFF;
    picture.Encode({});
    EXPECT_EQ(picture.y.back(), 0x1234);
    EXPECT_EQ(picture.uv.back(), 0x1234);
    for (const std::uint32_t pixel : picture.Decode({}, ChromaFilter::kBilinear)) {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(ChannelOf(pixel, c), ChannelOf(0x2FF3FCFF, c), 1);
    }
  }
}

}  // namespace
}  // namespace tandem::color
