/* A resource is shared alone, and together with a keyed mutex and a synchronization object. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { kBytes = 16 * 4096 };

/* What a test is about. */
typedef struct Shared {
  D3DKMT_HANDLE device;
  char* pages;
  D3DKMT_HANDLE resource, allocation, mutex, sync;
} Shared;

static const WCHAR kName[] = u"\\BaseNamedObjects\\Tandem_D3DKMT";
static const WCHAR kLowerName[] = u"\\BaseNamedObjects\\tandem_d3dkmt";
static const char kMutexData[] = "data of a mutex";
static const char kRuntimeData[] = {9, 8, 7, 6};

static void DestroyMutex(D3DKMT_HANDLE mutex) {
  const D3DKMT_DESTROYKEYEDMUTEX destroy = {mutex};
  EXPECT_EQ(CALL(D3DKMTDestroyKeyedMutex, &destroy), STATUS_SUCCESS);
}

static void DestroyResource(D3DKMT_HANDLE device, D3DKMT_HANDLE resource) {
  const D3DKMT_DESTROYALLOCATION destroy = {.hDevice = device, .hResource = resource};
  EXPECT_EQ(CALL(D3DKMTDestroyAllocation, &destroy), STATUS_SUCCESS);
}

static D3DKMT_HANDLE MakeMutex(UINT nt_sharing) {
  D3DKMT_CREATEKEYEDMUTEX2 create = {.pPrivateRuntimeData = (void*)kMutexData, .PrivateRuntimeDataSize = sizeof(kMutexData)};
  create.Flags.NtSecuritySharing = nt_sharing & 1u;
  create.hSharedHandle = 0x1eadbeed;
  EXPECT_EQ(CALL(D3DKMTCreateKeyedMutex2, &create), STATUS_SUCCESS);
  if (nt_sharing) EXPECT_EQ(create.hSharedHandle, 0);
  return create.hKeyedMutex;
}

/* A resource over the caller's pages. */
static void MakePages(Shared* shared, UINT nt_sharing) {
  D3DKMT_CREATESTANDARDALLOCATION standard = {.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP, .ExistingHeapData = {kBytes}};
  D3DDDI_ALLOCATIONINFO2 info = {.pSystemMem = shared->pages};
  D3DKMT_CREATEALLOCATION create = {.hDevice = shared->device,
                                    .pPrivateRuntimeData = kRuntimeData,
                                    .PrivateRuntimeDataSize = sizeof(kRuntimeData),
                                    .pStandardAllocation = &standard,
                                    .NumAllocations = 1,
                                    .pAllocationInfo2 = &info};
  create.Flags.StandardAllocation = create.Flags.ExistingSysMem = create.Flags.CreateResource = create.Flags.CreateShared = 1;
  create.Flags.NtSecuritySharing = nt_sharing & 1u;
  EXPECT_EQ(CALL(D3DKMTCreateAllocation2, &create), STATUS_SUCCESS);
  shared->resource = create.hResource;
  shared->allocation = info.hAllocation;
}

typedef struct Opened {
  D3DKMT_OPENRESOURCEFROMNTHANDLE open;
  D3DDDI_OPENALLOCATIONINFO2 info;
  char resource_data[512], total_data[512], runtime_data[sizeof(kRuntimeData)], mutex_data[sizeof(kMutexData)];
} Opened;

static void Prepare(const Shared* shared, HANDLE handle, Opened* opened) {
  memset(opened, 0, sizeof(*opened));
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = {.hDevice = shared->device, .hNtHandle = handle};
  EXPECT_EQ(CALL(D3DKMTQueryResourceInfoFromNtHandle, &query), STATUS_SUCCESS);
  EXPECT_EQ(query.PrivateRuntimeDataSize, sizeof(kRuntimeData));
  EXPECT_EQ(query.NumAllocations, 1);
  EXPECT(query.TotalPrivateDriverDataSize > 0 && query.TotalPrivateDriverDataSize <= sizeof(opened->total_data));
  EXPECT(query.ResourcePrivateDriverDataSize <= sizeof(opened->resource_data));
  D3DKMT_OPENRESOURCEFROMNTHANDLE* const open = &opened->open;
  open->hDevice = shared->device;
  open->hNtHandle = handle;
  open->NumAllocations = 1;
  open->pOpenAllocationInfo2 = &opened->info;
  open->pPrivateRuntimeData = opened->runtime_data;
  open->PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
  open->pResourcePrivateDriverData = opened->resource_data;
  open->ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
  open->pTotalPrivateDriverDataBuffer = opened->total_data;
  open->TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize;
  open->hResource = open->hKeyedMutex = open->hSyncObject = 0x1eadbeed;
}

