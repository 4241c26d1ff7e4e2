// Drivers without DxgkDdiCreateContext, and contexts that this kernel does not make, through D3DKMT.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

// Drivers of Windows Vista have no contexts: a context's facts come with the device.
class NoContexts : public KernelFixture {
 protected:
  static constexpr UINT kDmaBytes = 8192;
  static inline DXGK_DEVICEINFO info;

  NoContexts() {
    info = {};
    info.DmaBufferSize = kDmaBytes;
    info.DmaBufferPrivateDataSize = 64;
    info.AllocationListSize = 16;
    info.PatchLocationListSize = 32;
    miniport_.table.DxgkDdiCreateContext = nullptr;
    miniport_.table.DxgkDdiDestroyContext = nullptr;
    create_device = miniport_.table.DxgkDdiCreateDevice;
    miniport_.table.DxgkDdiCreateDevice = [](HANDLE adapter, DXGKARG_CREATEDEVICE* args) -> NTSTATUS {
      const NTSTATUS status = create_device(adapter, args);
      if (gives_info) args->pInfo = &info;
      return status;
    };
    gives_info = true;
  }
  static inline PDXGKDDI_CREATEDEVICE create_device;
  static inline bool gives_info;
};

TEST_F(NoContexts, Present_GetsTheDevicesHandleAndItsSizes) {
  std::atomic<HANDLE> submitted{nullptr};
  UINT dma_bytes = 0;
  UINT private_bytes = 0;
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    dma_bytes = args->DmaSize;
    private_bytes = args->DmaBufferPrivateDataSize;
    return WritePresent(*args);
  };
  miniport_.on_submit = [&](const DXGKARG_SUBMITCOMMAND* args) {
    if (!args->Flags.Paging) submitted = args->hDevice;
    return STATUS_SUCCESS;
  };
  Open();
  D3DKMT_HANDLE source = 0;
  D3DKMT_HANDLE destination = 0;
  ASSERT_EQ(CreateAllocation(source), STATUS_SUCCESS);
  ASSERT_EQ(CreateAllocation(destination), STATUS_SUCCESS);
  D3DKMT_PRESENT copy = Copy(source, destination);
  EXPECT_EQ(D3DKMTPresent(&copy), STATUS_SUCCESS);
  EXPECT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(dma_bytes, kDmaBytes);
  EXPECT_EQ(private_bytes, 64U);
  EXPECT_EQ(submitted.load(), &miniport_) << "The fake gives its own address for a device.";
  const D3DKMT_DESTROYCONTEXT destroy{context_};
  EXPECT_EQ(D3DKMTDestroyContext(&destroy), STATUS_SUCCESS);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
  EXPECT_TRUE(kernel_->Violation(luid_)->empty()) << *kernel_->Violation(luid_);
}

TEST_F(NoContexts, CreateContext_OnAnotherNode_IsRefused) {
  Open();
  D3DKMT_CREATECONTEXT create{};
  create.hDevice = device_;
  create.NodeOrdinal = 1;
  EXPECT_EQ(D3DKMTCreateContext(&create), STATUS_INVALID_PARAMETER);
}

TEST_F(NoContexts, CreateDevice_WithoutInfo_NamesTheRule) {
  gives_info = false;
  Plug();
  D3DKMT_OPENADAPTERFROMLUID open{luid_, 0};
  ASSERT_EQ(D3DKMTOpenAdapterFromLuid(&open), STATUS_SUCCESS);
  adapter_ = open.hAdapter;
  EXPECT_EQ(CreateDevice(), STATUS_DEVICE_REMOVED);
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("CreateDevice.pInfo"));
}

class Contexts : public KernelFixture {};

TEST_F(Contexts, CreateContext_NoPatchingRequired_IsRefusedAndDestroyed) {
  Open();
  const std::size_t destroyed = miniport_.count("DxgkDdiDestroyContext");
  miniport_.on_create_context = [](DXGKARG_CREATECONTEXT* args) {
    args->ContextInfo.Caps.NoPatchingRequired = 1;
    return STATUS_SUCCESS;
  };
  D3DKMT_CREATECONTEXT create{};
  create.hDevice = device_;
  EXPECT_EQ(D3DKMTCreateContext(&create), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyContext"), destroyed + 1);
  EXPECT_TRUE(kernel_->Violation(luid_)->empty());
}

}  // namespace
}  // namespace tandem::kernel
