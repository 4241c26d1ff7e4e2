// Sizes and offsets of the driver contract in the x64 layout that its public pages imply. They are checked at compile time; the
// test at the end records that this file was compiled.
#include <cstddef>

#include <gtest/gtest.h>

#include <d3d10umddi.h>
#include <d3d12umddi.h>
#include <d3dkmthk.h>
#include <dispmprt.h>
#include <dxgiddi.h>

// The base types: LONG stays at 32 bits although Linux has a 64-bit long.
static_assert(sizeof(LONG) == 4 && sizeof(ULONG) == 4 && sizeof(UINT) == 4 && sizeof(BOOL) == 4);
static_assert(sizeof(D3D12DDI_TEXTURE_LAYOUT_CAPS_0026) == 20);
static_assert(sizeof(BOOLEAN) == 1 && sizeof(WCHAR) == 2 && sizeof(USHORT) == 2);
static_assert(sizeof(HANDLE) == 8 && sizeof(SIZE_T) == 8 && sizeof(ULONG_PTR) == 8);
static_assert(sizeof(DXGK_BRIGHTNESS_INTERFACE) == 56);
static_assert(sizeof(GUID) == 16 && sizeof(LUID) == 8 && sizeof(RECT) == 16 && sizeof(POINT) == 8);
static_assert(sizeof(LARGE_INTEGER) == 8 && sizeof(PHYSICAL_ADDRESS) == 8 && sizeof(UNICODE_STRING) == 16);
static_assert(sizeof(NTSTATUS) == 4 && sizeof(HRESULT) == 4);
static_assert(sizeof(DXGK_FEATURE_ID) == 4 && sizeof(D3DDDIFORMAT) == 4 && sizeof(DXGI_FORMAT) == 4);
static_assert(static_cast<UINT>(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) == 0xC01E0001U);
static_assert(!NT_SUCCESS(STATUS_GRAPHICS_ALLOCATION_BUSY) && NT_SUCCESS(STATUS_PENDING));

static_assert(sizeof(D3DKMT_ENUMADAPTERS3) == 24 && sizeof(D3DKMT_ENUMADAPTERS_FILTER) == 8);
static_assert(offsetof(D3DKMT_ENUMADAPTERS3, NumAdapters) == 8 && offsetof(D3DKMT_ENUMADAPTERS3, pAdapters) == 16);

// D3DKMT_SETDISPLAYMODE, member by member.
static_assert(offsetof(D3DKMT_SETDISPLAYMODE, hPrimaryAllocation) == 4);
static_assert(offsetof(D3DKMT_SETDISPLAYMODE, ScanLineOrdering) == 8);
static_assert(offsetof(D3DKMT_SETDISPLAYMODE, DisplayOrientation) == 12);
static_assert(offsetof(D3DKMT_SETDISPLAYMODE, PrivateDriverFormatAttribute) == 16);
static_assert(offsetof(D3DKMT_SETDISPLAYMODE, Flags) == 20);
static_assert(sizeof(D3DKMT_SETDISPLAYMODE) == 28);

// DXGKARG_PRESENT, member by member.
static_assert(offsetof(DXGKARG_PRESENT, pDmaBuffer) == 0);
static_assert(offsetof(DXGKARG_PRESENT, DmaSize) == 8);
static_assert(offsetof(DXGKARG_PRESENT, pDmaBufferPrivateData) == 16);
static_assert(offsetof(DXGKARG_PRESENT, DmaBufferPrivateDataSize) == 24);
static_assert(offsetof(DXGKARG_PRESENT, pAllocationList) == 32);
static_assert(offsetof(DXGKARG_PRESENT, pAllocationInfo) == 32);
static_assert(offsetof(DXGKARG_PRESENT, pPresentMultiPlaneOverlayInfo) == 32);
static_assert(offsetof(DXGKARG_PRESENT, pPatchLocationListOut) == 40);
static_assert(offsetof(DXGKARG_PRESENT, PatchLocationListOutSize) == 48);
static_assert(offsetof(DXGKARG_PRESENT, MultipassOffset) == 52);
static_assert(offsetof(DXGKARG_PRESENT, Color) == 56);
static_assert(offsetof(DXGKARG_PRESENT, DstRect) == 60);
static_assert(offsetof(DXGKARG_PRESENT, SrcRect) == 76);
static_assert(offsetof(DXGKARG_PRESENT, SubRectCnt) == 92);
static_assert(offsetof(DXGKARG_PRESENT, pDstSubRects) == 96);
static_assert(offsetof(DXGKARG_PRESENT, FlipInterval) == 104);
static_assert(offsetof(DXGKARG_PRESENT, Flags) == 108);
static_assert(offsetof(DXGKARG_PRESENT, DmaBufferSegmentId) == 112);
static_assert(offsetof(DXGKARG_PRESENT, DmaBufferPhysicalAddress) == 120);
static_assert(offsetof(DXGKARG_PRESENT, Reserved) == 128);
static_assert(offsetof(DXGKARG_PRESENT, DmaBufferGpuVirtualAddress) == 136);
static_assert(offsetof(DXGKARG_PRESENT, NumSrcAllocations) == 144);
static_assert(offsetof(DXGKARG_PRESENT, NumDstAllocations) == 148);
static_assert(offsetof(DXGKARG_PRESENT, PrivateDriverDataSize) == 152);
static_assert(offsetof(DXGKARG_PRESENT, pPrivateDriverData) == 160);

