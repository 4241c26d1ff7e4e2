// User mode as a test writes it: D3DKMT objects that clean up after themselves.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tests/conformance/driver_under_test.h"

#include <d3dkmthk.h>

namespace tandem::conformance {

struct Surface {
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_HANDLE global_share = 0;
  SurfaceRequest request;
  std::uint32_t pitch = 0;
};

// An open adapter with a device, a context and a fence.
class UserDevice {
 public:
  UserDevice(const DriverUnderTest& driver, LUID luid, UINT node) : driver_(driver) {
    D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
    EXPECT_EQ(D3DKMTOpenAdapterFromLuid(&open), STATUS_SUCCESS);
    adapter = open.hAdapter;
    D3DKMT_CREATEDEVICE create{};
    create.hAdapter = adapter;
    EXPECT_EQ(D3DKMTCreateDevice(&create), STATUS_SUCCESS);
    device = create.hDevice;
    D3DKMT_CREATECONTEXT create_context{};
    create_context.hDevice = device;
    create_context.NodeOrdinal = node;
    EXPECT_EQ(D3DKMTCreateContext(&create_context), STATUS_SUCCESS);
    context = create_context.hContext;
    fence = CreateFence(0);
  }
  ~UserDevice() {
    const D3DKMT_DESTROYDEVICE destroy{device};
    EXPECT_EQ(D3DKMTDestroyDevice(&destroy), STATUS_SUCCESS);
    const D3DKMT_CLOSEADAPTER close{adapter};
    EXPECT_EQ(D3DKMTCloseAdapter(&close), STATUS_SUCCESS);
  }
  UserDevice(const UserDevice&) = delete;
  UserDevice& operator=(const UserDevice&) = delete;

  D3DKMT_HANDLE CreateFence(UINT64 value) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create{};
    create.hDevice = device;
    create.Info.Type = D3DDDI_MONITORED_FENCE;
    create.Info.MonitoredFence.InitialFenceValue = value;
    EXPECT_EQ(D3DKMTCreateSynchronizationObject2(&create), STATUS_SUCCESS);
    fence_value = static_cast<const volatile UINT64*>(create.Info.MonitoredFence.FenceValueCPUVirtualAddress);
    return create.hSyncObject;
  }

  Surface Create(const SurfaceRequest& request) {
    std::vector<std::byte> data = driver_.allocation_data(request);
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = data.data();
    info.PrivateDriverDataSize = static_cast<UINT>(data.size());
    info.Flags.Primary = request.use == SurfaceUse::kPrimary ? 1u : 0u;
    D3DKMT_CREATEALLOCATION create{};
    create.hDevice = device;
    create.NumAllocations = 1;
    create.pAllocationInfo2 = &info;
    create.Flags.CreateResource = 1;
    create.Flags.CreateShared = create.Flags.CrossAdapter = request.use == SurfaceUse::kCrossAdapter ? 1u : 0u;
    EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
    return {create.hResource, info.hAllocation, create.hGlobalShare, request, driver_.pitch(request)};
  }

  // As the Direct3D runtime does: sizes first.
  Surface Open(const Surface& shared) {
    D3DKMT_QUERYRESOURCEINFO query{};
    query.hDevice = device;
    query.hGlobalShare = shared.global_share;
    EXPECT_EQ(D3DKMTQueryResourceInfo(&query), STATUS_SUCCESS);
    EXPECT_EQ(query.NumAllocations, 1u);
    std::vector<std::byte> total(query.TotalPrivateDriverDataSize);
    std::vector<std::byte> resource(query.ResourcePrivateDriverDataSize);
    D3DDDI_OPENALLOCATIONINFO2 info{};
    D3DKMT_OPENRESOURCE open{};
    open.hDevice = device;
    open.hGlobalShare = shared.global_share;
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &info;
    open.pTotalPrivateDriverDataBuffer = total.data();
    open.TotalPrivateDriverDataBufferSize = static_cast<UINT>(total.size());
    open.pResourcePrivateDriverData = resource.data();
    open.ResourcePrivateDriverDataSize = static_cast<UINT>(resource.size());
    EXPECT_EQ(D3DKMTOpenResource2(&open), STATUS_SUCCESS);
    return {open.hResource, info.hAllocation, shared.global_share, shared.request, shared.pitch};
  }

  NTSTATUS Destroy(const Surface& surface) {
    D3DKMT_DESTROYALLOCATION2 destroy{};
    destroy.hDevice = device;
    destroy.hResource = surface.resource;
    return D3DKMTDestroyAllocation2(&destroy);
  }

  std::byte* Lock(const Surface& surface) {
    D3DKMT_LOCK2 lock{};
    lock.hDevice = device;
    lock.hAllocation = surface.allocation;
    EXPECT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
    return static_cast<std::byte*>(lock.pData);
  }
  void Unlock(const Surface& surface) {
    const D3DKMT_UNLOCK2 unlock{device, surface.allocation};
    EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_SUCCESS);
  }
  // One value per pixel, so that every misplaced byte shows.
  void Paint(const Surface& surface, std::uint32_t seed) {
    std::byte* const pixels = Lock(surface);
    for (std::uint32_t y = 0; y < surface.request.height; ++y) {
      for (std::uint32_t x = 0; x < surface.request.width; ++x) {
        const std::uint32_t pixel = seed ^ (y << 16) ^ x;
        std::memcpy(pixels + std::size_t{y} * surface.pitch + std::size_t{x} * 4, &pixel, sizeof(pixel));
      }
    }
    Unlock(surface);
  }
  std::uint32_t Pixel(const Surface& surface, std::uint32_t x, std::uint32_t y) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, Lock(surface) + std::size_t{y} * surface.pitch + std::size_t{x} * 4, sizeof(pixel));
    Unlock(surface);
    return pixel;
  }

  NTSTATUS Copy(const Surface& source, const Surface& destination, std::span<const RECT> sub_rects) {
    D3DKMT_PRESENT present{};
    present.hContext = context;
    present.hSource = source.allocation;
    present.hDestination = destination.allocation;
    present.Flags.Blt = 1;
    present.SubRectCnt = static_cast<UINT>(sub_rects.size());
    present.pSrcSubRects = sub_rects.data();
    return D3DKMTPresent(&present);
  }
  NTSTATUS Flip(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval) {
    D3DKMT_PRESENT present{};
    present.hContext = context;
    present.hSource = surface.allocation;
    present.FlipInterval = interval;
    present.Flags.Flip = 1;
    return D3DKMTPresent(&present);
  }
  NTSTATUS Signal(UINT64 value) {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal{};
    signal.hContext = context;
    signal.ObjectCount = 1;
    signal.ObjectHandleArray = &fence;
    signal.MonitoredFenceValueArray = &value;
    return D3DKMTSignalSynchronizationObjectFromGpu(&signal);
  }
  NTSTATUS Wait(UINT64 value) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
    wait.hDevice = device;
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence;
    wait.FenceValueArray = &value;
    return D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
  }

  D3DKMT_HANDLE adapter = 0;
  D3DKMT_HANDLE device = 0;
  D3DKMT_HANDLE context = 0;
  D3DKMT_HANDLE fence = 0;
  const volatile UINT64* fence_value = nullptr;  // of the fence that was made last

 private:
  const DriverUnderTest& driver_;
};

}  // namespace tandem::conformance
