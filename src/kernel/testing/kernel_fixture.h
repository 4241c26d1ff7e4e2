// A kernel with the fake miniport plugged in, and user mode in front of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "kernel/kernel.h"
#include "kernel/testing/fake_miniport.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// Answer of the fake to CreateAllocation, unless a test changes it: `segment` holds the allocation.
inline void FillAllocationInfo(DXGK_ALLOCATIONINFO& info, UINT segment) {
  info.Size = 64 * 1024;
  info.Alignment = 4096;
  info.PreferredSegment.SegmentId0 = segment & 31u;
  info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 1u << (segment - 1);
  info.EvictionSegmentSet = 2;
  info.Flags.CpuVisible = 1;
  info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
}

// A driver that copies by writing eight bytes and two patch locations for each rectangle.
inline NTSTATUS WritePresent(DXGKARG_PRESENT& present) {
  if (present.Flags.Flip) return STATUS_SUCCESS;
  auto* out = static_cast<std::byte*>(present.pDmaBuffer);
  std::memset(out, 0xC0, 8);
  for (UINT index = 0; index < 2; ++index) {
    present.pPatchLocationListOut[index] = {};
    present.pPatchLocationListOut[index].AllocationIndex = index + 1;
    present.pPatchLocationListOut[index].PatchOffset = 0;
  }
  present.pPatchLocationListOut += 2;
  present.pDmaBuffer = out + 8;
  return STATUS_SUCCESS;
}