// Whole structures.
static_assert(sizeof(DXGKARG_PRESENT) == 168);
static_assert(sizeof(DXGKARG_RENDER) == 112);
static_assert(sizeof(DXGK_ALLOCATIONLIST) == 24);
static_assert(sizeof(D3DDDI_PATCHLOCATIONLIST) == 24);
static_assert(sizeof(DXGKARG_PATCH) == 120);
static_assert(sizeof(DXGKARG_SUBMITCOMMAND) == 96);
static_assert(sizeof(DXGKARG_SETVIDPNSOURCEADDRESS) == 2112);
static_assert(sizeof(DXGK_DEVICEINFO) == 24);
static_assert(sizeof(DXGK_CONTEXTINFO) == 32);
static_assert(sizeof(D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3) == 88);
static_assert(offsetof(D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, pDirtyRects) == 64);
static_assert(sizeof(D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3) == 32);
static_assert(sizeof(D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3) == 48);
static_assert(offsetof(D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3, Supported) == 40);
static_assert(sizeof(D3DKMT_QUERYVIDEOMEMORYINFO) == 56 && offsetof(D3DKMT_QUERYVIDEOMEMORYINFO, Budget) == 16);
static_assert(sizeof(D3DKMT_CHANGEVIDEOMEMORYRESERVATION) == 32);
static_assert(sizeof(D3DKMT_OFFERALLOCATIONS) == 40 && offsetof(D3DKMT_OFFERALLOCATIONS, Priority) == 28);
static_assert(sizeof(D3DKMT_RECLAIMALLOCATIONS2) == 40 && offsetof(D3DKMT_RECLAIMALLOCATIONS2, PagingFenceValue) == 32);
static_assert(sizeof(DXGKARG_CREATECONTEXT) == 72);
static_assert(sizeof(DXGK_ALLOCATIONINFO) == 88);
static_assert(sizeof(DXGK_DRIVERCAPS) == 592);
static_assert(sizeof(DXGKARG_QUERYFEATURESUPPORT) == 12);
static_assert(sizeof(DXGKARGCB_ISFEATUREENABLED2) == 12);
static_assert(sizeof(DXGKARGCB_QUERYFEATURESUPPORT) == 24);
static_assert(sizeof(DXGKARGCB_QUERYFEATUREINTERFACE) == 16);
static_assert(sizeof(DXGKARG_QUERYFEATUREINTERFACE) == 16);
static_assert(sizeof(DXGK_ISFEATUREENABLED_RESULT) == 4);
static_assert(sizeof(D3DKMT_ISFEATUREENABLED) == 12);
static_assert(sizeof(D3DKMT_SETCONTEXTSCHEDULINGPRIORITY) == 8 && sizeof(D3DKMT_GETCONTEXTSCHEDULINGPRIORITY) == 8);
static_assert(offsetof(D3DKMT_GETCONTEXTSCHEDULINGPRIORITY, Priority) == 4);
static_assert(sizeof(DXGKARGCB_ISFEATUREENABLED) == 16 && offsetof(DXGKARGCB_ISFEATUREENABLED, Enabled) == 12);
static_assert(offsetof(DXGKARGCB_QUERYFEATURESUPPORT, Enabled) == 16);
static_assert(offsetof(DXGKARG_QUERYFEATURESUPPORT, AllowExperimental) == 8);
static_assert(offsetof(DXGKARG_QUERYFEATURESUPPORT, SupportedOnCurrentConfig) == 10);
static_assert(offsetof(DXGKARG_QUERYFEATUREINTERFACE, InterfaceSize) == 6);
static_assert(offsetof(DXGKARG_QUERYFEATUREINTERFACE, Interface) == 8);
static_assert(offsetof(D3DKMT_ISFEATUREENABLED, Result) == 8);
static_assert(sizeof(DXGKISFEATUREENABLED2IOCTL) == 16 && sizeof(DXGK_DETAILED_FEATURE_ID) == 4);
static_assert(sizeof(DXGKDDIINT_FEATURE_SAMPLE_4) == 8 && sizeof(DXGKDDIINT_FEATURE_SAMPLE_5) == 16);
static_assert(sizeof(DXGKCBINT_FEATURE_SAMPLE_4) == 8 && sizeof(DXGKCBINT_FEATURE_NATIVEFENCE_1) == 8);
static_assert(sizeof(DXGKARG_FEATURE_SAMPLE_ADDVALUE) == 8 && sizeof(DXGKARGCB_FEATURE_SAMPLE_GETVALUE) == 4);
static_assert(DXGK_FEATURE_SAMPLE == 31 && DXGK_FEATURE_NATIVE_FENCE == 37 && DXGK_FEATURE_MAX == 38);
static_assert(DXGK_FEATURE_ID_CATEGORY(DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS) == DXGK_FEATURE_CATEGORY_OS);
static_assert(offsetof(DXGKARGCB_ISFEATUREENABLED2, Flags) == 4);
static_assert(offsetof(DXGKARGCB_ISFEATUREENABLED2, Result) == 8);

