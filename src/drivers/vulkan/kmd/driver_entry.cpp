#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

NTSTATUS VulkanDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  DRIVER_INITIALIZATION_DATA data{};
  data.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_0;
  data.DxgkDdiAddDevice = &VulkanAddDevice;
  data.DxgkDdiStartDevice = &VulkanStartDevice;
  data.DxgkDdiStopDevice = &VulkanStopDevice;
  data.DxgkDdiRemoveDevice = &VulkanRemoveDevice;
  data.DxgkDdiInterruptRoutine = &VulkanInterruptRoutine;
  data.DxgkDdiDpcRoutine = &VulkanDpcRoutine;
  data.DxgkDdiQueryChildRelations = &VulkanQueryChildRelations;
  data.DxgkDdiQueryChildStatus = &VulkanQueryChildStatus;
  data.DxgkDdiQueryDeviceDescriptor = &VulkanQueryDeviceDescriptor;
  data.DxgkDdiQueryAdapterInfo = &VulkanQueryAdapterInfo;
  data.DxgkDdiGetNodeMetadata = &VulkanGetNodeMetadata;
  data.DxgkDdiCreateDevice = &VulkanCreateDevice;
  data.DxgkDdiDestroyDevice = &VulkanDestroyDevice;
  data.DxgkDdiCreateContext = &VulkanCreateContext;
  data.DxgkDdiDestroyContext = &VulkanDestroyContext;
  data.DxgkDdiEscape = &VulkanEscape;
  data.DxgkDdiCreateAllocation = &VulkanCreateAllocation;
  data.DxgkDdiDestroyAllocation = &VulkanDestroyAllocation;
  data.DxgkDdiDescribeAllocation = &VulkanDescribeAllocation;
  data.DxgkDdiGetStandardAllocationDriverData = &VulkanGetStandardAllocationDriverData;
  data.DxgkDdiOpenAllocation = &VulkanOpenAllocation;
  data.DxgkDdiCloseAllocation = &VulkanCloseAllocation;
  data.DxgkDdiBuildPagingBuffer = &VulkanBuildPagingBuffer;
  data.DxgkDdiSetAllocationBackingStore = &VulkanSetAllocationBackingStore;
  data.DxgkDdiPresent = &VulkanPresent;
  data.DxgkDdiRender = &VulkanRender;
  data.DxgkDdiPatch = &VulkanPatch;
  data.DxgkDdiSubmitCommand = &VulkanSubmitCommand;
  data.DxgkDdiPreemptCommand = &VulkanPreemptCommand;
  data.DxgkDdiCancelCommand = &VulkanCancelCommand;
  data.DxgkDdiQueryCurrentFence = &VulkanQueryCurrentFence;
  data.DxgkDdiQueryDependentEngineGroup = &VulkanQueryDependentEngineGroup;
  data.DxgkDdiQueryEngineStatus = &VulkanQueryEngineStatus;
  data.DxgkDdiResetEngine = &VulkanResetEngine;
  data.DxgkDdiResetFromTimeout = &VulkanResetFromTimeout;
  data.DxgkDdiRestartFromTimeout = &VulkanRestartFromTimeout;
  data.DxgkDdiCollectDbgInfo = &VulkanCollectDbgInfo;
  data.DxgkDdiSetVidPnSourceAddress = &VulkanSetVidPnSourceAddress;
  data.DxgkDdiSetVidPnSourceVisibility = &VulkanSetVidPnSourceVisibility;
  data.DxgkDdiSetPalette = &VulkanSetPalette;
  data.DxgkDdiCommitVidPn = &VulkanCommitVidPn;
  data.DxgkDdiUpdateActiveVidPnPresentPath = &VulkanUpdateActiveVidPnPresentPath;
  data.DxgkDdiIsSupportedVidPn = &VulkanIsSupportedVidPn;
  data.DxgkDdiRecommendFunctionalVidPn = &VulkanRecommendFunctionalVidPn;
  data.DxgkDdiEnumVidPnCofuncModality = &VulkanEnumVidPnCofuncModality;
  data.DxgkDdiGetScanLine = &VulkanGetScanLine;
  data.DxgkDdiControlInterrupt = &VulkanControlInterrupt;
  return DxgkInitialize(driver, registry_path, &data);
}

}  // namespace tandem::vulkan
