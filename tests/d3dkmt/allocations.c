/* Standard allocations over a program's pages: what their creation, opening and destruction take and refuse. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { kBytes = 64 * 1024 };

static D3DKMT_CREATESTANDARDALLOCATION standard;
static D3DDDI_ALLOCATIONINFO info;
static const char kRuntimeData[] = {7, 8, 9, 10};
static char alloc_data[6];
static void* pages;

/* Zeros in the results. */
static D3DKMT_CREATEALLOCATION Request(D3DKMT_HANDLE device) {
  standard = (D3DKMT_CREATESTANDARDALLOCATION){.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP, .ExistingHeapData = {kBytes}};
  info = (D3DDDI_ALLOCATIONINFO){.pSystemMem = pages};
  D3DKMT_CREATEALLOCATION create = {.hDevice = device,
                                    .pPrivateRuntimeData = kRuntimeData,
                                    .PrivateRuntimeDataSize = sizeof(kRuntimeData),
                                    .pStandardAllocation = &standard,
                                    .NumAllocations = 1,
                                    .pAllocationInfo = &info,
                                    .hPrivateRuntimeResourceHandle = (HANDLE)0xdeadbeef};
  create.Flags.ExistingSysMem = create.Flags.StandardAllocation = 1;
  return create;
}

static NTSTATUS Create(D3DKMT_CREATEALLOCATION* create) {
  const NTSTATUS status = CALL(D3DKMTCreateAllocation, create);
  EXPECT(create->hPrivateRuntimeResourceHandle == (HANDLE)0xdeadbeef);
  return status;
}

static NTSTATUS Destroy(D3DKMT_HANDLE device, D3DKMT_HANDLE resource, const D3DKMT_HANDLE* allocations, UINT count) {
  const D3DKMT_DESTROYALLOCATION destroy = {device, resource, allocations, count};
  return CALL(D3DKMTDestroyAllocation, &destroy);
}

