/* Resources and fences cross devices as descriptors. */
#define _GNU_SOURCE
#include "library.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kBytes = 16 * 4096 };

static int ToFd(HANDLE handle) { return (int)(intptr_t)handle; }

static int Share(D3DKMT_HANDLE object) {
  HANDLE shared = (HANDLE)(intptr_t)-1;
  EXPECT_EQ(CALL(D3DKMTShareObjects, 1, &object, NULL, 0, &shared), STATUS_SUCCESS);
  EXPECT(fcntl(ToFd(shared), F_GETFD) >= 0);
  return ToFd(shared);
}

/* Opens the resource, locks its allocation and returns the pages. */
static char* Open(D3DKMT_HANDLE device, int fd, D3DKMT_HANDLE* resource) {
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = {.hDevice = device, .hNtHandle = (HANDLE)(intptr_t)fd};
  EXPECT_EQ(CALL(D3DKMTQueryResourceInfoFromNtHandle, &query), STATUS_SUCCESS);
  EXPECT_EQ(query.NumAllocations, 1);
  void* const resource_data = malloc(query.ResourcePrivateDriverDataSize + 1);
  void* const total_data = malloc(query.TotalPrivateDriverDataSize + 1);
  D3DDDI_OPENALLOCATIONINFO2 info = {0};
  D3DKMT_OPENRESOURCEFROMNTHANDLE open = {.hDevice = device,
                                          .hNtHandle = query.hNtHandle,
                                          .NumAllocations = 1,
                                          .pOpenAllocationInfo2 = &info,
                                          .pResourcePrivateDriverData = resource_data,
                                          .ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize,
                                          .pTotalPrivateDriverDataBuffer = total_data,
                                          .TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize};
  EXPECT_EQ(CALL(D3DKMTOpenResourceFromNtHandle, &open), STATUS_SUCCESS);
  *resource = open.hResource;
  D3DKMT_LOCK2 lock = {.hDevice = device, .hAllocation = info.hAllocation};
  EXPECT_EQ(CALL(D3DKMTLock2, &lock), STATUS_SUCCESS);
  free(resource_data);
  free(total_data);
  return lock.pData;
}

static void TestResources(D3DKMT_HANDLE maker, D3DKMT_HANDLE opener) {
  const int memfd = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(memfd, kBytes), 0);
  EXPECT_EQ(fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  TestResource made;
  EXPECT_EQ(MakeSharedResource(maker, memfd, kBytes, &made), STATUS_SUCCESS);
  close(memfd);
  D3DKMT_LOCK2 lock = {.hDevice = maker, .hAllocation = made.info.hAllocation};
  EXPECT_EQ(CALL(D3DKMTLock2, &lock), STATUS_SUCCESS);
  char* const written = lock.pData;
  written[kBytes - 1] = 77;
  const int fd = Share(made.create.hResource);
  D3DKMT_HANDLE opened = 0;
  char* const read = Open(opener, fd, &opened);
  EXPECT_EQ(read[kBytes - 1], 77);
  read[0] = 78;
  EXPECT_EQ(written[0], 78);
  /* The opener keeps the pages. */
  const D3DKMT_DESTROYALLOCATION2 destroy = {.hDevice = maker, .hResource = made.create.hResource};
  EXPECT_EQ(CALL(D3DKMTDestroyAllocation2, &destroy), STATUS_SUCCESS);
  EXPECT_EQ(read[kBytes - 1], 77);
  close(fd);
  const D3DKMT_DESTROYALLOCATION2 destroy_opened = {.hDevice = opener, .hResource = opened};
  EXPECT_EQ(CALL(D3DKMTDestroyAllocation2, &destroy_opened), STATUS_SUCCESS);
}

static D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 OpenFence(D3DKMT_HANDLE device, int fd, NTSTATUS expected) {
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open = {.hNtHandle = (HANDLE)(intptr_t)fd, .hDevice = device};
  EXPECT_EQ(CALL(D3DKMTOpenSyncObjectFromNtHandle2, &open), expected);
  return open;
}

static void Destroy(D3DKMT_HANDLE fence) {
  const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {fence};
  EXPECT_EQ(CALL(D3DKMTDestroySynchronizationObject, &destroy), STATUS_SUCCESS);
}

static NTSTATUS Signal(D3DKMT_HANDLE device, D3DKMT_HANDLE fence, UINT64 value) {
  const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {
      .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &fence, .FenceValueArray = &value};
  return CALL(D3DKMTSignalSynchronizationObjectFromCpu, &signal);
}

static NTSTATUS Wait(D3DKMT_HANDLE device, D3DKMT_HANDLE fence, UINT64 value) {
  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
      .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &fence, .FenceValueArray = &value};
  return CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait);
}

static void TestSharedFence(D3DKMT_HANDLE maker, D3DKMT_HANDLE opener) {
  volatile UINT64 *made_value = NULL, *unused = NULL;
  const D3DKMT_HANDLE made = MakeFence(maker, 1, &made_value);
  const int fd = Share(made);
  const int copy = dup(fd);
  close(fd);
  const D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 opened = OpenFence(opener, copy, STATUS_SUCCESS);
  EXPECT(opened.hSyncObject != made);
  EXPECT_EQ(Signal(opener, opened.hSyncObject, 5), STATUS_SUCCESS);
  EXPECT_EQ(*made_value, 5);
  EXPECT_EQ(Wait(maker, made, 5), STATUS_SUCCESS);
  /* The fence lives on without its maker's handle, and by the descriptor alone. */
  Destroy(made);
  EXPECT_EQ(Signal(opener, opened.hSyncObject, 6), STATUS_SUCCESS);
  EXPECT_EQ(Wait(opener, opened.hSyncObject, 6), STATUS_SUCCESS);
  Destroy(opened.hSyncObject);
  const D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 again = OpenFence(maker, copy, STATUS_SUCCESS);
  EXPECT_EQ(*(volatile UINT64*)again.MonitoredFence.FenceValueCPUVirtualAddress, 6);
  close(copy);
  Destroy(again.hSyncObject);

  const D3DKMT_HANDLE private_fence = MakeFence(maker, 0, &unused);
  HANDLE shared = NULL;
  EXPECT_EQ(CALL(D3DKMTShareObjects, 1, &private_fence, NULL, 0, &shared), STATUS_INVALID_PARAMETER);
  Destroy(private_fence);
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  OpenFence(maker, ends[1], STATUS_INVALID_HANDLE);
  OpenFence(maker, -1, STATUS_INVALID_HANDLE);
  close(ends[0]);
  close(ends[1]);
}

void TestSharing(void) {
  D3DKMT_ADAPTERINFO infos[64];
  D3DKMT_ENUMADAPTERS2 list = {64, infos};
  EXPECT_EQ(CALL(D3DKMTEnumAdapters2, &list), STATUS_SUCCESS);
  const D3DKMT_HANDLE maker = MakeDevice(infos[list.NumAdapters - 1].hAdapter);
  for (ULONG i = 0; i < list.NumAdapters; ++i) {
    const D3DKMT_HANDLE opener = MakeDevice(infos[i].hAdapter);
    TestResources(maker, opener);
    for (int turn = 0; turn < 2000; ++turn) TestSharedFence(maker, opener);
    DestroyDevice(opener);
  }
  DestroyDevice(maker);
  for (ULONG i = 0; i < list.NumAdapters; ++i) CloseHandleOfAdapter(infos[i].hAdapter);
}
