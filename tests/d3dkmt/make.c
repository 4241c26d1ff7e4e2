/* Objects that several tests make. */
#include "library.h"

#include <stdlib.h>

LUID SoftAdapterLuid(void) {
  D3DKMT_ENUMADAPTERS2 list = {0, NULL};
  EXPECT_EQ(CALL(D3DKMTEnumAdapters2, &list), STATUS_SUCCESS);
  EXPECT(list.NumAdapters > 0);
  list.pAdapters = calloc(list.NumAdapters, sizeof(*list.pAdapters));
  EXPECT_EQ(CALL(D3DKMTEnumAdapters2, &list), STATUS_SUCCESS);
  const LUID luid = list.pAdapters[list.NumAdapters - 1].AdapterLuid;
  for (ULONG i = 0; i < list.NumAdapters; ++i) CloseHandleOfAdapter(list.pAdapters[i].hAdapter);
  free(list.pAdapters);
  return luid;
}

D3DKMT_HANDLE OpenSoftAdapter(void) {
  D3DKMT_OPENADAPTERFROMLUID open = {.AdapterLuid = SoftAdapterLuid()};
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromLuid, &open), STATUS_SUCCESS);
  return open.hAdapter;
}

void CloseHandleOfAdapter(D3DKMT_HANDLE adapter) {
  const D3DKMT_CLOSEADAPTER close = {adapter};
  EXPECT_EQ(CALL(D3DKMTCloseAdapter, &close), STATUS_SUCCESS);
}

D3DKMT_HANDLE MakeDevice(D3DKMT_HANDLE adapter) {
  D3DKMT_CREATEDEVICE create = {.hAdapter = adapter};
  EXPECT_EQ(CALL(D3DKMTCreateDevice, &create), STATUS_SUCCESS);
  return create.hDevice;
}

void DestroyDevice(D3DKMT_HANDLE device) {
  const D3DKMT_DESTROYDEVICE destroy = {device};
  EXPECT_EQ(CALL(D3DKMTDestroyDevice, &destroy), STATUS_SUCCESS);
}

D3DKMT_HANDLE MakeContext(D3DKMT_HANDLE device) {
  D3DKMT_CREATECONTEXT create = {.hDevice = device};
  EXPECT_EQ(CALL(D3DKMTCreateContext, &create), STATUS_SUCCESS);
  EXPECT(create.pCommandBuffer != NULL);
  return create.hContext;
}

static void DescribeResource(D3DKMT_HANDLE device, SIZE_T bytes, TestResource* resource) {
  const TestResource empty = {0};
  *resource = empty;
  resource->standard.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
  resource->standard.ExistingHeapData.Size = bytes;
  D3DKMT_CREATEALLOCATION* const create = &resource->create;
  create->hDevice = device;
  create->pStandardAllocation = &resource->standard;
  create->NumAllocations = 1;
  create->pAllocationInfo2 = &resource->info;
  create->Flags.StandardAllocation = create->Flags.CreateResource = 1;
  create->Flags.CreateShared = create->Flags.CrossAdapter = 1;
}

NTSTATUS MakeResource(D3DKMT_HANDLE device, void* pages, SIZE_T bytes, TestResource* resource) {
  DescribeResource(device, bytes, resource);
  resource->info.pSystemMem = pages;
  resource->create.Flags.ExistingSysMem = 1;
  return CALL(D3DKMTCreateAllocation2, &resource->create);
}

NTSTATUS MakeSharedResource(D3DKMT_HANDLE device, int memfd, SIZE_T bytes, TestResource* resource) {
  DescribeResource(device, bytes, resource);
  resource->info.hSection = (HANDLE)(intptr_t)memfd;
  resource->create.Flags.ExistingSection = resource->create.Flags.NtSecuritySharing = 1;
  return CALL(D3DKMTCreateAllocation2, &resource->create);
}

D3DKMT_HANDLE MakeFence(D3DKMT_HANDLE device, UINT nt_sharing, volatile UINT64** value) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = device};
  create.Info.Type = D3DDDI_MONITORED_FENCE;
  create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = nt_sharing & 1u;
  EXPECT_EQ(CALL(D3DKMTCreateSynchronizationObject2, &create), STATUS_SUCCESS);
  *value = create.Info.MonitoredFence.FenceValueCPUVirtualAddress;
  EXPECT_EQ(**value, 0);
  return create.hSyncObject;
}