// The two feature interfaces, 0x30 bytes each.
static_assert(sizeof(DXGK_FEATURE_INTERFACE) == 0x30);
static_assert(offsetof(DXGK_FEATURE_INTERFACE, IsFeatureEnabled) == 0x20);
static_assert(offsetof(DXGK_FEATURE_INTERFACE, QueryFeatureInterface) == 0x28);
static_assert(sizeof(DXGKDDI_FEATURE_INTERFACE) == 0x30);
static_assert(offsetof(DXGKDDI_FEATURE_INTERFACE, QueryFeatureSupport) == 0x20);
static_assert(offsetof(DXGKDDI_FEATURE_INTERFACE, QueryFeatureInterface) == 0x28);
static_assert(sizeof(INTERFACE) == 0x20);

// Structures of d3dkmddi.h and d3dumddi.h that the headers under the MIT licence lack; sizes of the SDK.
static_assert(sizeof(DXGK_NODEMETADATA) == 74 && sizeof(DXGKARG_GETNODEMETADATA) == 74);
static_assert(sizeof(DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES) == 88);
static_assert(sizeof(DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO) == 104 && sizeof(DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2) == 24);
static_assert(offsetof(DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO, PlaneAttributes) == 16);
static_assert(sizeof(D3DKMDT_FENCESTORAGESURFACEDATA) == 120);
static_assert(offsetof(D3DKMDT_FENCESTORAGESURFACEDATA, AllocationInfo) == 32);
static_assert(sizeof(D3DDDI_DEVICECALLBACKS) == 520 && sizeof(D3DDDICB_RENDER) == 680);
static_assert(offsetof(D3DDDI_DEVICECALLBACKS, pfnDeallocate2Cb) == 46 * 8);
static_assert(offsetof(D3DDDI_DEVICECALLBACKS, pfnSubmitHistorySequenceCb) == 512);
static_assert(offsetof(D3DDDICB_RENDER, MarkerLogType) == 620 && offsetof(D3DDDICB_RENDER, pBatchedMarkerData) == 648);

