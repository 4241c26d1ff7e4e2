// Two Vulkan adapters whose driver has the composite inside: one renders, the other one shows in a window.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "drivers/vulkan/testing/test_gpu.h"
#include "drivers/vulkan/testing/x_window.h"
#include "drivers/vulkan/vulkan_device.h"
#include "kernel/kernel.h"
#include "shim/composite.h"
#include "swapchain/resource.h"
#include "swapchain/runtime.h"
#include "swapchain/shim_host.h"

namespace tandem::shim_test {
namespace {

using swapchain::Resource;
using vulkan::testing::Driver;

constexpr std::uint32_t kWidth = 64;  // rows need no padding
constexpr std::uint32_t kHeight = 48;
constexpr std::int64_t kPatienceNs = 20'000'000'000;

// The driver's entry. Without a host it is the plain driver.
HRESULT OpenVulkanWithShim(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, vulkan::VulkanOpenAdapter10_2); }

std::uint32_t Painted(std::uint32_t number, std::uint32_t x, std::uint32_t y) {
  return 0xFF000000 | (number * 0x30703 + (y << 9) + x * 5);
}

class VulkanInside : public ::testing::TestWithParam<std::tuple<Driver, Driver>> {
 protected:
  void SetUp() override {
    std::string why_not;
    render_.own = FindDevice(std::get<0>(GetParam()), why_not);
    display_.own = FindDevice(std::get<1>(GetParam()), why_not);
    if (!render_.own || !display_.own) GTEST_SKIP() << why_not;
    window_ = vulkan::testing::XWindow::Create(kWidth, kHeight);
    if (window_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
    display_.connectors = vulkan::CreateWsiConnectors(1);
    auto kernel = kernel::Kernel::Create(MonotonicClock());
    ASSERT_TRUE(kernel.ok());
    kernel_ = *std::move(kernel);
    auto driver = kernel_->LoadDriver(vulkan::VulkanDriverEntry, "vulkan");
    ASSERT_TRUE(driver.ok());
    const auto render = kernel_->AddAdapter(**driver, &render_, "render");
    ASSERT_TRUE(render.ok()) << render.error().message;
    const auto display = kernel_->AddAdapter(**driver, &display_, "display");
    ASSERT_TRUE(display.ok()) << display.error().message;
    render_luid_ = *render;
    display_luid_ = *display;
    const auto plugged = display_.connectors->Plug(window_->target());
    ASSERT_TRUE(plugged.ok()) << plugged.error().message;
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(shim::SetShimHost(nullptr), S_OK);
    if (kernel_ == nullptr) return;
    display_.connectors->Unplug(0);
    kernel_.reset();
  }

  // The runtime opens the display adapter by the driver's entry. The host names no drivers: this one is both.
  void OpenBoth() {
    const TANDEM_SHIM_HOST host = swapchain::MakeShimHost(render_luid_, nullptr, nullptr);
    ASSERT_EQ(shim::SetShimHost(&host), S_OK);
    auto opened = swapchain::RuntimeDevice::Create({display_luid_, OpenVulkanWithShim, "vulkan", {}, 0});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    device_ = *std::move(opened);
  }
  [[nodiscard]] std::unique_ptr<Resource> Make(bool primary) {
    swapchain::ResourceDesc desc;
    desc.width = kWidth;
    desc.height = kHeight;
    desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc.bind_flags = D3D10_DDI_BIND_RENDER_TARGET | (primary ? UINT{D3D10_DDI_BIND_PRESENT} : UINT{0});
    desc.sharing = primary ? swapchain::Sharing::kPrivate : swapchain::Sharing::kCrossAdapter;
    desc.primary = primary;
    swapchain::ScanOut scan_out = swapchain::ScanOut::kYes;
    auto made = Resource::Create(device_->runtime(), desc, scan_out);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? *std::move(made) : nullptr;
  }
  // The program draws: a copy out of a texture into the back buffer.
  void Draw(std::uint32_t number, const Resource& texture, const Resource& back_buffer) {
    const auto pixels = texture.Map();
    ASSERT_TRUE(pixels.ok()) << pixels.error().message;
    for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) {
      const std::uint32_t pixel = Painted(number, i % kWidth, i / kWidth);
      std::memcpy(*pixels + std::size_t{i} * 4, &pixel, 4);
    }
    DXGI_DDI_ARG_BLT1 blt{};
    blt.hSrcResource = reinterpret_cast<DXGI_DDI_HRESOURCE>(texture.handle().pDrvPrivate);
    blt.hDstResource = reinterpret_cast<DXGI_DDI_HRESOURCE>(back_buffer.handle().pDrvPrivate);
    blt.SrcRight = blt.DstRight = kWidth;
    blt.SrcBottom = blt.DstBottom = kHeight;
    blt.Flags.Convert = 1;
    blt.Rotate = DXGI_DDI_MODE_ROTATION_IDENTITY;
    ASSERT_EQ(device_->runtime().DxgiBlt(blt), S_OK);
  }
  [[nodiscard]] bool AwaitInWindow(std::uint32_t number) const {
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kPatienceNs;
    bool same = false;
    while (!same && MonotonicClock().NowNs() < deadline_ns) {
      const auto shot = window_->Screenshot(kWidth, kHeight);
      same = shot.size() == std::size_t{kWidth} * kHeight;
      for (std::uint32_t i = 0; same && i < shot.size(); ++i) {
        same = (shot[i] & 0xFFFFFF) == (Painted(number, i % kWidth, i / kWidth) & 0xFFFFFF);
      }
    }
    return same;
  }

