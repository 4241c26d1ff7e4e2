/* Adapters are listed, opened and described. */
#include "library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { kMostAdapters = 64 };

static NTSTATUS Query(D3DKMT_HANDLE adapter, KMTQUERYADAPTERINFOTYPE type, void* data, UINT size) {
  const D3DKMT_QUERYADAPTERINFO query = {adapter, type, data, size};
  return CALL(D3DKMTQueryAdapterInfo, &query);
}

static void ExpectStatistics(LUID luid, D3DKMT_HANDLE adapter) {
  D3DKMT_QUERYSTATISTICS statistics = {.Type = D3DKMT_QUERYSTATISTICS_ADAPTER, .AdapterLuid = luid};
  EXPECT_EQ(CALL(D3DKMTQueryStatistics, &statistics), STATUS_SUCCESS);
  const ULONG segments = statistics.QueryResult.AdapterInformation.NbSegments;
  EXPECT(segments > 0 && statistics.QueryResult.AdapterInformation.NodeCount > 0);
  statistics.Type = D3DKMT_QUERYSTATISTICS_SEGMENT;
  ULONGLONG local = 0;
  for (ULONG i = 0; i < segments; ++i) {
    statistics.QuerySegment.SegmentId = i;
    EXPECT_EQ(CALL(D3DKMTQueryStatistics, &statistics), STATUS_SUCCESS);
    const D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION* const segment = &statistics.QueryResult.SegmentInformation;
    EXPECT(segment->BytesResident <= segment->CommitLimit);
    if (!segment->Aperture) local += segment->CommitLimit;
  }
  D3DKMT_SEGMENTSIZEINFO sizes = {0};
  EXPECT_EQ(Query(adapter, KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof(sizes)), STATUS_SUCCESS);
  EXPECT_EQ(local, sizes.DedicatedVideoMemorySize);
  statistics.QuerySegment.SegmentId = segments;
  EXPECT_EQ(CALL(D3DKMTQueryStatistics, &statistics), STATUS_INVALID_PARAMETER);
  statistics.Type = D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP;
  statistics.QueryProcessSegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
  EXPECT_EQ(CALL(D3DKMTQueryStatistics, &statistics), STATUS_SUCCESS);
  D3DKMT_QUERYVIDEOMEMORYINFO memory = {.hAdapter = adapter};
  EXPECT_EQ(CALL(D3DKMTQueryVideoMemoryInfo, &memory), STATUS_SUCCESS);
  EXPECT_EQ(statistics.QueryResult.ProcessSegmentGroupInformation.Budget, memory.Budget);
}

static void ExpectProcesses(LUID luid) {
  ULONG processes[4] = {0};
  D3DKMT_ENUMPROCESSES list = {luid, processes, 4};
  EXPECT_EQ(CALL(D3DKMTEnumProcesses, &list), STATUS_SUCCESS);
  EXPECT_EQ(list.BufferCount, 1);
  EXPECT_EQ(processes[0], getpid());
}

