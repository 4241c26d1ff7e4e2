// Gamma ramps, pointers and rotations together, pixel by pixel.
#include "drivers/soft/kmd/picture_maker.h"

#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "color/format.h"

namespace tandem::soft {
namespace {

constexpr std::uint32_t kWidth = 5, kHeight = 3;
using Format = color::Format;

std::uint32_t PictureAt(std::uint32_t x, std::uint32_t y) { return 0xA0000000 | (x * 40) << 16 | (y * 60) << 8 | (x + y); }

// Red is inverted, green halved, blue as it is.
processor::GammaRamp Ramp() {
  auto ramp = std::make_shared<D3DDDI_GAMMA_RAMP_RGB256x3x16>();
  for (std::uint32_t value = 0; value < 256; ++value) {
    ramp->Red[value] = static_cast<USHORT>((255 - value) * 257);
    ramp->Green[value] = static_cast<USHORT>(value / 2 * 257);
    ramp->Blue[value] = static_cast<USHORT>(value * 257);
  }
  return ramp;
}
std::uint32_t Ramped(std::uint32_t argb) {
  return (argb & 0xFF0000FF) | (255 - (argb >> 16 & 255)) << 16 | ((argb >> 8 & 255) / 2) << 8;
}

class PictureMakerTest : public ::testing::Test {
 protected:
  PictureMakerTest() {
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) argb_.push_back(PictureAt(x, y));
    }
  }
  [[nodiscard]] static outputs::Surface Of(const void* pixels, std::uint32_t pitch, Format format) {
    outputs::Surface surface;
    surface.pixels = static_cast<const std::byte*>(pixels);
    surface.width = kWidth;
    surface.height = kHeight;
    surface.pitch = pitch;
    surface.format = format;
    return surface;
  }
  [[nodiscard]] outputs::Surface Argb() const { return Of(argb_.data(), kWidth * 4, Format::kB8G8R8A8Unorm); }
  [[nodiscard]] static std::uint32_t At(const outputs::Surface& made, std::uint32_t x, std::uint32_t y) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, made.pixels + std::size_t{y} * made.pitch + std::size_t{x} * 4, sizeof(pixel));
    return pixel;
  }

  std::vector<std::uint32_t> argb_;
  PictureSettings settings_;
  PictureMaker maker_;
};

TEST_F(PictureMakerTest, NothingToDo_IsTheSurfaceItself) {
  const outputs::Surface made = maker_.Make(Argb(), settings_, false);
  EXPECT_EQ(made.pixels, Argb().pixels);
  EXPECT_EQ(maker_.written_bytes(), 0U);
}

TEST_F(PictureMakerTest, Gamma_ChangesEachChannelByItsValues_AndKeepsAlpha) {
  settings_.gamma = Ramp();
  const outputs::Surface made = maker_.Make(Argb(), settings_, false);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) EXPECT_EQ(At(made, x, y), Ramped(PictureAt(x, y))) << x << ", " << y;
  }
  EXPECT_EQ(argb_[6], PictureAt(1, 1)) << "The application's picture stays.";
  EXPECT_EQ(maker_.written_bytes(), std::uint64_t{kWidth} * kHeight * 4);
}

TEST_F(PictureMakerTest, Gamma_KnowsWhereRedLies) {
  std::vector<std::uint32_t> rgba;
  for (const std::uint32_t argb : argb_) rgba.push_back((argb & 0xFF00FF00) | (argb >> 16 & 255) | (argb & 255) << 16);
  settings_.gamma = Ramp();
  const outputs::Surface made = maker_.Make(Of(rgba.data(), kWidth * 4, Format::kR8G8B8A8Unorm), settings_, false);
  EXPECT_EQ(made.format, Format::kR8G8B8A8Unorm);
  const std::uint32_t due = Ramped(PictureAt(3, 2));
  EXPECT_EQ(At(made, 3, 2), (due & 0xFF00FF00) | (due >> 16 & 255) | (due & 255) << 16);
}

TEST_F(PictureMakerTest, Gamma_OfTenBits_IsAPictureOfEight) {
  const std::vector<std::uint32_t> ten(kWidth * kHeight, 0xC0000000 | 1023u << 20 | 512u << 10);
  settings_.gamma = Ramp();
  const outputs::Surface made = maker_.Make(Of(ten.data(), kWidth * 4, Format::kR10G10B10A2Unorm), settings_, false);
  EXPECT_EQ(made.format, Format::kB8G8R8X8Unorm);
  EXPECT_EQ(At(made, 4, 1) & 0xFFFFFF, 0xFF40FFU);
}

TEST_F(PictureMakerTest, PointerLiesUnderTheRamp_AndTurnsWithThePicture) {
  settings_.gamma = Ramp();
  settings_.rotation = color::Rotation::k180;
  auto image = std::make_shared<PointerImage>();
  image->width = image->height = 1;
  image->pixels.push_back({0xFFFFFF, 0, 0x102030, 255});
  settings_.pointer = {image, 1, 2, true};
  const outputs::Surface made = maker_.Make(Argb(), settings_, false);
  EXPECT_EQ(At(made, kWidth - 2, 0) & 0xFFFFFF, Ramped(0x102030) & 0xFFFFFF);
  EXPECT_EQ(At(made, kWidth - 1, kHeight - 1), Ramped(PictureAt(0, 0)));
  EXPECT_EQ(maker_.written_bytes(), 2 * std::uint64_t{kWidth} * kHeight * 4);
}

TEST_F(PictureMakerTest, AnotherRamp_ReplacesTheOneBefore) {
  settings_.gamma = Ramp();
  static_cast<void>(maker_.Make(Argb(), settings_, false));
  auto black = std::make_shared<D3DDDI_GAMMA_RAMP_RGB256x3x16>();
  settings_.gamma = black;
  EXPECT_EQ(At(maker_.Make(Argb(), settings_, false), 4, 2) & 0xFFFFFF, 0U);
}

TEST_F(PictureMakerTest, SurfaceThatTheProcessorCannotRead_LeavesAsItIs) {
  settings_.gamma = Ramp();
  EXPECT_EQ(maker_.Make(Of(nullptr, kWidth * 4, Format::kB8G8R8A8Unorm), settings_, false).pixels, nullptr);
}

}  // namespace
}  // namespace tandem::soft