// Set miniport() up, then Plug(). The second half of each pair of helpers is what D3DKMT answered.
class KernelFixture : public ::testing::Test {
 protected:
  KernelFixture() {
    miniport_.complete_at_once = true;
    miniport_.on_create_allocation = [this](DXGKARG_CREATEALLOCATION* args) {
      for (UINT i = 0; i < args->NumAllocations; ++i) {
        FillAllocationInfo(args->pAllocationInfo[i], segment_);
        if (change_info_) change_info_(args->pAllocationInfo[i]);
      }
      return STATUS_SUCCESS;
    };
    miniport_.on_describe_allocation = [](DXGKARG_DESCRIBEALLOCATION* args) {
      args->Width = 64;
      args->Height = 32;
      args->Format = D3DDDIFMT_A8R8G8B8;
      return STATUS_SUCCESS;
    };
    miniport_.on_standard_allocation = [](DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
      args->pCreateGdiSurfaceData->Pitch = 256;
      return STATUS_SUCCESS;
    };
    miniport_.on_present = [](DXGKARG_PRESENT* args) { return WritePresent(*args); };
    // Zeroing is done by the CPU: creating allocations in the memory segment needs no engine.
    miniport_.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER* args) {
      if (args->Operation == DXGK_OPERATION_FILL) return STATUS_SUCCESS;
      args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 16;
      return STATUS_SUCCESS;
    };
  }

  void Plug() {
    auto kernel = Kernel::Create(*clock_, tdr_);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    kernel_ = *std::move(kernel);
    auto driver = kernel_->LoadDriver(FakeMiniport::Entry(), "fake");
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    auto luid = kernel_->AddAdapter(**driver, nullptr, "fake0");
    ASSERT_TRUE(luid.ok()) << luid.error().message;
    luid_ = *luid;
  }
  // Adapter, device, context on node 0 and a fence.
  void Open() {
    Plug();
    D3DKMT_OPENADAPTERFROMLUID open{luid_, 0};
    ASSERT_EQ(D3DKMTOpenAdapterFromLuid(&open), STATUS_SUCCESS);
    adapter_ = open.hAdapter;
    ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
    ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
    ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  }

  NTSTATUS CreateDevice() {
    D3DKMT_CREATEDEVICE create{};
    create.hAdapter = adapter_;
    const NTSTATUS status = D3DKMTCreateDevice(&create);
    device_ = create.hDevice;
    return status;
  }
  NTSTATUS CreateContext() {
    D3DKMT_CREATECONTEXT create{};
    create.hDevice = device_;
    const NTSTATUS status = D3DKMTCreateContext(&create);
    context_ = create.hContext;
    command_buffer_ = create.pCommandBuffer;
    return status;
  }
  NTSTATUS CreateFence() {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create{};
    create.hDevice = device_;
    create.Info.Type = D3DDDI_MONITORED_FENCE;
    const NTSTATUS status = D3DKMTCreateSynchronizationObject2(&create);
    fence_ = create.hSyncObject;
    fence_value_ = static_cast<const volatile UINT64*>(create.Info.MonitoredFence.FenceValueCPUVirtualAddress);
    return status;
  }
  D3DKMT_CREATEALLOCATION Allocation(D3DDDI_ALLOCATIONINFO2& info) const {
    D3DKMT_CREATEALLOCATION create{};
    create.hDevice = device_;
    create.NumAllocations = 1;
    create.pAllocationInfo2 = &info;
    return create;
  }
  NTSTATUS CreateAllocation(D3DKMT_HANDLE& allocation) const {
    D3DDDI_ALLOCATIONINFO2 info{};
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    const NTSTATUS status = D3DKMTCreateAllocation2(&create);
    allocation = info.hAllocation;
    return status;
  }
  NTSTATUS CreatePrimary(D3DKMT_HANDLE& primary) const {
    D3DDDI_ALLOCATIONINFO2 info{};
    info.Flags.Primary = 1;
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    const NTSTATUS status = D3DKMTCreateAllocation2(&create);
    primary = info.hAllocation;
    return status;
  }
  [[nodiscard]] NTSTATUS SetDisplayMode(D3DKMT_HANDLE primary, D3DDDI_ROTATION rotation) const {
    D3DKMT_SETDISPLAYMODE mode{};
    mode.hDevice = device_;
    mode.hPrimaryAllocation = primary;
    mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    mode.DisplayOrientation = rotation;
    return D3DKMTSetDisplayMode(&mode);
  }
  NTSTATUS DestroyAllocation(D3DKMT_HANDLE allocation) const {
    D3DKMT_DESTROYALLOCATION2 destroy{};
    destroy.hDevice = device_;
    destroy.phAllocationList = &allocation;
    destroy.AllocationCount = 1;
    return D3DKMTDestroyAllocation2(&destroy);
  }
  D3DKMT_PRESENT Copy(D3DKMT_HANDLE source, D3DKMT_HANDLE destination) const {
    D3DKMT_PRESENT present{};
    present.hContext = context_;
    present.hSource = source;
    present.hDestination = destination;
    present.Flags.Blt = 1;
    return present;
  }
  // Calls `use` as a driver that reads the paths of a VidPN.
  template <class Use>
  NTSTATUS WithTopology(D3DKMDT_HVIDPN vidpn, Use&& use) {
    const DXGK_VIDPN_INTERFACE* functions = nullptr;
    EXPECT_EQ(miniport_.kernel().DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions), STATUS_SUCCESS);
    D3DKMDT_HVIDPNTOPOLOGY topology = nullptr;
    const DXGK_VIDPNTOPOLOGY_INTERFACE* paths = nullptr;
    EXPECT_EQ(functions->pfnGetTopology(vidpn, &topology, &paths), STATUS_SUCCESS);
    return use(topology, *paths);
  }
  NTSTATUS Signal(UINT64 value) const {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal{};
    signal.hContext = context_;
    signal.ObjectCount = 1;
    signal.ObjectHandleArray = &fence_;
    signal.MonitoredFenceValueArray = &value;
    return D3DKMTSignalSynchronizationObjectFromGpu(&signal);
  }
  NTSTATUS Wait(UINT64 value) const { return WaitFor(fence_, value); }
  [[nodiscard]] NTSTATUS WaitFor(D3DKMT_HANDLE fence, UINT64 value) const {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
    wait.hDevice = device_;
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence;
    wait.FenceValueArray = &value;
    return D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
  }
  // Later work of the context waits for the fence.
  [[nodiscard]] NTSTATUS HoldContext(D3DKMT_HANDLE fence, UINT64 value) const {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait{};
    wait.hContext = context_;
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence;
    wait.MonitoredFenceValueArray = &value;
    return D3DKMTWaitForSynchronizationObjectFromGpu(&wait);
  }
  [[nodiscard]] NTSTATUS SignalFromCpu(D3DKMT_HANDLE fence, UINT64 value) const {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal{};
    signal.hDevice = device_;
    signal.ObjectCount = 1;
    signal.ObjectHandleArray = &fence;
    signal.FenceValueArray = &value;
    return D3DKMTSignalSynchronizationObjectFromCpu(&signal);
  }
  NTSTATUS DestroyDevice() const {
    const D3DKMT_DESTROYDEVICE destroy{device_};
    return D3DKMTDestroyDevice(&destroy);
  }

  // True if the condition comes true before any test should end.
  template <class Predicate>
  [[nodiscard]] static bool Soon(Predicate condition) {
    Clock& clock = MonotonicClock();
    const std::int64_t deadline_ns = clock.NowNs() + 20'000'000'000;
    std::mutex mutex;
    Condition never;
    for (std::unique_lock<std::mutex> lock(mutex); !condition();) {
      if (clock.NowNs() >= deadline_ns) return false;
      clock.WaitUntil(lock, never, clock.NowNs() + 1'000'000);
    }
    return true;
  }

  UINT segment_ = 2;                                       // the fake's allocations: 1 memory, 2 aperture
  std::function<void(DXGK_ALLOCATIONINFO&)> change_info_;  // breaks one field
  Clock* clock_ = &MonotonicClock();
  TdrSettings tdr_;
  FakeMiniport miniport_;
  std::unique_ptr<Kernel> kernel_;
  LUID luid_{};
  D3DKMT_HANDLE adapter_ = 0, device_ = 0, context_ = 0, fence_ = 0;
  void* command_buffer_ = nullptr;
  const volatile UINT64* fence_value_ = nullptr;
};

}  // namespace tandem::kernel