  vulkan::DeviceDescription render_;
  vulkan::DeviceDescription display_;
  std::unique_ptr<vulkan::testing::XWindow> window_;
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID render_luid_{};
  LUID display_luid_{};
  std::unique_ptr<swapchain::RuntimeDevice> device_;
};

TEST_P(VulkanInside, EachFrame_IsDrawnByOneAdapterAndShownInTheOthersWindow) {
  ASSERT_NO_FATAL_FAILURE(OpenBoth());
  const auto draws = kernel_->Counters(render_luid_)->submissions;
  {
    const auto texture = Make(false);
    const std::array back_buffers{Make(true), Make(true)};
    ASSERT_TRUE(texture != nullptr && back_buffers[0] != nullptr && back_buffers[1] != nullptr);
    for (std::uint32_t number = 1; number <= 8; ++number) {
      const Resource& back_buffer = *back_buffers[number % back_buffers.size()];
      ASSERT_NO_FATAL_FAILURE(Draw(number, *texture, back_buffer));
      swapchain::PresentCall flip;
      flip.source = back_buffer.handle();
      const auto flipped = device_->runtime().DxgiPresent(flip);
      ASSERT_TRUE(flipped.ok()) << flipped.error().message;
      ASSERT_TRUE(AwaitInWindow(number)) << number;
    }
  }
  // The program's copy of each frame, and the shim's out of it.
  EXPECT_GE(kernel_->Counters(render_luid_)->submissions, draws + 16);
  EXPECT_EQ(*kernel_->Violation(render_luid_), "");
  EXPECT_EQ(*kernel_->Violation(display_luid_), "");
}

// Nobody asks for the composite: the entry is the plain driver's, and the other adapter does nothing.
TEST_P(VulkanInside, WithoutAHost_IsThePlainDriver) {
  const auto draws = kernel_->Counters(render_luid_)->submissions;
  auto opened = swapchain::RuntimeDevice::Create({display_luid_, OpenVulkanWithShim, "vulkan", {}, 0});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  device_ = *std::move(opened);
  EXPECT_NE(Make(true), nullptr);
  EXPECT_EQ(kernel_->Counters(render_luid_)->submissions, draws);
}

INSTANTIATE_TEST_SUITE_P(Drivers, VulkanInside,
                         ::testing::Combine(::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                                            ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader)),
                         [](const auto& pair) {
                           return vulkan::testing::NameOf(std::get<0>(pair.param)) + "To" +
                                  vulkan::testing::NameOf(std::get<1>(pair.param));
                         });

}  // namespace
}  // namespace tandem::shim_test
