// Copies and flips, the way of a frame: on one adapter and across two.
#include <gtest/gtest.h>

#include <array>

#include "base/clock.h"
#include "drivers/soft/testing/fake_output.h"
#include "kernel/kernel.h"
#include "tests/conformance/user_mode.h"

namespace tandem::conformance {
namespace {

constexpr UINT kCopyNode = 1;

class Present : public ::testing::TestWithParam<std::size_t> {
 protected:
  Present() {
    auto kernel = kernel::Kernel::Create(MonotonicClock());
    EXPECT_TRUE(kernel.ok());
    kernel_ = *std::move(kernel);
    auto loaded = kernel_->LoadDriver(driver().entry, driver().name);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    loaded_ = *loaded;
    display_output_ = std::make_shared<soft::testing::FakeOutput>(4'000'000);
    render_device_ = driver().make_device(nullptr);
    display_device_ = driver().make_device(display_output_);
    render_ = Add(*render_device_, "render");
    display_ = Add(*display_device_, "display");
  }
  ~Present() override { kernel_.reset(); }

  LUID Add(BusDevice& device, const std::string& name) {
    auto luid = kernel_->AddAdapter(*loaded_, device.extension(), name);
    EXPECT_TRUE(luid.ok()) << luid.error().message;
    return luid.ok() ? *luid : LUID{};
  }
  [[nodiscard]] const DriverUnderTest& driver() const { return Drivers()[GetParam()]; }

  std::unique_ptr<BusDevice> render_device_, display_device_;
  std::shared_ptr<soft::testing::FakeOutput> display_output_;
  std::unique_ptr<kernel::Kernel> kernel_;
  kernel::Driver* loaded_ = nullptr;
  LUID render_{}, display_{};
};

TEST_P(Present, Copy_TwoSubRects_MovesExactlyThose) {
  UserDevice user(driver(), render_, kCopyNode);
  const Surface source = user.Create({40, 20, SurfaceUse::kImage});
  const Surface destination = user.Create({40, 20, SurfaceUse::kCrossAdapter});
  user.Paint(source, 0xAA000000);
  user.Paint(destination, 0x55000000);
  const std::array<RECT, 2> rects{RECT{1, 2, 5, 6}, RECT{30, 10, 60, 12}};
  ASSERT_EQ(user.Copy(source, destination, rects), STATUS_SUCCESS);
  ASSERT_EQ(user.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(user.Wait(1), STATUS_SUCCESS);
  for (std::uint32_t y = 0; y < 20; ++y) {
    for (std::uint32_t x = 0; x < 40; ++x) {
      const bool inside = (x >= 1 && x < 5 && y >= 2 && y < 6) || (x >= 30 && y >= 10 && y < 12);
      ASSERT_EQ(user.Pixel(destination, x, y), (inside ? 0xAA000000 : 0x55000000) ^ (y << 16) ^ x) << x << "," << y;
    }
  }
}

TEST_P(Present, Copy_MoreRectsThanABufferHolds_ArriveInSeveralPasses) {
  UserDevice user(driver(), render_, kCopyNode);
  const Surface source = user.Create({128, 128, SurfaceUse::kImage});
  const Surface destination = user.Create({128, 128, SurfaceUse::kCrossAdapter});
  user.Paint(source, 0x11000000);
  std::vector<RECT> rects;
  for (LONG y = 0; y < 128; ++y) {
    for (LONG x = 0; x < 128; ++x) rects.push_back({x, y, x + 1, y + 1});
  }
  ASSERT_EQ(user.Copy(source, destination, rects), STATUS_SUCCESS);
  ASSERT_EQ(user.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(user.Wait(1), STATUS_SUCCESS);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(user.Pixel(destination, i, 127 - i), 0x11000000u ^ ((127 - i) << 16) ^ i);
}

TEST_P(Present, CrossAdapter_OneCopy_ShowsTheRenderedFrame) {
  UserDevice render(driver(), render_, kCopyNode);
  UserDevice display(driver(), display_, kCopyNode);
  const SurfaceRequest cross{64, 32, SurfaceUse::kCrossAdapter};
  const Surface image = render.Create({64, 32, SurfaceUse::kImage});
  const Surface primary = display.Create(cross);
  const Surface shared = render.Open(primary);
  render.Paint(image, 0x77000000);
  ASSERT_EQ(render.Copy(image, shared, {}), STATUS_SUCCESS);
  ASSERT_EQ(render.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(render.Wait(1), STATUS_SUCCESS);
  ASSERT_EQ(display.Flip(primary, D3DDDI_FLIPINTERVAL_ONE), STATUS_SUCCESS);
  ASSERT_EQ(display.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(display.Wait(1), STATUS_SUCCESS);
  ASSERT_TRUE(display_output_->AwaitShown(1));
  EXPECT_EQ(display_output_->shown().back().first_pixel, 0x77000000u);
  EXPECT_EQ(display.Pixel(primary, 63, 31), 0x77000000u ^ (31u << 16) ^ 63u);
  EXPECT_EQ(render.Destroy(shared), STATUS_SUCCESS);
  EXPECT_EQ(display.Destroy(primary), STATUS_SUCCESS);
}

TEST_P(Present, Flips_ManyFrames_AreShownInOrderAndFencesRise) {
  UserDevice display(driver(), display_, kCopyNode);
  std::array<Surface, 3> buffers;
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = display.Create({32, 16, SurfaceUse::kPrimary});
    display.Paint(buffers[i], i + 1);
  }
  UINT64 seen = 0;
  for (UINT64 frame = 1; frame <= 12; ++frame) {
    ASSERT_EQ(display.Flip(buffers[frame % 3], D3DDDI_FLIPINTERVAL_ONE), STATUS_SUCCESS);
    ASSERT_EQ(display.Signal(frame), STATUS_SUCCESS);
    const UINT64 now = *display.fence_value;
    EXPECT_GE(now, seen);
    EXPECT_LE(now, frame);
    seen = now;
    if (frame > 2) {
      ASSERT_EQ(display.Wait(frame - 2), STATUS_SUCCESS);
    }
  }
  ASSERT_EQ(display.Wait(12), STATUS_SUCCESS);
}

TEST_P(Present, TwoCopy_FlipBehindACopy_WaitsForIt) {
  UserDevice display(driver(), display_, kCopyNode);
  const Surface staging = display.Create({64, 32, SurfaceUse::kCrossAdapter});
  const Surface primary = display.Create({64, 32, SurfaceUse::kPrimary});
  display.Paint(staging, 0x33000000);
  ASSERT_EQ(display.Copy(staging, primary, {}), STATUS_SUCCESS);
  ASSERT_EQ(display.Flip(primary, D3DDDI_FLIPINTERVAL_ONE), STATUS_SUCCESS);
  ASSERT_EQ(display.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(display.Wait(1), STATUS_SUCCESS);
  ASSERT_TRUE(display_output_->AwaitShown(1));
  for (const auto& shown : display_output_->shown()) EXPECT_EQ(shown.first_pixel, 0x33000000u);
}

INSTANTIATE_TEST_SUITE_P(Drivers, Present, ::testing::Range<std::size_t>(0, Drivers().size()),
                         [](const auto& driver) { return Drivers()[driver.param].name; });

}  // namespace
}  // namespace tandem::conformance