static NTSTATUS Open(Opened* opened) { return CALL(D3DKMTOpenResourceFromNtHandle, &opened->open); }

/* The opened resource has the same pages. */
static void ExpectPages(const Shared* shared, const Opened* opened) {
  EXPECT_EQ(memcmp(opened->runtime_data, kRuntimeData, sizeof(kRuntimeData)), 0);
  D3DKMT_LOCK2 lock = {.hDevice = shared->device, .hAllocation = opened->info.hAllocation};
  EXPECT_EQ(CALL(D3DKMTLock2, &lock), STATUS_SUCCESS);
  EXPECT_EQ(((char*)lock.pData)[kBytes - 1], shared->pages[kBytes - 1]);
  const D3DKMT_UNLOCK2 unlock = {shared->device, opened->info.hAllocation};
  EXPECT_EQ(CALL(D3DKMTUnlock2, &unlock), STATUS_SUCCESS);
}

static void TestResourceAlone(Shared* shared) {
  HANDLE handle = NULL, named = NULL;
  Opened opened;
  MakePages(shared, 0);
  EXPECT_EQ(ShareNamed(1, &shared->resource, NULL, &handle), STATUS_INVALID_PARAMETER);
  DestroyResource(shared->device, shared->resource);
  MakePages(shared, 1);
  EXPECT_EQ(ShareNamed(1, &shared->allocation, NULL, &handle), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(ShareNamed(1, &shared->resource, kName, &handle), STATUS_SUCCESS);
  EXPECT_EQ(OpenSyncName(kName, 1, &named), STATUS_OBJECT_TYPE_MISMATCH);
  EXPECT_EQ(OpenResourceName(kLowerName, 0, &named), STATUS_ACCESS_DENIED);
  EXPECT_EQ(OpenResourceName(kLowerName, 1, &named), STATUS_SUCCESS);
  CloseNtHandle(handle);
  Prepare(shared, named, &opened);
  opened.open.KeyedMutexPrivateRuntimeDataSize = sizeof(kMutexData);
  opened.open.pKeyedMutexPrivateRuntimeData = opened.mutex_data;
  EXPECT_EQ(Open(&opened), STATUS_SUCCESS);
  EXPECT_EQ(opened.open.hKeyedMutex, 0);
  EXPECT_EQ(opened.open.hSyncObject, 0);
  EXPECT_EQ(opened.open.KeyedMutexPrivateRuntimeDataSize, 0);
  ExpectPages(shared, &opened);
  DestroyResource(shared->device, opened.open.hResource);
  D3DKMT_HANDLE unused = 0;
  EXPECT_EQ(OpenSync(shared->device, named, &unused), STATUS_OBJECT_TYPE_MISMATCH);
  opened.open.TotalPrivateDriverDataBufferSize -= 1;
  EXPECT_EQ(Open(&opened), STATUS_NO_MEMORY);
  opened.open.TotalPrivateDriverDataBufferSize += 1;
  opened.open.PrivateRuntimeDataSize += 1;
  EXPECT_EQ(Open(&opened), STATUS_INVALID_PARAMETER);
  CloseNtHandle(named);
  DestroyResource(shared->device, shared->resource);
  EXPECT_EQ(OpenResourceName(kName, 1, &named), STATUS_OBJECT_NAME_NOT_FOUND);
}

static void TestOrderOfBundles(const Shared* shared) {
  HANDLE handle = NULL;
  const D3DKMT_HANDLE resource = shared->resource, mutex = shared->mutex, sync = shared->sync;
  const D3DKMT_HANDLE global_mutex = MakeMutex(0);
  const struct {
    UINT count;
    D3DKMT_HANDLE objects[4];
  } kRefused[] = {{1, {mutex}},
                  {2, {resource, mutex}},
                  {2, {resource, sync}},
                  {2, {mutex, sync}},
                  {3, {resource, resource, sync}},
                  {3, {resource, sync, mutex}},
                  {3, {mutex, mutex, sync}},
                  {3, {resource, global_mutex, sync}},
                  {4, {resource, mutex, sync, sync}}};
  for (size_t i = 0; i < sizeof(kRefused) / sizeof(kRefused[0]); ++i)
    EXPECT_EQ(ShareNamed(kRefused[i].count, kRefused[i].objects, kName, &handle), STATUS_INVALID_PARAMETER);
  DestroyMutex(global_mutex);
}

static NTSTATUS Acquire(D3DKMT_HANDLE mutex, UINT64 key) {
  LARGE_INTEGER now = {.QuadPart = 0};
  D3DKMT_ACQUIREKEYEDMUTEX acquire = {.hKeyedMutex = mutex, .Key = key, .pTimeout = &now};
  return CALL(D3DKMTAcquireKeyedMutex, &acquire);
}

static void TestBundle(Shared* shared) {
  MakePages(shared, 1);
  shared->mutex = MakeMutex(1);
  shared->sync = MakeSync(shared->device);
  TestOrderOfBundles(shared);
  HANDLE handle = NULL;
  const D3DKMT_HANDLE objects[] = {shared->resource, shared->mutex, shared->sync};
  EXPECT_EQ(ShareNamed(3, objects, kName, &handle), STATUS_SUCCESS);
  EXPECT_EQ(Acquire(shared->mutex, 0), STATUS_SUCCESS);
  D3DKMT_RELEASEKEYEDMUTEX release = {.hKeyedMutex = shared->mutex, .Key = 7};
  EXPECT_EQ(CALL(D3DKMTReleaseKeyedMutex, &release), STATUS_SUCCESS);
  /* The descriptor keeps all three. */
  DestroyMutex(shared->mutex);
  DestroySync(shared->sync);
  DestroyResource(shared->device, shared->resource);
  Opened opened, again;
  Prepare(shared, handle, &opened);
  opened.open.pKeyedMutexPrivateRuntimeData = opened.mutex_data;
  opened.open.KeyedMutexPrivateRuntimeDataSize = sizeof(kMutexData) - 1;
  EXPECT_EQ(Open(&opened), STATUS_INVALID_PARAMETER);
  opened.open.KeyedMutexPrivateRuntimeDataSize = sizeof(kMutexData);
  EXPECT_EQ(Open(&opened), STATUS_SUCCESS);
  EXPECT_EQ(opened.open.KeyedMutexPrivateRuntimeDataSize, sizeof(kMutexData));
  ExpectPages(shared, &opened);
  Prepare(shared, handle, &again);
  EXPECT_EQ(Open(&again), STATUS_SUCCESS);
  EXPECT_EQ(Acquire(opened.open.hKeyedMutex, 7), STATUS_SUCCESS);
  EXPECT_EQ(Acquire(again.open.hKeyedMutex, 7), STATUS_TIMEOUT);
  D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE alone = {.hNtHandle = handle};
  EXPECT_EQ(CALL(D3DKMTOpenKeyedMutexFromNtHandle, &alone), STATUS_OBJECT_TYPE_MISMATCH);
  D3DKMT_HANDLE unused = 0;
  EXPECT_EQ(OpenSync(shared->device, handle, &unused), STATUS_OBJECT_TYPE_MISMATCH);
  CloseNtHandle(handle);
  /* What was opened is shared again. */
  const D3DKMT_HANDLE reshared[] = {again.open.hResource, again.open.hKeyedMutex, again.open.hSyncObject};
  EXPECT_EQ(ShareNamed(3, reshared, kName, &handle), STATUS_SUCCESS);
  CloseNtHandle(handle);
  const Opened* const all[] = {&opened, &again};
  for (int i = 0; i < 2; ++i) {
    DestroyResource(shared->device, all[i]->open.hResource);
    DestroyMutex(all[i]->open.hKeyedMutex);
    DestroySync(all[i]->open.hSyncObject);
  }
}

void TestBundles(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  Shared shared = {.device = MakeDevice(adapter), .pages = aligned_alloc(4096, kBytes)};
  memset(shared.pages, 0x5a, kBytes);
  for (int turn = 0; turn < 50; ++turn) {
    TestResourceAlone(&shared);
    TestBundle(&shared);
  }
  DestroyDevice(shared.device);
  CloseHandleOfAdapter(adapter);
  free(shared.pages);
}
