// The pointer over the soft adapter's pictures, pixel by pixel.
#include "drivers/soft/kmd/pointer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "drivers/processor/allocation_data.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "drivers/soft/testing/fake_output.h"

namespace tandem::soft {
namespace {

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::FakeOutput;
using testing::Pages;

constexpr std::int64_t kPeriodNs = 2'000'000;
constexpr std::uint32_t kWidth = 64, kHeight = 32;
constexpr std::uint32_t kExtent = 8;  // of the pointers here

// Each pixel of a picture differs from its neighbours.
std::uint32_t PictureAt(std::uint32_t x, std::uint32_t y) { return 0xC0000000 | (x * 3) << 16 | (y * 5) << 8 | ((x ^ y) & 255); }
std::uint32_t ColorAt(std::uint32_t x, std::uint32_t y) { return (x * 31) << 16 | (y * 29) << 8 | (x + y) * 15; }

using Due = std::uint32_t (*)(std::uint32_t under, std::uint32_t x, std::uint32_t y);

std::uint32_t Blended(std::uint32_t under, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t alpha = (x * 32 + y * 4) & 255;
  std::uint32_t due = under & 0xFF000000;
  for (const unsigned shift : {0U, 8U, 16U}) {
    const std::uint32_t over = ColorAt(x, y) >> shift & 255, below = under >> shift & 255;
    due |= (over * alpha + below * (255 - alpha) + 127) / 255 << shift;
  }
  return due;
}
std::uint32_t Masked(std::uint32_t under, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t color = ColorAt(x, y) & 0xFFFFFF;
  return (x + y) % 2 == 0 ? (under & 0xFF000000) | color : under ^ color;
}
// The masks' four cases take turns: black, screen, white, screen inverted.
std::uint32_t OfMasks(std::uint32_t under, std::uint32_t x, std::uint32_t y) {
  const bool keeps = (x & 1) != 0, inverts = (y & 1) != 0;
  return ((keeps ? under : under & 0xFF000000)) ^ (inverts ? 0xFFFFFF : 0);
}

class PointerTest : public ::testing::Test {
 protected:
  PointerTest() {
    description_.connectors = CreateConnectors(1);
    description_.local_memory_bytes = 16 << 20;
    description_.aperture_bytes = 64 << 20;
    EXPECT_TRUE(description_.connectors->Plug(output_).ok());
    kernel_ = std::make_unique<FakeKernel>(description_);
    picture_ =
        kernel_->Allocate(*processor::DescribeSurface(kWidth, kHeight, color::Format::kB8G8R8A8Unorm,
                                                      processor::kAllocationPrimary | processor::kAllocationCrossAdapter, 0),
                          Pages::kMemfd);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const std::uint32_t pixel = PictureAt(x, y);
        std::memcpy(picture_.cpu + std::size_t{y} * picture_.data.pitch + std::size_t{x} * 4, &pixel, sizeof(pixel));
      }
    }
    EXPECT_EQ(kernel_->Flip(0, picture_, false), STATUS_SUCCESS);
    EXPECT_TRUE(output_->AwaitShown(1));
  }

  NTSTATUS SetShape(UINT flags, UINT pitch, const void* pixels) {
    DXGKARG_SETPOINTERSHAPE shape{};
    shape.Flags.Value = flags;
    shape.Width = shape.Height = kExtent;
    shape.Pitch = pitch;
    shape.pPixels = pixels;
    return kernel_->ddi().DxgkDdiSetPointerShape(kernel_->adapter(), &shape);
  }
  NTSTATUS Move(INT x, INT y, bool visible) {
    DXGKARG_SETPOINTERPOSITION position{0, x, y, {}};
    position.Flags.Visible = visible ? 1 : 0;
    return kernel_->ddi().DxgkDdiSetPointerPosition(kernel_->adapter(), &position);
  }
  void SetColor() {
    for (std::uint32_t y = 0; y < kExtent; ++y) {
      for (std::uint32_t x = 0; x < kExtent; ++x) argb_[y * kExtent + x] = ((x * 32 + y * 4) & 255) << 24 | ColorAt(x, y);
    }
    ASSERT_EQ(SetShape(2, kExtent * 4, argb_.data()), STATUS_SUCCESS);
  }
  // The pointer lies at (left, top) of the next picture.
  void ExpectShown(INT left, INT top, Due due) {
    ASSERT_TRUE(output_->AwaitShown(++seen_));
    const std::vector<std::uint32_t> pixels = output_->shown()[seen_ - 1].pixels;
    for (std::int32_t y = 0; y < static_cast<std::int32_t>(kHeight); ++y) {
      for (std::int32_t x = 0; x < static_cast<std::int32_t>(kWidth); ++x) {
        const auto px = static_cast<std::uint32_t>(x), py = static_cast<std::uint32_t>(y);
        const bool under = due != nullptr && x >= left && y >= top && x < left + static_cast<INT>(kExtent) &&
                           y < top + static_cast<INT>(kExtent);
        const std::uint32_t expected =
            under ? due(PictureAt(px, py), static_cast<std::uint32_t>(x - left), static_cast<std::uint32_t>(y - top))
                  : PictureAt(px, py);
        ASSERT_EQ(pixels[py * kWidth + px], expected)
            << "(" << x << ", " << y << "), the pointer at (" << left << ", " << top << ")";
      }
    }
  }

