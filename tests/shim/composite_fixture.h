// A runtime that opened a user-mode driver made of two, and a program that draws numbered pictures through it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "shim/composite.h"
#include "swapchain/resource.h"
#include "swapchain/runtime.h"
#include "swapchain/shim_host.h"
#include "tests/shim/partners.h"
#include "tests/swapchain/pattern.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::shim_test {

constexpr std::uint32_t kWidth = 40;
constexpr std::uint32_t kHeight = 30;

inline HRESULT OpenShimOfPartners(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, nullptr); }

class CompositeTest : public ::testing::Test {
 protected:
  CompositeTest() {
    display_partner = {};
    render_partner = {};
  }
  ~CompositeTest() override {
    device_.reset();
    EXPECT_EQ(shim::SetShimHost(nullptr), S_OK);
  }

  void Plug(const swapchain_test::PairOptions& options) {
    pair_ = swapchain_test::SoftPair::Create(options);
    ASSERT_NE(pair_, nullptr);
    const TANDEM_SHIM_HOST host =
        swapchain::MakeShimHost(pair_->render().binding().luid, RenderPartnerOpenAdapter, DisplayPartnerOpenAdapter);
    ASSERT_EQ(shim::SetShimHost(&host), S_OK);
  }
  // The runtime opens the display adapter.
  Result<void> Open() {
    auto opened = swapchain::RuntimeDevice::Create({pair_->display_luid(), OpenShimOfPartners, "composite", {}, 0});
    if (!opened.ok()) return opened.error();
    device_ = *std::move(opened);
    return {};
  }
  [[nodiscard]] swapchain::Runtime& runtime() { return device_->runtime(); }

  [[nodiscard]] std::unique_ptr<swapchain::Resource> MakePrimary(swapchain::Sharing sharing) {
    swapchain::ResourceDesc desc;
    desc.width = kWidth;
    desc.height = kHeight;
    desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc.bind_flags = D3D10_DDI_BIND_PRESENT | D3D10_DDI_BIND_RENDER_TARGET;
    desc.sharing = sharing;
    desc.primary = true;
    swapchain::ScanOut scan_out = swapchain::ScanOut::kYes;
    auto made = swapchain::Resource::Create(runtime(), desc, scan_out);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? *std::move(made) : nullptr;
  }

  // Draws the picture of a number into a back buffer: a copy out of a texture.
  void Draw(std::uint32_t number, const swapchain::Resource& target) {
    std::vector<std::uint32_t> pixels(kWidth * kHeight);
    swapchain_test::Paint({reinterpret_cast<std::byte*>(pixels.data()), kWidth, kHeight, kWidth * 4, 4, 0}, number);
    const D3D10_DDIARG_SUBRESOURCE_UP initial{pixels.data(), kWidth * 4, 0};
    const D3D10DDI_MIPINFO mip{kWidth, kHeight, 1, kWidth, kHeight, 1};
    D3D11DDIARG_CREATERESOURCE args{};
    args.pMipInfoList = &mip;
    args.pInitialDataUP = &initial;
    args.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
    args.BindFlags = D3D10_DDI_BIND_SHADER_RESOURCE;
    args.Format = DXGI_FORMAT_B8G8R8A8_UNORM;
    args.SampleDesc.Count = args.MipLevels = args.ArraySize = 1;
    auto texture = swapchain::Resource::CreateAs(runtime(), args);
    ASSERT_TRUE(texture.ok()) << texture.error().message;
    DXGI_DDI_ARG_BLT1 blt{};
    blt.hSrcResource = reinterpret_cast<DXGI_DDI_HRESOURCE>((*texture)->handle().pDrvPrivate);
    blt.hDstResource = reinterpret_cast<DXGI_DDI_HRESOURCE>(target.handle().pDrvPrivate);
    blt.DstRight = blt.SrcRight = kWidth;
    blt.DstBottom = blt.SrcBottom = kHeight;
    blt.Flags.Convert = 1;
    blt.Rotate = DXGI_DDI_MODE_ROTATION_IDENTITY;
    ASSERT_EQ(runtime().DxgiBlt(blt), S_OK);
  }
  Result<void> Flip(const swapchain::Resource& source) {
    swapchain::PresentCall flip;
    flip.source = source.handle();
    return runtime().DxgiPresent(flip);
  }
  [[nodiscard]] HRESULT Rotate(const swapchain::Resource& first, const swapchain::Resource& second) {
    const std::array handles{reinterpret_cast<DXGI_DDI_HRESOURCE>(first.handle().pDrvPrivate),
                             reinterpret_cast<DXGI_DDI_HRESOURCE>(second.handle().pDrvPrivate)};
    return runtime().DxgiRotate(handles);
  }
  // Waits until the picture of a number is on the screen.
  [[nodiscard]] bool AwaitShown(std::uint32_t number) {
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + swapchain_test::kPatienceNs;
    while (MonotonicClock().NowNs() < deadline_ns) {
      const auto shown = pair_->output().Numbers();
      if (!shown.empty() && shown.back() == number) return true;
      std::this_thread::yield();
    }
    return false;
  }

  std::unique_ptr<swapchain_test::SoftPair> pair_;
  std::unique_ptr<swapchain::RuntimeDevice> device_;
};

}  // namespace tandem::shim_test
