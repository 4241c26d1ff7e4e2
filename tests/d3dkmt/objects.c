/* Devices, contexts and allocations are made, locked and destroyed. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { kBytes = 64 * 1024 };

static void* Lock(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  D3DKMT_LOCK2 lock = {.hDevice = device, .hAllocation = allocation};
  EXPECT_EQ(CALL(D3DKMTLock2, &lock), STATUS_SUCCESS);
  return lock.pData;
}

static NTSTATUS Unlock(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  const D3DKMT_UNLOCK2 unlock = {device, allocation};
  return CALL(D3DKMTUnlock2, &unlock);
}

static void TestLocks(D3DKMT_HANDLE device, D3DKMT_HANDLE other_device, D3DKMT_HANDLE allocation, char* pages) {
  char* const data = Lock(device, allocation);
  memset(data, 0x5a, kBytes);
  EXPECT_EQ(pages[kBytes - 1], 0x5a);
  D3DKMT_INVALIDATECACHE invalidate = {device, allocation, 0, kBytes};
  EXPECT_EQ(CALL(D3DKMTInvalidateCache, &invalidate), STATUS_SUCCESS);
  invalidate.Offset = 1;
  EXPECT_EQ(CALL(D3DKMTInvalidateCache, &invalidate), STATUS_INVALID_PARAMETER);
  invalidate.hAllocation = device;
  EXPECT_EQ(CALL(D3DKMTInvalidateCache, &invalidate), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Unlock(other_device, allocation), STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE);
  EXPECT_EQ(Unlock(device, allocation), STATUS_SUCCESS);
  EXPECT_EQ(Unlock(device, allocation), STATUS_INVALID_PARAMETER);
}

static void TestResidency(D3DKMT_HANDLE device, D3DKMT_HANDLE allocation) {
  D3DKMT_CREATEPAGINGQUEUE queue = {.hDevice = device};
  EXPECT_EQ(CALL(D3DKMTCreatePagingQueue, &queue), STATUS_SUCCESS);
  D3DDDI_MAKERESIDENT resident = {.hPagingQueue = queue.hPagingQueue, .NumAllocations = 1, .AllocationList = &allocation};
  const NTSTATUS status = CALL(D3DKMTMakeResident, &resident);
  EXPECT(status == STATUS_SUCCESS || status == STATUS_PENDING);
  const UINT64 value = resident.PagingFenceValue;
  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
      .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &queue.hSyncObject, .FenceValueArray = &value};
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_SUCCESS);
  EXPECT(*(volatile UINT64*)queue.FenceValueCPUVirtualAddress >= value);
  D3DKMT_EVICT evict = {.hDevice = device, .NumAllocations = 1, .AllocationList = &allocation};
  EXPECT_EQ(CALL(D3DKMTEvict, &evict), STATUS_SUCCESS);
  D3DDDI_DESTROYPAGINGQUEUE destroy = {queue.hPagingQueue};
  EXPECT_EQ(CALL(D3DKMTDestroyPagingQueue, &destroy), STATUS_SUCCESS);
}

static void TestDeviceState(D3DKMT_HANDLE device) {
  D3DKMT_GETDEVICESTATE state = {.hDevice = device, .StateType = D3DKMT_DEVICESTATE_EXECUTION};
  EXPECT_EQ(CALL(D3DKMTGetDeviceState, &state), STATUS_SUCCESS);
  EXPECT_EQ(state.ExecutionState, D3DKMT_DEVICEEXECUTION_ACTIVE);
}

void TestObjects(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  const D3DKMT_HANDLE device = MakeDevice(adapter), other = MakeDevice(adapter);
  TestDeviceState(device);
  const D3DKMT_DESTROYCONTEXT destroy_context = {MakeContext(device)};
  D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {destroy_context.hContext, 3};
  EXPECT_EQ(CALL(D3DKMTSetContextSchedulingPriority, &priority), STATUS_SUCCESS);
  priority.Priority = 8;
  EXPECT_EQ(CALL(D3DKMTSetContextSchedulingPriority, &priority), STATUS_INVALID_PARAMETER);
  char* const pages = aligned_alloc(4096, kBytes);
  memset(pages, 0, kBytes);
  for (int turn = 0; turn < 100; ++turn) {
    TestResource resource;
    EXPECT_EQ(MakeResource(device, pages, kBytes, &resource), STATUS_SUCCESS);
    TestLocks(device, other, resource.info.hAllocation, pages);
    TestResidency(device, resource.info.hAllocation);
    const D3DKMT_DESTROYALLOCATION destroy = {device, resource.create.hResource, NULL, 0};
    EXPECT_EQ(CALL(D3DKMTDestroyAllocation, &destroy), STATUS_SUCCESS);
    EXPECT_EQ(CALL(D3DKMTDestroyAllocation, &destroy), STATUS_INVALID_PARAMETER);
  }
  EXPECT_EQ(CALL(D3DKMTDestroyContext, &destroy_context), STATUS_SUCCESS);
  EXPECT_EQ(CALL(D3DKMTDestroyContext, &destroy_context), STATUS_INVALID_PARAMETER);
  DestroyDevice(other);
  DestroyDevice(device);
  CloseHandleOfAdapter(adapter);
  free(pages);
}