/* A program's wchar_t has four bytes, and the contract's WCHAR two. */
static void ExpectNames(D3DKMT_HANDLE adapter) {
  struct {
    wchar_t adapter[MAX_PATH], bios[MAX_PATH], dac[MAX_PATH], chip[MAX_PATH];
  } wide;
  D3DKMT_ADAPTERREGISTRYINFO narrow = {0};
  EXPECT_EQ(Query(adapter, KMTQAITYPE_ADAPTERREGISTRYINFO, &narrow, sizeof(narrow)), STATUS_SUCCESS);
  EXPECT_EQ(Query(adapter, KMTQAITYPE_ADAPTERREGISTRYINFO, &wide, sizeof(wide)), STATUS_SUCCESS);
  EXPECT(wcslen(wide.adapter) > 0 && wcslen(wide.chip) > 0 && wcslen(wide.bios) == 0);
  for (size_t i = 0; i <= wcslen(wide.adapter); ++i) EXPECT_EQ(wide.adapter[i], narrow.AdapterString[i]);
  wchar_t description[4096];
  EXPECT_EQ(Query(adapter, KMTQAITYPE_DRIVER_DESCRIPTION, description, sizeof(description)), STATUS_SUCCESS);
  EXPECT_EQ(wcscmp(description, wide.adapter), 0);
  EXPECT_EQ(Query(adapter, KMTQAITYPE_DRIVER_DESCRIPTION, description, 16), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(Query(adapter, KMTQAITYPE_ADAPTERREGISTRYINFO, NULL, sizeof(narrow)), STATUS_BUFFER_TOO_SMALL);
}

static void ExpectIds(D3DKMT_HANDLE adapter) {
  D3DKMT_PHYSICAL_ADAPTER_COUNT count = {0};
  EXPECT_EQ(Query(adapter, KMTQAITYPE_PHYSICALADAPTERCOUNT, &count, sizeof(count)), STATUS_SUCCESS);
  EXPECT_EQ(count.Count, 1);
  D3DKMT_QUERY_DEVICE_IDS ids = {0};
  EXPECT_EQ(Query(adapter, KMTQAITYPE_PHYSICALADAPTERDEVICEIDS, &ids, sizeof(ids)), STATUS_SUCCESS);
  EXPECT_EQ(ids.DeviceIds.VendorID, 0);
  ids.PhysicalAdapterIndex = 1;
  EXPECT_EQ(Query(adapter, KMTQAITYPE_PHYSICALADAPTERDEVICEIDS, &ids, sizeof(ids)), STATUS_INVALID_PARAMETER);
}

static void ExpectSameList(const D3DKMT_ADAPTERINFO* infos, ULONG count) {
  D3DKMT_ADAPTERINFO again[kMostAdapters];
  D3DKMT_ENUMADAPTERS3 list = {.NumAdapters = kMostAdapters, .pAdapters = again};
  EXPECT_EQ(CALL(D3DKMTEnumAdapters3, &list), STATUS_SUCCESS);
  EXPECT_EQ(list.NumAdapters, count);
  for (ULONG i = 0; i < count; ++i) {
    EXPECT_EQ(again[i].AdapterLuid.LowPart, infos[i].AdapterLuid.LowPart);
    EXPECT(again[i].hAdapter != infos[i].hAdapter);
    CloseHandleOfAdapter(again[i].hAdapter);
  }
  if (count < 2) return;
  list.NumAdapters = count - 1;
  EXPECT_EQ(CALL(D3DKMTEnumAdapters3, &list), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(list.NumAdapters, count);
}

/* Sources have names in the order of the adapters; the characters have two bytes, or four as a program's wchar_t. */
static void ExpectDisplayNames(const D3DKMT_ADAPTERINFO* infos, ULONG count) {
  struct {
    wchar_t name[32];
    D3DKMT_HANDLE adapter;
    LUID luid;
    UINT source;
  } wide = {L"\\\\.\\DISPLAY1", 0, {0, 0}, 9};
  const ULONG soft = count - 1; /* no other one has a source */
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromGdiDisplayName, (void*)&wide), STATUS_SUCCESS);
  EXPECT_EQ(wide.luid.LowPart, infos[soft].AdapterLuid.LowPart);
  EXPECT_EQ(wide.source, 0);
  CloseHandleOfAdapter(wide.adapter);
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME open = {.DeviceName = u"\\\\.\\display1"};
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromGdiDisplayName, &open), STATUS_SUCCESS);
  EXPECT_EQ(open.AdapterLuid.LowPart, infos[soft].AdapterLuid.LowPart);
  CloseHandleOfAdapter(open.hAdapter);
  static const WCHAR kNone[][32] = {u"",        u"\\\\.\\DISPLAY", u"\\\\.\\DISPLAY0", u"\\\\.\\DISPLAY99", u"\\\\.\\DISPLAY1x",
                                    u"DISPLAY1"};
  for (size_t i = 0; i < sizeof(kNone) / sizeof(kNone[0]); ++i) {
    memcpy(open.DeviceName, kNone[i], sizeof(open.DeviceName));
    EXPECT_EQ(CALL(D3DKMTOpenAdapterFromGdiDisplayName, &open), STATUS_UNSUCCESSFUL);
  }
  D3DKMT_OPENADAPTERFROMHDC context = {.hDc = NULL};
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromHdc, &context), STATUS_INVALID_PARAMETER);
  context.hDc = (HDC)&context;
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromHdc, &context), STATUS_SUCCESS);
  EXPECT_EQ(context.AdapterLuid.LowPart, infos[soft].AdapterLuid.LowPart);
  EXPECT_EQ(context.VidPnSourceId, 0);
  CloseHandleOfAdapter(context.hAdapter);
  const D3DKMT_CHECKOCCLUSION no_window = {.hWindow = NULL};
  EXPECT_EQ(CALL(D3DKMTCheckOcclusion, &no_window), STATUS_INVALID_PARAMETER);
  D3DKMT_OPENADAPTERFROMDEVICENAME no_interface = {.pDeviceName = NULL};
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromDeviceName, &no_interface), STATUS_INVALID_PARAMETER);
}

void TestAdapters(void) {
  D3DKMT_ADAPTERINFO infos[kMostAdapters];
  D3DKMT_ENUMADAPTERS2 list = {kMostAdapters, infos};
  EXPECT_EQ(CALL(D3DKMTEnumAdapters2, &list), STATUS_SUCCESS);
  EXPECT(list.NumAdapters >= 1);
  const char* const fewest = getenv("TANDEM_TEST_ADAPTERS");
  if (fewest != NULL) EXPECT(list.NumAdapters >= (ULONG)atoi(fewest));
  for (ULONG i = 0; i < list.NumAdapters; ++i) {
    D3DKMT_OPENADAPTERFROMLUID open = {.AdapterLuid = infos[i].AdapterLuid};
    EXPECT_EQ(CALL(D3DKMTOpenAdapterFromLuid, &open), STATUS_SUCCESS);
    D3DKMT_ADAPTERTYPE type = {0};
    EXPECT_EQ(Query(open.hAdapter, KMTQAITYPE_ADAPTERTYPE, &type, sizeof(type)), STATUS_SUCCESS);
    EXPECT_EQ(type.RenderSupported, 1);
    D3DKMT_DRIVERVERSION version = 0;
    EXPECT_EQ(Query(open.hAdapter, KMTQAITYPE_DRIVERVERSION, &version, sizeof(version)), STATUS_SUCCESS);
    EXPECT(version >= KMT_DRIVERVERSION_WDDM_1_0);
    ExpectNames(open.hAdapter);
    ExpectIds(open.hAdapter);
    ExpectStatistics(infos[i].AdapterLuid, open.hAdapter);
    ExpectProcesses(infos[i].AdapterLuid);
    DestroyDevice(MakeDevice(open.hAdapter));
    CloseHandleOfAdapter(open.hAdapter);
  }
  EXPECT(infos[list.NumAdapters - 1].NumOfSources >= 1);
  ExpectSameList(infos, list.NumAdapters);
  ExpectDisplayNames(infos, list.NumAdapters);
  for (ULONG i = 0; i < list.NumAdapters; ++i) CloseHandleOfAdapter(infos[i].hAdapter);
}
