// Surfaces that the kernel asks for without a user-mode driver: each kind's private data makes an allocation.
#include <gtest/gtest.h>

#include "drivers/soft/testing/fake_kernel.h"
#include "drivers/soft/testing/fake_output.h"

namespace tandem::soft {
namespace {

using namespace processor;

class StandardAllocationTest : public ::testing::Test {
 protected:
  StandardAllocationTest() : kernel_(description_) {}

  static DeviceDescription WithOutput() {
    DeviceDescription description;
    description.connectors = CreateConnectors(1);
    EXPECT_TRUE(description.connectors->Plug(std::make_shared<testing::FakeOutput>(16'666'667)).ok());
    return description;
  }
  // Sizes first, as the kernel asks.
  NTSTATUS Ask(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args, AllocationData& data) {
    const auto ask = kernel_.ddi().DxgkDdiGetStandardAllocationDriverData;
    if (const NTSTATUS status = ask(kernel_.adapter(), &args); !NT_SUCCESS(status)) return status;
    EXPECT_EQ(args.AllocationPrivateDriverDataSize, sizeof(AllocationData));
    args.pAllocationPrivateDriverData = &data;
    return ask(kernel_.adapter(), &args);
  }

  const DeviceDescription description_ = WithOutput();
  testing::FakeKernel kernel_;
};

TEST_F(StandardAllocationTest, SharedPrimary_IsAPrimaryOfItsSource) {
  D3DKMDT_SHAREDPRIMARYSURFACEDATA primary{640, 480, D3DDDIFMT_A8R8G8B8, {60, 1}, 0};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
  args.pCreateSharedPrimarySurfaceData = &primary;
  AllocationData data;
  ASSERT_EQ(Ask(args, data), STATUS_SUCCESS);
  EXPECT_EQ(data.flags, kAllocationPrimary);
  EXPECT_EQ(data.width, 640u);
  const auto made = kernel_.Allocate(data, testing::Pages::kAnonymous);
  EXPECT_EQ(made.segment, 1u);
  primary.VidPnSourceId = 1;  // there is one source
  EXPECT_EQ(Ask(args, data), STATUS_INVALID_PARAMETER);
}

TEST_F(StandardAllocationTest, Shadow_IsCpuVisibleSystemMemory_AndTellsItsPitch) {
  D3DKMDT_SHADOWSURFACEDATA shadow{100, 50, D3DDDIFMT_X8R8G8B8, 0};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
  args.pCreateShadowSurfaceData = &shadow;
  AllocationData data;
  ASSERT_EQ(Ask(args, data), STATUS_SUCCESS);
  EXPECT_EQ(shadow.Pitch, data.pitch);
  EXPECT_GE(shadow.Pitch, 400u);
  const auto made = kernel_.Allocate(data, testing::Pages::kMemfd);
  EXPECT_EQ(made.segment, 2u);
  EXPECT_NE(made.cpu, nullptr);
}

TEST_F(StandardAllocationTest, Staging_IsCpuVisibleSystemMemory_AndTellsItsPitch) {
  D3DKMDT_STAGINGSURFACEDATA staging{33, 7, 0};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE;
  args.pCreateStagingSurfaceData = &staging;
  AllocationData data;
  ASSERT_EQ(Ask(args, data), STATUS_SUCCESS);
  EXPECT_EQ(staging.Pitch, data.pitch);
  EXPECT_EQ(kernel_.Allocate(data, testing::Pages::kAnonymous).segment, 2u);
}

TEST_F(StandardAllocationTest, GdiSurfaces_CrossAdapterOnesAndExistingMemory_LieInSystemMemory) {
  D3DKMDT_GDISURFACEDATA gdi{};
  gdi.Width = 100;
  gdi.Height = 50;
  gdi.Format = D3DDDIFMT_A8R8G8B8;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  args.pCreateGdiSurfaceData = &gdi;
  for (const auto type : {D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER, D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER}) {
    gdi.Type = type;
    gdi.Pitch = 0;
    AllocationData data;
    ASSERT_EQ(Ask(args, data), STATUS_SUCCESS);
    EXPECT_EQ(gdi.Pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT, 0u);
    EXPECT_EQ(kernel_.Allocate(data, testing::Pages::kMemfd).segment, 2u);
  }
  gdi.Type = D3DKMDT_GDISURFACE_TEXTURE;
  AllocationData texture;
  ASSERT_EQ(Ask(args, texture), STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Allocate(texture, testing::Pages::kAnonymous).segment, 1u);
  // Existing system memory arrives as a row of bytes.
  gdi = {};
  gdi.Width = 3 * 4096;
  gdi.Height = 1;
  gdi.Type = D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
  AllocationData row;
  ASSERT_EQ(Ask(args, row), STATUS_SUCCESS);
  EXPECT_EQ(row.size, 3u * 4096);
  EXPECT_EQ(kernel_.Allocate(row, testing::Pages::kAnonymous).segment, 2u);
}

TEST_F(StandardAllocationTest, OneFieldBroken_IsRefused) {
  D3DKMDT_SHADOWSURFACEDATA shadow{0, 50, D3DDDIFMT_X8R8G8B8, 0};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
  args.pCreateShadowSurfaceData = &shadow;
  AllocationData data;
  EXPECT_EQ(Ask(args, data), STATUS_INVALID_PARAMETER);
  shadow = {100, 50, D3DDDIFMT_UNKNOWN, 0};
  EXPECT_EQ(Ask(args, data), STATUS_INVALID_PARAMETER);
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_FENCESTORAGE;
  EXPECT_EQ(Ask(args, data), STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tandem::soft
