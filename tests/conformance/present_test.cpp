// Copies and flips, the way of a frame: on one adapter and across two.
#include <gtest/gtest.h>

#include <array>

#include "base/clock.h"
#include "drivers/soft/testing/fake_output.h"
#include "kernel/kernel.h"
#include "tests/conformance/user_mode.h"

namespace tandem::conformance {

void PrintTo(const AdapterPair& pair, std::ostream* out) { *out << pair.name(); }

namespace {

constexpr UINT kCopyNode = 1;

class Present : public ::testing::TestWithParam<AdapterPair> {
 protected:
  Present() {
    auto kernel = kernel::Kernel::Create(MonotonicClock());
    EXPECT_TRUE(kernel.ok());
    kernel_ = *std::move(kernel);
    display_output_ = std::make_shared<soft::testing::FakeOutput>(4'000'000);
    render_device_ = render_driver().make_device(nullptr);
    display_device_ = display_driver().make_device(display_output_);
    kernel::Driver* const display = Load(display_driver());
    kernel::Driver* const render = GetParam().render == GetParam().display ? display : Load(render_driver());
    render_ = Add(*render, *render_device_, "render");
    display_ = Add(*display, *display_device_, "display");
  }
  ~Present() override { kernel_.reset(); }

  kernel::Driver* Load(const DriverUnderTest& driver) {
    auto loaded = kernel_->LoadDriver(driver.entry, driver.name);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    return loaded.ok() ? *loaded : nullptr;
  }
  LUID Add(kernel::Driver& driver, BusDevice& device, const std::string& name) {
    auto luid = kernel_->AddAdapter(driver, device.extension(), name);
    EXPECT_TRUE(luid.ok()) << luid.error().message;
    return luid.ok() ? *luid : LUID{};
  }
  [[nodiscard]] static const DriverUnderTest& render_driver() { return *GetParam().render; }
  [[nodiscard]] static const DriverUnderTest& display_driver() { return *GetParam().display; }

  std::unique_ptr<BusDevice> render_device_, display_device_;
  std::shared_ptr<soft::testing::FakeOutput> display_output_;
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID render_{}, display_{};
};

TEST_P(Present, Copy_TwoSubRects_MovesExactlyThose) {
  UserDevice user(render_driver(), render_, kCopyNode);
  const Surface source = user.Create({40, 20, SurfaceUse::kCrossAdapter});
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
  UserDevice user(render_driver(), render_, kCopyNode);
  const Surface source = user.Create({128, 128, SurfaceUse::kCrossAdapter});
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
  UserDevice render(render_driver(), render_, kCopyNode);
  UserDevice display(display_driver(), display_, kCopyNode);
  const SurfaceRequest cross{64, 32, SurfaceUse::kCrossAdapter};
  const Surface image = render.Create(cross);
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
  UserDevice display(display_driver(), display_, kCopyNode);
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
  UserDevice display(display_driver(), display_, kCopyNode);
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

TEST_P(Present, CrossAdapter_BothKindsOfPages_HoldTheSameBytesOnBothAdapters) {
  for (const kernel::BackingStoreKind kind : {kernel::BackingStoreKind::kMemfd, kernel::BackingStoreKind::kAnonymous}) {
    kernel_->SetBackingStorePreference(kind);
    UserDevice render(render_driver(), render_, kCopyNode);
    UserDevice display(display_driver(), display_, kCopyNode);
    // Widths whose rows do not fill a pitch, made by each side in turn.
    for (const std::uint32_t width : {33u, 64u, 100u, 257u}) {
      const SurfaceRequest request{width, 19, SurfaceUse::kCrossAdapter};
      const Surface made_here = display.Create(request), opened_there = render.Open(made_here);
      const Surface made_there = render.Create(request), opened_here = display.Open(made_there);
      display.Paint(made_here, 0x12000000);
      EXPECT_EQ(render.Pixel(opened_there, width - 1, 18), display.Pixel(made_here, width - 1, 18));
      ASSERT_EQ(render.Copy(opened_there, made_there, {}), STATUS_SUCCESS);
      ASSERT_EQ(render.Signal(width), STATUS_SUCCESS);
      ASSERT_EQ(render.Wait(width), STATUS_SUCCESS);
      for (std::uint32_t y = 0; y < 19; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) ASSERT_EQ(display.Pixel(opened_here, x, y), 0x12000000 ^ (y << 16) ^ x);
      }
    }
  }
}

TEST_P(Present, CrossAdapter_MakerGoesFirst_PagesStay) {
  UserDevice render(render_driver(), render_, kCopyNode);
  auto display = std::make_unique<UserDevice>(display_driver(), display_, kCopyNode);
  const Surface made = display->Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface opened = render.Open(made);
  display->Paint(made, 0x21000000);
  display.reset();
  EXPECT_EQ(render.Pixel(opened, 31, 7), 0x21000000u ^ (7u << 16) ^ 31u);
  EXPECT_EQ(render.Destroy(opened), STATUS_SUCCESS);
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = render.device;
  query.hGlobalShare = made.global_share;
  EXPECT_EQ(D3DKMTQueryResourceInfo(&query), STATUS_INVALID_HANDLE);
}

TEST_P(Present, CrossAdapter_DisplayUnplugged_RenderGoesOn) {
  UserDevice render(render_driver(), render_, kCopyNode);
  UserDevice display(display_driver(), display_, kCopyNode);
  const Surface made = display.Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface source = render.Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface opened = render.Open(made);
  render.Paint(source, 0x42000000);
  ASSERT_TRUE(kernel_->RemoveAdapter(display_).ok());
  EXPECT_EQ(display.Flip(made, D3DDDI_FLIPINTERVAL_ONE), STATUS_DEVICE_REMOVED);
  ASSERT_EQ(render.Copy(source, opened, {}), STATUS_SUCCESS);
  ASSERT_EQ(render.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(render.Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(render.Pixel(opened, 5, 3), 0x42000000u ^ (3u << 16) ^ 5u);
}

TEST_P(Present, Counters_CountWhatTheDriverWasAsked) {
  UserDevice user(render_driver(), render_, kCopyNode);
  const Surface source = user.Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface destination = user.Create({32, 8, SurfaceUse::kCrossAdapter});
  const auto before = *kernel_->Counters(render_);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(user.Copy(source, destination, {}), STATUS_SUCCESS);
  const auto after = *kernel_->Counters(render_);
  EXPECT_EQ(after.ddi_presents - before.ddi_presents, 3u);
  EXPECT_EQ(after.submissions - before.submissions, 3u);
}

INSTANTIATE_TEST_SUITE_P(Drivers, Present, ::testing::ValuesIn(Pairs()), [](const auto& pair) { return pair.param.name(); });

// A machine without a Vulkan driver says so.
TEST(Drivers, Vulkan_IsThere) {
  if (Drivers().size() < 2) GTEST_SKIP() << "No Vulkan device, or a sanitizer build: the vulkan driver was not tested.";
}

}  // namespace
}  // namespace tandem::conformance
