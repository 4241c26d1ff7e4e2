// The DDIs of this miniport, as DriverEntry registers them; contracts stand at their types in the WDDM headers. hAdapter is the
// Miniport, hDevice and hContext are Device and Context, hDeviceSpecificAllocation is OpenAllocation.
#pragma once

#include <cstdint>

#include "drivers/vulkan/gpu/allocation.h"

#include <dispmprt.h>

namespace tandem::vulkan {

class Miniport;

struct Device {
  Miniport* miniport = nullptr;
};

struct Context {
  Miniport* miniport = nullptr;
  std::uint32_t node = 0;
};

struct OpenedAllocation {
  Allocation* allocation = nullptr;
};

// Addresses of the segments. The first one's name VkImages and primaries and nothing else; the second is system memory, the third
// the device's own, where the kernel moves rows in and out.
inline constexpr std::uint64_t kLocalBase = 1ULL << 32;
inline constexpr std::uint64_t kApertureBase = 1ULL << 44;
inline constexpr std::uint64_t kApertureBytes = 64ULL << 30;
inline constexpr std::uint64_t kMemoryBase = 1ULL << 46;
inline constexpr std::uint32_t kLocalSegment = 1;
inline constexpr std::uint32_t kApertureSegment = 2;
inline constexpr std::uint32_t kMemorySegment = 3;
inline constexpr std::uint32_t kSegmentCount = 3;

// ddi_adapter.cpp
NTSTATUS VulkanAddDevice(CONST PDEVICE_OBJECT physical_device_object, PVOID* miniport_context);
NTSTATUS VulkanStartDevice(CONST PVOID miniport_context, PDXGK_START_INFO start_info, PDXGKRNL_INTERFACE dxgkrnl, PULONG sources,
                           PULONG children);
NTSTATUS VulkanStopDevice(CONST PVOID miniport_context);
NTSTATUS VulkanRemoveDevice(CONST PVOID miniport_context);
BOOLEAN VulkanInterruptRoutine(CONST PVOID miniport_context, ULONG message);
VOID VulkanDpcRoutine(CONST PVOID miniport_context);
NTSTATUS VulkanQueryChildRelations(CONST PVOID miniport_context, PDXGK_CHILD_DESCRIPTOR children, ULONG size);
NTSTATUS VulkanQueryChildStatus(CONST PVOID miniport_context, PDXGK_CHILD_STATUS status, BOOLEAN non_destructive);
NTSTATUS VulkanQueryDeviceDescriptor(CONST PVOID miniport_context, ULONG child, PDXGK_DEVICE_DESCRIPTOR descriptor);
NTSTATUS VulkanCreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args);
NTSTATUS VulkanDestroyDevice(HANDLE device);
NTSTATUS VulkanCreateContext(HANDLE device, DXGKARG_CREATECONTEXT* args);
NTSTATUS VulkanDestroyContext(HANDLE context);
NTSTATUS VulkanEscape(HANDLE adapter, CONST DXGKARG_ESCAPE* args);

// ddi_caps.cpp
NTSTATUS VulkanQueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* query);
NTSTATUS VulkanGetNodeMetadata(HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA* metadata);

// ddi_allocation.cpp
NTSTATUS VulkanCreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args);
NTSTATUS VulkanDestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args);
NTSTATUS VulkanDescribeAllocation(HANDLE adapter, DXGKARG_DESCRIBEALLOCATION* args);
NTSTATUS VulkanGetStandardAllocationDriverData(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args);
NTSTATUS VulkanOpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* args);
NTSTATUS VulkanCloseAllocation(HANDLE device, CONST DXGKARG_CLOSEALLOCATION* args);

// ddi_paging.cpp
NTSTATUS VulkanBuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args);
NTSTATUS VulkanSetAllocationBackingStore(HANDLE adapter, DXGKARG_SETALLOCATIONBACKINGSTORE* args);

// ddi_present.cpp
NTSTATUS VulkanPresent(HANDLE context, DXGKARG_PRESENT* args);
NTSTATUS VulkanRender(HANDLE context, DXGKARG_RENDER* args);

// ddi_submit.cpp
NTSTATUS VulkanPatch(HANDLE adapter, CONST DXGKARG_PATCH* args);
NTSTATUS VulkanSubmitCommand(HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* args);
NTSTATUS VulkanPreemptCommand(HANDLE adapter, CONST DXGKARG_PREEMPTCOMMAND* args);
NTSTATUS VulkanCancelCommand(HANDLE adapter, CONST DXGKARG_CANCELCOMMAND* args);
NTSTATUS VulkanQueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* args);
NTSTATUS VulkanQueryDependentEngineGroup(HANDLE adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP* args);
NTSTATUS VulkanQueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* args);
NTSTATUS VulkanResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* args);
NTSTATUS VulkanResetFromTimeout(HANDLE adapter);
NTSTATUS VulkanRestartFromTimeout(HANDLE adapter);
NTSTATUS VulkanCollectDbgInfo(HANDLE adapter, CONST DXGKARG_COLLECTDBGINFO* args);

// ddi_display.cpp
NTSTATUS VulkanSetVidPnSourceAddress(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEADDRESS* args);
NTSTATUS VulkanSetVidPnSourceVisibility(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* args);
NTSTATUS VulkanSetPalette(HANDLE adapter, CONST DXGKARG_SETPALETTE* args);
NTSTATUS VulkanGetScanLine(HANDLE adapter, DXGKARG_GETSCANLINE* args);
NTSTATUS VulkanControlInterrupt(HANDLE adapter, CONST DXGK_INTERRUPT_TYPE type, BOOLEAN enable);

// ddi_vidpn.cpp
NTSTATUS VulkanIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* args);
NTSTATUS VulkanEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* args);
NTSTATUS VulkanCommitVidPn(HANDLE adapter, CONST DXGKARG_COMMITVIDPN* args);
NTSTATUS VulkanUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* args);
NTSTATUS VulkanRecommendFunctionalVidPn(HANDLE adapter, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* args);

}  // namespace tandem::vulkan