static void TestAlone(D3DKMT_HANDLE device) {
  D3DKMT_CREATEALLOCATION create = Request(device);
  create.hGlobalShare = 0x1eadbeed;
  info.pPrivateDriverData = alloc_data;
  info.PrivateDriverDataSize = sizeof(alloc_data);
  EXPECT_EQ(Create(&create), STATUS_SUCCESS);
  EXPECT_EQ(create.hGlobalShare, 0);
  EXPECT_EQ(create.hResource, 0);
  EXPECT_EQ(info.hAllocation & 0x3f, 0);
  EXPECT_EQ(Destroy(device, 0, NULL, 0), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(device, 0, NULL, 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Destroy(device, 0, &info.hAllocation, 1), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(device, 0, &info.hAllocation, 1), STATUS_INVALID_PARAMETER);
}

/* Each broken request differs from a good one in one point. */
static void TestBroken(D3DKMT_HANDLE device) {
  enum { kCases = 13 };
  for (int i = 0; i < kCases; ++i) {
    D3DKMT_CREATEALLOCATION create = Request(device);
    NTSTATUS expected = STATUS_INVALID_PARAMETER;
    switch (i) {
      case 0: create.PrivateDriverDataSize = 64; break;
      case 1: create.hDevice = 0; break;
      case 2:
        create.hResource = 0x1eadbeed;
        expected = STATUS_INVALID_HANDLE;
        break;
      case 3: create.NumAllocations = 0; break;
      case 4: create.NumAllocations = 2; break;
      case 5: standard.Type = 0; break;
      case 6: info.pSystemMem = NULL; break;
      case 7: standard.ExistingHeapData.Size = 0x1100; break;
      case 8: create.Flags.ExistingSysMem = 0; break;
      case 9: create.Flags.StandardAllocation = 0; break;
      case 10: create.Flags.CreateShared = 1; break;
      case 11:
        create.Flags.CreateResource = 1;
        create.NumAllocations = 0;
        break;
      default:
        create.Flags.CreateResource = 1;
        create.hResource = 0x1eadbeed;
        expected = STATUS_INVALID_HANDLE;
        break;
    }
    EXPECT_EQ(Create(&create), expected);
  }
}

static void TestParts(D3DKMT_HANDLE device) {
  D3DKMT_CREATEALLOCATION create = Request(device);
  create.Flags.CreateResource = 1;
  EXPECT_EQ(Create(&create), STATUS_SUCCESS);
  EXPECT_EQ(info.hAllocation, create.hResource + 0x40);
  /* A resource outlives its allocations' handles. */
  EXPECT_EQ(Destroy(device, 0, &info.hAllocation, 1), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(device, 0, &info.hAllocation, 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Destroy(device, create.hResource, NULL, 0), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(device, create.hResource, NULL, 0), STATUS_INVALID_PARAMETER);

  create = Request(device);
  create.Flags.CreateResource = 1;
  EXPECT_EQ(Create(&create), STATUS_SUCCESS);
  const D3DKMT_HANDLE allocation = info.hAllocation;
  D3DKMT_CREATEALLOCATION more = Request(device);
  more.hResource = create.hResource;
  EXPECT_EQ(Create(&more), STATUS_INVALID_PARAMETER);
  D3DKMT_QUERYRESOURCEINFO query = {.hDevice = device, .hGlobalShare = create.hResource};
  EXPECT_EQ(CALL(D3DKMTQueryResourceInfo, &query), STATUS_INVALID_PARAMETER);
  D3DKMT_OPENRESOURCE open = {.hDevice = device, .hGlobalShare = create.hResource};
  EXPECT_EQ(CALL(D3DKMTOpenResource, &open), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Destroy(device, create.hResource, NULL, 0), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(device, 0, &allocation, 1), STATUS_INVALID_PARAMETER);
}

static void TestShared(D3DKMT_HANDLE device) {
  D3DKMT_CREATEALLOCATION create = Request(device);
  create.Flags.CreateResource = create.Flags.CreateShared = 1;
  EXPECT_EQ(Create(&create), STATUS_SUCCESS);
  EXPECT_EQ(create.hGlobalShare & 0x3f, 2);
  char runtime_data[256], total_data[4096], resource_data[256];
  memset(runtime_data, 0x4d, sizeof(runtime_data));
  memset(total_data, 0x4d, sizeof(total_data));
  D3DKMT_QUERYRESOURCEINFO query = {.hDevice = device,
                                    .hGlobalShare = create.hGlobalShare,
                                    .pPrivateRuntimeData = runtime_data,
                                    .PrivateRuntimeDataSize = sizeof(runtime_data)};
  EXPECT_EQ(CALL(D3DKMTQueryResourceInfo, &query), STATUS_SUCCESS);
  EXPECT_EQ(query.PrivateRuntimeDataSize, sizeof(kRuntimeData));
  EXPECT(query.TotalPrivateDriverDataSize > 0 && query.TotalPrivateDriverDataSize < sizeof(total_data));
  EXPECT_EQ(query.ResourcePrivateDriverDataSize, 0);
  EXPECT_EQ(query.NumAllocations, 1);
  EXPECT_EQ(runtime_data[0], 0x4d); /* the data come with the opening */
  D3DDDI_OPENALLOCATIONINFO opened = {0};
  D3DKMT_OPENRESOURCE open = {.hDevice = device,
                              .hGlobalShare = create.hGlobalShare,
                              .NumAllocations = 1,
                              .pOpenAllocationInfo = &opened,
                              .pPrivateRuntimeData = runtime_data,
                              .PrivateRuntimeDataSize = query.PrivateRuntimeDataSize,
                              .pResourcePrivateDriverData = resource_data,
                              .pTotalPrivateDriverDataBuffer = total_data,
                              .TotalPrivateDriverDataBufferSize = sizeof(total_data)};
  EXPECT_EQ(CALL(D3DKMTOpenResource, &open), STATUS_SUCCESS);
  EXPECT_EQ(opened.hAllocation, open.hResource + 0x40);
  EXPECT_EQ(open.TotalPrivateDriverDataBufferSize, query.TotalPrivateDriverDataSize);
  EXPECT_EQ(opened.PrivateDriverDataSize, query.TotalPrivateDriverDataSize);
  EXPECT_EQ(memcmp(runtime_data, kRuntimeData, sizeof(kRuntimeData)), 0);
  EXPECT(total_data[0] != 0x4d);
  EXPECT_EQ(Destroy(device, open.hResource, NULL, 0), STATUS_SUCCESS);
  open.NumAllocations = 0;
  EXPECT_EQ(CALL(D3DKMTOpenResource, &open), STATUS_INVALID_PARAMETER);
  open.NumAllocations = 1;
  open.PrivateRuntimeDataSize += 1;
  EXPECT_EQ(CALL(D3DKMTOpenResource, &open), STATUS_INVALID_PARAMETER);
  open.PrivateRuntimeDataSize -= 1;
  open.ResourcePrivateDriverDataSize += 1;
  EXPECT_EQ(CALL(D3DKMTOpenResource, &open), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Destroy(device, create.hResource, NULL, 0), STATUS_SUCCESS);
}

void TestAllocations(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  const D3DKMT_HANDLE device = MakeDevice(adapter);
  pages = aligned_alloc(4096, kBytes);
  for (int turn = 0; turn < 20; ++turn) {
    TestAlone(device);
    TestBroken(device);
    TestParts(device);
    TestShared(device);
  }
  DestroyDevice(device);
  CloseHandleOfAdapter(adapter);
  free(pages);
}