// d3dumddi.h of Direct3D 9; sizes and slots of the SDK.
static_assert(sizeof(D3DDDIARG_OPENADAPTER) == 40 && offsetof(D3DDDIARG_OPENADAPTER, pAdapterFuncs) == 24);
static_assert(sizeof(D3DDDI_ADAPTERFUNCS) == 24 && offsetof(D3DDDI_ADAPTERFUNCS, pfnCreateDevice) == 8);
static_assert(sizeof(D3DDDIARG_CREATEDEVICE) == 96 && offsetof(D3DDDIARG_CREATEDEVICE, pDeviceFuncs) == 72);
static_assert(offsetof(D3DDDIARG_CREATEDEVICE, Flags) == 80 && offsetof(D3DDDIARG_CREATEDEVICE, CommandBuffer) == 88);
static_assert(sizeof(D3DDDIARG_GETCAPS) == 32 && sizeof(FORMATOP) == 20);
static_assert(sizeof(D3DDDIARG_SETDISPLAYMODE) == 16 && sizeof(D3DDDICB_SETDISPLAYMODE) == 8);
static_assert(sizeof(D3DDDIARG_PRESENT) == 40 && offsetof(D3DDDIARG_PRESENT, Flags) == 28);
static_assert(sizeof(D3DDDIARG_BLT) == 72 && offsetof(D3DDDIARG_BLT, hDstResource) == 32);
static_assert(offsetof(D3DDDIARG_BLT, ColorKey) == 60 && offsetof(D3DDDIARG_BLT, Flags) == 64);
static_assert(sizeof(D3DDDIARG_OPENRESOURCE) == 56 && offsetof(D3DDDIARG_OPENRESOURCE, hResource) == 40);
static_assert(sizeof(D3DDDI_DEVICEFUNCS) == 143 * 8 && offsetof(D3DDDI_DEVICEFUNCS, pfnCreateResource) == 37 * 8);
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnPresent) == 40 * 8 && offsetof(D3DDDI_DEVICEFUNCS, pfnBlt) == 55 * 8);
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnDestroyDevice) == 91 * 8 &&
              offsetof(D3DDDI_DEVICEFUNCS, pfnOpenResource) == 93 * 8);
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnCreateVideoProcessor) == 99 * 8);  // the first of Windows 7
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnVolBlt1) == 121 * 8);              // the first of Windows 8
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnCreateResource2) == 128 * 8);
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnReserved1) == 131 * 8);  // the first of WDDM 1.3
static_assert(offsetof(D3DDDI_DEVICEFUNCS, pfnReleaseResource) == 142 * 8);

static_assert(offsetof(DXGK_PRIMARYCONTEXTDATA, MmuId) == 16 && offsetof(DXGK_PRIMARYCONTEXTDATA, VirtualAddress) == 24);
static_assert(DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE == 0 && DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_FAILED == 1);
static_assert(D3DKMDT_MCC_IGNORE == 1 && D3DKMDT_MCC_ENFORCE == 2 && D3DKMDT_EPT_NOPIVOT == 5);

static_assert(sizeof(DXGK_GPUMMUCAPS) == 24 && sizeof(DXGK_PAGE_TABLE_LEVEL_DESC) == 20);
static_assert(sizeof(DXGKARG_SETROOTPAGETABLE) == 32 && sizeof(DXGKARG_FORMATHISTORYBUFFER) == 40);
static_assert(sizeof(DXGKARG_CALIBRATEGPUCLOCK) == 28 && sizeof(DXGKARG_QUERYVIDPNHWCAPABILITY) == 24);
static_assert(sizeof(DXGKARG_RECOMMENDMONITORMODES) == 24 && sizeof(DXGKARG_RECOMMENDVIDPNTOPOLOGY) == 24);

static_assert(sizeof(DXGK_POWER_RUNTIME_STATE) == 24 && sizeof(DXGK_POWER_RUNTIME_COMPONENT) == 336);
static_assert(offsetof(DXGK_POWER_RUNTIME_COMPONENT, ComponentMapping) == 200);

// Unions with a reserved variant are as large as that variant.
static_assert(sizeof(D3DDDI_SYNCHRONIZATIONOBJECTINFO2) == 80);
static_assert(sizeof(DXGKARGCB_NOTIFY_INTERRUPT_DATA) >= 4 + 16 * sizeof(UINT));
static_assert(sizeof(DXGKARG_BUILDPAGINGBUFFER) >= 64 * sizeof(UINT));
static_assert(D3DDDI_MAX_BROADCAST_CONTEXT + 1 == 65);
static_assert(sizeof(DXGKARG_SETVIDPNSOURCEADDRESS::Context) == 65 * sizeof(HANDLE));

// Tandem's additions follow the public members.
static_assert(offsetof(MDL, BackingFd) > offsetof(MDL, ByteOffset));
static_assert(offsetof(DEVICE_OBJECT, DriverObject) == 0);

TEST(WddmLayout, Structures_Compiled_HaveTheirPublicSizes) { SUCCEED(); }
