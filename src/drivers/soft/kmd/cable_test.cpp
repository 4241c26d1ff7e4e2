// The soft adapter's cables: what the driver tells of them, and what is seen meanwhile.
#include <cstring>

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/common/escapes.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "drivers/soft/testing/fake_output.h"

namespace tandem::soft {
namespace {

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::FakeOutput;
using testing::Pages;

class CableTest : public ::testing::Test {
 protected:
  CableTest() {
    description_.connectors = CreateConnectors(2);
    description_.local_memory_bytes = 16 << 20;
    description_.aperture_bytes = 64 << 20;
    EXPECT_TRUE(description_.connectors->Plug(output_).ok());
    kernel_ = std::make_unique<FakeKernel>(description_);
  }
  BOOLEAN Connected(ULONG child) {
    DXGK_CHILD_STATUS status{};
    status.Type = StatusConnection;
    status.ChildUid = child;
    EXPECT_EQ(kernel_->ddi().DxgkDdiQueryChildStatus(kernel_->adapter(), &status, TRUE), STATUS_SUCCESS);
    return status.HotPlug.Connected;
  }
  NTSTATUS Escape(std::uint32_t target, bool plugged) {
    drivers::CableEscape cable;
    cable.target = target;
    cable.plugged = plugged ? 1 : 0;
    DXGKARG_ESCAPE escape{};
    escape.pPrivateDriverData = &cable;
    escape.PrivateDriverDataSize = sizeof(cable);
    return kernel_->ddi().DxgkDdiEscape(kernel_->adapter(), &escape);
  }

  DeviceDescription description_;
  std::shared_ptr<FakeOutput> output_ = std::make_shared<FakeOutput>(2'000'000);
  std::unique_ptr<FakeKernel> kernel_;
};

TEST_F(CableTest, Escape_PullsAndPutsBack_EachChangeIsIndicatedOnce) {
  EXPECT_EQ(Connected(0), TRUE);
  ASSERT_EQ(Escape(0, false), STATUS_SUCCESS);
  EXPECT_EQ(Connected(0), FALSE);
  EXPECT_EQ(Connected(1), TRUE) << "A connector without output has its cable.";
  ASSERT_EQ(Escape(0, false), STATUS_SUCCESS);
  ASSERT_EQ(Escape(0, true), STATUS_SUCCESS);
  ASSERT_EQ(kernel_->indicated().size(), 2U);
  EXPECT_EQ(kernel_->indicated()[0].Type, StatusConnection);
  EXPECT_EQ(kernel_->indicated()[0].ChildUid, 0U);
  EXPECT_EQ(kernel_->indicated()[0].HotPlug.Connected, FALSE);
  EXPECT_EQ(kernel_->indicated()[1].HotPlug.Connected, TRUE);
  EXPECT_EQ(Escape(2, false), STATUS_INVALID_PARAMETER);
}

TEST_F(CableTest, CableThatIsOut_ShowsNothing_AndFlipsAreReported) {
  const FakeAllocation surface = kernel_->Allocate(
      *processor::DescribeSurface(64, 32, color::Format::kB8G8R8A8Unorm, processor::kAllocationPrimary, 0), Pages::kMemfd);
  description_.connectors->SetCable(0, false);
  ASSERT_EQ(kernel_->Flip(0, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(0, surface.address));
  EXPECT_TRUE(output_->shown().empty());
  description_.connectors->SetCable(0, true);
  kernel_->ClearInterrupts();
  ASSERT_EQ(kernel_->Flip(0, surface, false), STATUS_SUCCESS);
  EXPECT_TRUE(output_->AwaitShown(1));
}

// The output of these tests has 64 x 32 pixels and 500 Hz.
TEST_F(CableTest, SystemDisplay_TakesTheOutputsExtent_AndShowsBlocksInside) {
  UINT width = 0, height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags{};
  description_.connectors->SetCable(1, false);
  EXPECT_EQ(kernel_->ddi().DxgkDdiSystemDisplayEnable(kernel_->adapter(), 1, &flags, &width, &height, &format),
            STATUS_NOT_SUPPORTED);
  ASSERT_EQ(kernel_->ddi().DxgkDdiSystemDisplayEnable(kernel_->adapter(), 0, &flags, &width, &height, &format), STATUS_SUCCESS);
  EXPECT_EQ(width, 64U);
  EXPECT_EQ(height, 32U);
  EXPECT_EQ(format, D3DDDIFMT_A8R8G8B8);
  ASSERT_TRUE(output_->AwaitShown(1));
  const std::uint32_t block[4] = {0xFF000001, 0xFF000002, 0xFF000003, 0xFF000004};
  kernel_->ddi().DxgkDdiSystemDisplayWrite(kernel_->adapter(), const_cast<std::uint32_t*>(block), 2, 2, 8, 63, 31);
  kernel_->ddi().DxgkDdiSystemDisplayWrite(kernel_->adapter(), const_cast<std::uint32_t*>(block), 2, 2, 8, 64, 0);
  ASSERT_TRUE(output_->AwaitShown(2));
  const auto pixels = output_->shown().back().pixels;
  EXPECT_EQ(pixels[64 * 32 - 1], 0xFF000001) << "The rest of the block lies outside.";
  EXPECT_EQ(pixels[62], 0U);
}

}  // namespace
}  // namespace tandem::soft
