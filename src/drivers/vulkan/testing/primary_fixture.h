// A source of the driver shown in one window or in two, with a primary to render into.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/clock.h"
#include "color/blit.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/testing/fake_kernel.h"
#include "drivers/vulkan/testing/test_gpu.h"
#include "drivers/vulkan/testing/x_window.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan::testing {

inline constexpr std::uint32_t kWidth = 120;
inline constexpr std::uint32_t kHeight = 80;
inline constexpr std::int64_t kPatienceNs = 20'000'000'000;

class PrimaryTest : public ::testing::TestWithParam<Driver> {
 protected:
  void SetUp() override {
    std::string why_not;
    description_.own = FindDevice(GetParam(), why_not);
    if (!description_.own) GTEST_SKIP() << why_not;
    window_ = XWindow::Create(kWidth, kHeight);
    if (window_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
    description_.connectors = CreateWsiConnectors(connectors_);
    kernel_ = FakeKernel::Start(description_, Pages::kAnonymous);
    ASSERT_NE(kernel_, nullptr);
    const auto connector = description_.connectors->Plug(window_->target());
    ASSERT_TRUE(connector.ok()) << connector.error().message;
    kernel_->SetVisible(0, true);
    primary_ = Make(AllocationKind::kPrimary);
    source_ = Make(AllocationKind::kLinear);
    for (std::uint64_t i = 0; i < source_->data.size; ++i) source_->pages[i] = static_cast<std::byte>(i * 11 >> 2);
  }
  void TearDown() override {
    if (kernel_ == nullptr) return;
    kernel_->Destroy(std::move(source_));
    kernel_->Destroy(std::move(primary_));
    description_.connectors->Unplug(0);
    kernel_.reset();
  }

  std::unique_ptr<TestResource> Make(AllocationKind kind) {
    const auto data = DescribeSurface(kind, kWidth, kHeight, color::Format::kB8G8R8A8Unorm, 0);
    return kernel_->CreateRaw(*data);
  }
  // A link surface for pictures of kWidth x kHeight in `slices` slices.
  std::unique_ptr<TestResource> MakeLinkSurface(std::uint32_t slices) {
    auto surface = kernel_->CreateRaw(*DescribeSurface(AllocationKind::kLinear, kWidth, kHeight, link::kLinkFormat, 0));
    if (surface != nullptr) link::InitializeLinkSurface(BytesOf(*surface), link::LinkSliceRows(kHeight, slices));
    return surface;
  }
  static std::span<std::byte> BytesOf(const TestResource& surface) { return {surface.pages, surface.data.size}; }
  // Sends the source over the link surface to the primary as a lossless frame. Returns the expected picture.
  std::vector<std::uint32_t> CrossLink(TestResource& surface, std::uint32_t frame) {
    link::RequestLinkFrame(BytesOf(surface), frame, link::LinkEncoding::kLossless);
    DXGKARG_PRESENT args = Whole();
    args.Flags.Blt = 1;
    Present(source_.get(), surface, args);
    Present(&surface, *primary_, args);
    std::vector<std::uint32_t> picture;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) picture.push_back(SourcePixel(x, y) | 0xFF000000);
    }
    return picture;
  }
  static DXGKARG_PRESENT Whole() {
    DXGKARG_PRESENT args{};
    args.SrcRect = args.DstRect = {0, 0, kWidth, kHeight};
    return args;
  }
  void Present(TestResource* source, TestResource& destination, const DXGKARG_PRESENT& args) {
    const UINT fence = kernel_->Present(source, destination, args);
    ASSERT_NE(fence, 0u) << std::hex << kernel_->last_status();
    ASSERT_TRUE(kernel_->WaitFence(fence));
  }
  // Waits until the window shows `picture`.
  static bool Shows(XWindow& window, const std::vector<std::uint32_t>& picture) {
    bool same = false;
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kPatienceNs;
    while (!same && MonotonicClock().NowNs() < deadline_ns) {
      const auto shot = window.Screenshot(kWidth, kHeight);
      same = shot.size() == picture.size();
      for (std::size_t i = 0; same && i < picture.size(); ++i) same = (shot[i] & 0xFFFFFF) == (picture[i] & 0xFFFFFF);
    }
    return same;
  }
  // Flips to the primary, waits until the window shows `picture` (rows of kWidth pixels), and reads the primary.
  void ExpectShown(const std::vector<std::uint32_t>& picture) {
    kernel_->Flip(*primary_, false);
    EXPECT_TRUE(Shows(*window_, picture)) << "the window shows another picture";
    auto seen = Make(AllocationKind::kLinear);
    DXGKARG_PRESENT args = Whole();
    args.Flags.Blt = 1;
    Present(primary_.get(), *seen, args);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      EXPECT_EQ(
          std::memcmp(seen->pages + std::size_t{y} * seen->data.pitch, picture.data() + std::size_t{y} * kWidth, kWidth * 4), 0)
          << "row " << y;
    }
    kernel_->Destroy(std::move(seen));
  }
  std::uint32_t SourcePixel(std::uint32_t x, std::uint32_t y) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, source_->pages + std::size_t{y} * source_->data.pitch + std::size_t{x} * 4, 4);
    return pixel;
  }

  std::uint32_t connectors_ = 1;
  DeviceDescription description_;
  std::unique_ptr<XWindow> window_;
  std::unique_ptr<FakeKernel> kernel_;
  std::unique_ptr<TestResource> primary_;
  std::unique_ptr<TestResource> source_;
};

class CloneTest : public PrimaryTest {
 protected:
  void SetUp() override {
    connectors_ = 2;
    PrimaryTest::SetUp();
    if (kernel_ == nullptr) return;
    second_ = XWindow::Create(kWidth, kHeight);
    ASSERT_NE(second_, nullptr);
    kernel_->SetVisible(0, false);
    Connect(color::Rotation::kIdentity);
    kernel_->SetVisible(0, true);
    ASSERT_TRUE(description_.connectors->Plug(second_->target()).ok());
  }
  void TearDown() override {
    if (kernel_ != nullptr) description_.connectors->Unplug(1);
    PrimaryTest::TearDown();
  }
  void Connect(color::Rotation offset) {
    const std::array<drivers::PathTarget, 2> targets{{{0, color::Rotation::kIdentity}, {1, offset}}};
    static_cast<Miniport*>(kernel_->adapter())->display()->Connect(0, targets);
  }
  std::unique_ptr<XWindow> second_;
};

}  // namespace tandem::vulkan::testing