  DeviceDescription description_;
  std::shared_ptr<FakeOutput> output_ = std::make_shared<FakeOutput>(kPeriodNs);
  std::unique_ptr<FakeKernel> kernel_;
  FakeAllocation picture_;
  std::array<std::uint32_t, kExtent * kExtent> argb_{};
  std::size_t seen_ = 1;
};

TEST_F(PointerTest, Color_MovesOverTheEdges_BlendsWhatItCovers) {
  SetColor();
  for (const auto& [x, y] : {std::pair(10, 9), std::pair(-3, 5), std::pair(60, -5), std::pair(61, 28), std::pair(-8, 0),
                             std::pair(64, 3), std::pair(-2000000000, 2000000000)}) {
    ASSERT_EQ(Move(x, y, true), STATUS_SUCCESS);
    ExpectShown(x, y, &Blended);
  }
}

TEST_F(PointerTest, NotVisible_ShowsThePictureAlone) {
  SetColor();
  ASSERT_EQ(Move(4, 4, true), STATUS_SUCCESS);
  ExpectShown(4, 4, &Blended);
  ASSERT_EQ(Move(4, 4, false), STATUS_SUCCESS);
  ExpectShown(0, 0, nullptr);
}

TEST_F(PointerTest, MaskedColor_ReplacesOrCombines) {
  for (std::uint32_t y = 0; y < kExtent; ++y) {
    for (std::uint32_t x = 0; x < kExtent; ++x) argb_[y * kExtent + x] = ((x + y) % 2 == 0 ? 0 : 0xFF000000) | ColorAt(x, y);
  }
  ASSERT_EQ(SetShape(4, kExtent * 4, argb_.data()), STATUS_SUCCESS);
  ASSERT_EQ(Move(20, -2, true), STATUS_SUCCESS);
  ExpectShown(20, -2, &Masked);
}

TEST_F(PointerTest, Monochrome_AppliesTheAndMaskBeforeTheXorMask) {
  constexpr UINT kPitch = 4;  // bytes; rows have room behind them
  std::array<std::uint8_t, 2 * kExtent * kPitch> masks{};
  for (std::uint32_t y = 0; y < kExtent; ++y) {
    masks[y * kPitch] = 0x55;
    masks[(kExtent + y) * kPitch] = y % 2 != 0 ? 0xFF : 0;
  }
  ASSERT_EQ(SetShape(1, kPitch, masks.data()), STATUS_SUCCESS);
  ASSERT_EQ(Move(33, 30, true), STATUS_SUCCESS);
  ExpectShown(33, 30, &OfMasks);
}

TEST_F(PointerTest, ShapeBefore_IsReplacedWhereItLies_AndTheApplicationsPictureStays) {
  SetColor();
  ASSERT_EQ(Move(1, 2, true), STATUS_SUCCESS);
  ExpectShown(1, 2, &Blended);
  argb_.fill(0xFF123456);
  ASSERT_EQ(SetShape(2, kExtent * 4, argb_.data()), STATUS_SUCCESS);
  ExpectShown(1, 2, [](std::uint32_t under, std::uint32_t, std::uint32_t) { return (under & 0xFF000000) | 0x123456; });
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, picture_.cpu + std::size_t{3} * picture_.data.pitch + 2 * 4, sizeof(pixel));
  EXPECT_EQ(pixel, PictureAt(2, 3));
}

TEST_F(PointerTest, SourceThatDoesNotExist_IsRefused) {
  DXGKARG_SETPOINTERPOSITION position{1, 0, 0, {}};
  EXPECT_EQ(kernel_->ddi().DxgkDdiSetPointerPosition(kernel_->adapter(), &position), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetShape(8, kExtent * 4, argb_.data()), STATUS_NOT_SUPPORTED);
}

// Ten bits a channel: what the pointer leaves alone keeps its last two bits.
TEST(PointerPainter, TenBits_ChangesTheCoveredPixelsAlone) {
  constexpr std::uint32_t kPixel = 0xD5A94B37;
  std::array<std::uint32_t, 16> pixels{};
  pixels.fill(kPixel);
  const std::array<std::uint32_t, 4> argb{0xFFFFFFFF, 0x00FFFFFF, 0xFF000000, 0x00000000};
  DXGKARG_SETPOINTERSHAPE shape{};
  shape.Flags.Color = 1;
  shape.Width = shape.Height = 2;
  shape.Pitch = 8;
  shape.pPixels = argb.data();
  const Pointer pointer{PointerImage::Read(shape), 1, 2, true};
  const color::BlitRect seen = pointer.SeenPart(4, 4);
  EXPECT_EQ(seen, (color::BlitRect{1, 2, 3, 4}));
  PointerPainter over;
  over.Draw(pointer, seen, reinterpret_cast<std::byte*>(pixels.data()), 16, color::Format::kR10G10B10A2Unorm);
  std::array<std::uint32_t, 16> due{};
  due.fill(kPixel);
  due[2 * 4 + 1] = (kPixel & 0xC0000000) | 0x3FFFFFFF;
  due[3 * 4 + 1] = kPixel & 0xC0000000;
  EXPECT_EQ(pixels, due);
}

}  // namespace
}  // namespace tandem::soft
