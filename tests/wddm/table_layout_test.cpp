// The slots of the two function tables, at the x64 offsets of their public pages. Drivers built elsewhere rely on each one.
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>

#include <dispmprt.h>

namespace {

// A PVOID accepts no function without a cast and cannot be called.
template <typename Slot>
constexpr bool IsFunction(std::string_view name) {
  if (name.starts_with("DxgkDdi") || name.starts_with("DxgkCb")) return std::is_function_v<std::remove_pointer_t<Slot>>;
  return name == "Size" || name == "Version" || name == "DeviceHandle" || name.starts_with("Reserved");
}

#define SLOT(offset, member)                                                        \
  static_assert(offsetof(DRIVER_INITIALIZATION_DATA, member) == (offset), #member); \
  static_assert(IsFunction<decltype(DRIVER_INITIALIZATION_DATA::member)>(#member), #member)

SLOT(0x000, Version);
SLOT(0x008, DxgkDdiAddDevice);
SLOT(0x010, DxgkDdiStartDevice);
SLOT(0x018, DxgkDdiStopDevice);
SLOT(0x020, DxgkDdiRemoveDevice);
SLOT(0x028, DxgkDdiDispatchIoRequest);
SLOT(0x030, DxgkDdiInterruptRoutine);
SLOT(0x038, DxgkDdiDpcRoutine);
SLOT(0x040, DxgkDdiQueryChildRelations);
SLOT(0x048, DxgkDdiQueryChildStatus);
SLOT(0x050, DxgkDdiQueryDeviceDescriptor);
SLOT(0x058, DxgkDdiSetPowerState);
SLOT(0x060, DxgkDdiNotifyAcpiEvent);
SLOT(0x068, DxgkDdiResetDevice);
SLOT(0x070, DxgkDdiUnload);
SLOT(0x078, DxgkDdiQueryInterface);
SLOT(0x080, DxgkDdiControlEtwLogging);
SLOT(0x088, DxgkDdiQueryAdapterInfo);
SLOT(0x090, DxgkDdiCreateDevice);
SLOT(0x098, DxgkDdiCreateAllocation);
SLOT(0x0A0, DxgkDdiDestroyAllocation);
SLOT(0x0A8, DxgkDdiDescribeAllocation);
SLOT(0x0B0, DxgkDdiGetStandardAllocationDriverData);
SLOT(0x0B8, DxgkDdiAcquireSwizzlingRange);
SLOT(0x0C0, DxgkDdiReleaseSwizzlingRange);
SLOT(0x0C8, DxgkDdiPatch);
SLOT(0x0D0, DxgkDdiSubmitCommand);
SLOT(0x0D8, DxgkDdiPreemptCommand);
SLOT(0x0E0, DxgkDdiBuildPagingBuffer);
SLOT(0x0E8, DxgkDdiSetPalette);
SLOT(0x0F0, DxgkDdiSetPointerPosition);
SLOT(0x0F8, DxgkDdiSetPointerShape);
SLOT(0x100, DxgkDdiResetFromTimeout);
SLOT(0x108, DxgkDdiRestartFromTimeout);
SLOT(0x110, DxgkDdiEscape);
SLOT(0x118, DxgkDdiCollectDbgInfo);
SLOT(0x120, DxgkDdiQueryCurrentFence);
SLOT(0x128, DxgkDdiIsSupportedVidPn);
SLOT(0x130, DxgkDdiRecommendFunctionalVidPn);
SLOT(0x138, DxgkDdiEnumVidPnCofuncModality);
SLOT(0x140, DxgkDdiSetVidPnSourceAddress);
SLOT(0x148, DxgkDdiSetVidPnSourceVisibility);
SLOT(0x150, DxgkDdiCommitVidPn);
SLOT(0x158, DxgkDdiUpdateActiveVidPnPresentPath);
SLOT(0x160, DxgkDdiRecommendMonitorModes);
SLOT(0x168, DxgkDdiRecommendVidPnTopology);
SLOT(0x170, DxgkDdiGetScanLine);
SLOT(0x178, DxgkDdiStopCapture);
SLOT(0x180, DxgkDdiControlInterrupt);
SLOT(0x188, DxgkDdiCreateOverlay);
SLOT(0x190, DxgkDdiDestroyDevice);
SLOT(0x198, DxgkDdiOpenAllocation);
SLOT(0x1A0, DxgkDdiCloseAllocation);
SLOT(0x1A8, DxgkDdiRender);
SLOT(0x1B0, DxgkDdiPresent);
SLOT(0x1B8, DxgkDdiUpdateOverlay);
SLOT(0x1C0, DxgkDdiFlipOverlay);
SLOT(0x1C8, DxgkDdiDestroyOverlay);
SLOT(0x1D0, DxgkDdiCreateContext);
SLOT(0x1D8, DxgkDdiDestroyContext);
SLOT(0x1E0, DxgkDdiLinkDevice);
SLOT(0x1E8, DxgkDdiSetDisplayPrivateDriverFormat);
SLOT(0x1F0, DxgkDdiDescribePageTable);
SLOT(0x1F8, DxgkDdiUpdatePageTable);
SLOT(0x200, DxgkDdiUpdatePageDirectory);
SLOT(0x208, DxgkDdiMovePageDirectory);
SLOT(0x210, DxgkDdiSubmitRender);
SLOT(0x218, DxgkDdiCreateAllocation2);
SLOT(0x220, DxgkDdiRenderKm);
SLOT(0x228, Reserved);
SLOT(0x230, DxgkDdiQueryVidPnHWCapability);
SLOT(0x238, DxgkDdiSetPowerComponentFState);
SLOT(0x240, DxgkDdiQueryDependentEngineGroup);
SLOT(0x248, DxgkDdiQueryEngineStatus);
SLOT(0x250, DxgkDdiResetEngine);
SLOT(0x258, DxgkDdiStopDeviceAndReleasePostDisplayOwnership);
SLOT(0x260, DxgkDdiSystemDisplayEnable);
SLOT(0x268, DxgkDdiSystemDisplayWrite);
SLOT(0x270, DxgkDdiCancelCommand);
SLOT(0x278, DxgkDdiGetChildContainerId);
SLOT(0x280, DxgkDdiPowerRuntimeControlRequest);
SLOT(0x288, DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay);
SLOT(0x290, DxgkDdiNotifySurpriseRemoval);
SLOT(0x298, DxgkDdiGetNodeMetadata);
SLOT(0x2A0, DxgkDdiSetPowerPState);
SLOT(0x2A8, DxgkDdiControlInterrupt2);
SLOT(0x2B0, DxgkDdiCheckMultiPlaneOverlaySupport);
SLOT(0x2B8, DxgkDdiCalibrateGpuClock);
SLOT(0x2C0, DxgkDdiFormatHistoryBuffer);
SLOT(0x2C8, DxgkDdiRenderGdi);
SLOT(0x2D0, DxgkDdiSubmitCommandVirtual);
SLOT(0x2D8, DxgkDdiSetRootPageTable);
SLOT(0x2E0, DxgkDdiGetRootPageTableSize);
SLOT(0x2E8, DxgkDdiMapCpuHostAperture);
SLOT(0x2F0, DxgkDdiUnmapCpuHostAperture);
SLOT(0x2F8, DxgkDdiCheckMultiPlaneOverlaySupport2);
SLOT(0x300, DxgkDdiCreateProcess);
SLOT(0x308, DxgkDdiDestroyProcess);
SLOT(0x310, DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2);
SLOT(0x318, Reserved1);
SLOT(0x320, Reserved2);
SLOT(0x328, DxgkDdiPowerRuntimeSetDeviceHandle);
SLOT(0x330, DxgkDdiSetStablePowerState);
SLOT(0x338, DxgkDdiSetVideoProtectedRegion);
SLOT(0x340, DxgkDdiCheckMultiPlaneOverlaySupport3);
SLOT(0x348, DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3);
SLOT(0x350, DxgkDdiPostMultiPlaneOverlayPresent);
SLOT(0x358, DxgkDdiValidateUpdateAllocationProperty);
SLOT(0x360, DxgkDdiControlModeBehavior);
SLOT(0x368, DxgkDdiUpdateMonitorLinkInfo);
SLOT(0x370, DxgkDdiCreateHwContext);
SLOT(0x378, DxgkDdiDestroyHwContext);
SLOT(0x380, DxgkDdiCreateHwQueue);
SLOT(0x388, DxgkDdiDestroyHwQueue);
SLOT(0x390, DxgkDdiSubmitCommandToHwQueue);
SLOT(0x398, DxgkDdiSwitchToHwContextList);
SLOT(0x3A0, DxgkDdiResetHwEngine);
SLOT(0x3A8, DxgkDdiCreatePeriodicFrameNotification);
SLOT(0x3B0, DxgkDdiDestroyPeriodicFrameNotification);
SLOT(0x3B8, DxgkDdiSetTimingsFromVidPn);
SLOT(0x3C0, DxgkDdiSetTargetGamma);
SLOT(0x3C8, DxgkDdiSetTargetContentType);
SLOT(0x3D0, DxgkDdiSetTargetAnalogCopyProtection);
SLOT(0x3D8, DxgkDdiSetTargetAdjustedColorimetry);
SLOT(0x3E0, DxgkDdiDisplayDetectControl);
SLOT(0x3E8, DxgkDdiQueryConnectionChange);
SLOT(0x3F0, DxgkDdiExchangePreStartInfo);
SLOT(0x3F8, DxgkDdiGetMultiPlaneOverlayCaps);
SLOT(0x400, DxgkDdiGetPostCompositionCaps);
SLOT(0x408, DxgkDdiUpdateHwContextState);
SLOT(0x410, DxgkDdiCreateProtectedSession);
SLOT(0x418, DxgkDdiDestroyProtectedSession);
SLOT(0x420, DxgkDdiSetSchedulingLogBuffer);
SLOT(0x428, DxgkDdiSetupPriorityBands);
SLOT(0x430, DxgkDdiNotifyFocusPresent);
SLOT(0x438, DxgkDdiSetContextSchedulingProperties);
SLOT(0x440, DxgkDdiSuspendContext);
SLOT(0x448, DxgkDdiResumeContext);
SLOT(0x450, DxgkDdiSetVirtualMachineData);
SLOT(0x458, DxgkDdiBeginExclusiveAccess);
SLOT(0x460, DxgkDdiEndExclusiveAccess);
SLOT(0x468, DxgkDdiQueryDiagnosticTypesSupport);
SLOT(0x470, DxgkDdiControlDiagnosticReporting);
SLOT(0x478, DxgkDdiResumeHwEngine);
SLOT(0x480, DxgkDdiSignalMonitoredFence);
SLOT(0x488, DxgkDdiPresentToHwQueue);
SLOT(0x490, DxgkDdiValidateSubmitCommand);
SLOT(0x498, DxgkDdiSetTargetAdjustedColorimetry2);
SLOT(0x4A0, DxgkDdiSetTrackedWorkloadPowerLevel);
SLOT(0x4A8, DxgkDdiSaveMemoryForHotUpdate);
SLOT(0x4B0, DxgkDdiRestoreMemoryForHotUpdate);
SLOT(0x4B8, DxgkDdiCollectDiagnosticInfo);
SLOT(0x4C0, Reserved3);
SLOT(0x4C8, DxgkDdiControlInterrupt3);
SLOT(0x4D0, DxgkDdiSetFlipQueueLogBuffer);
SLOT(0x4D8, DxgkDdiUpdateFlipQueueLog);
SLOT(0x4E0, DxgkDdiCancelQueuedFlips);
SLOT(0x4E8, DxgkDdiSetInterruptTargetPresentId);
SLOT(0x4F0, DxgkDdiSetAllocationBackingStore);
SLOT(0x4F8, DxgkDdiCreateCpuEvent);
SLOT(0x500, DxgkDdiDestroyCpuEvent);
SLOT(0x508, DxgkDdiCancelFlips);
SLOT(0x510, DxgkDdiCreateNativeFence);
SLOT(0x518, DxgkDdiDestroyNativeFence);
SLOT(0x520, DxgkDdiUpdateMonitoredValues);
SLOT(0x528, DxgkDdiNotifyCurrentValueUpdates);
SLOT(0x530, DxgkDdiCreateDoorbell);
SLOT(0x538, DxgkDdiConnectDoorbell);
SLOT(0x540, DxgkDdiDisconnectDoorbell);
SLOT(0x548, DxgkDdiDestroyDoorbell);
SLOT(0x550, DxgkDdiNotifyWorkSubmission);
SLOT(0x558, DxgkDdiFlushHwQueue);
SLOT(0x600, DxgkDdiResetDisplayEngine);
#undef SLOT
static_assert(sizeof(DRIVER_INITIALIZATION_DATA) == 0x608);

#define SLOT(offset, member)                                               \
  static_assert(offsetof(DXGKRNL_INTERFACE, member) == (offset), #member); \
  static_assert(IsFunction<decltype(DXGKRNL_INTERFACE::member)>(#member), #member)

SLOT(0x000, Size);
SLOT(0x004, Version);
SLOT(0x008, DeviceHandle);
SLOT(0x010, DxgkCbEvalAcpiMethod);
SLOT(0x018, DxgkCbGetDeviceInformation);
SLOT(0x020, DxgkCbIndicateChildStatus);
SLOT(0x028, DxgkCbMapMemory);
SLOT(0x030, DxgkCbQueueDpc);
SLOT(0x038, DxgkCbQueryServices);
SLOT(0x040, DxgkCbReadDeviceSpace);
SLOT(0x048, DxgkCbSynchronizeExecution);
SLOT(0x050, DxgkCbUnmapMemory);
SLOT(0x058, DxgkCbWriteDeviceSpace);
SLOT(0x060, DxgkCbIsDevicePresent);
SLOT(0x068, DxgkCbGetHandleData);
SLOT(0x070, DxgkCbGetHandleParent);
SLOT(0x078, DxgkCbEnumHandleChildren);
SLOT(0x080, DxgkCbNotifyInterrupt);
SLOT(0x088, DxgkCbNotifyDpc);
SLOT(0x090, DxgkCbQueryVidPnInterface);
SLOT(0x098, DxgkCbQueryMonitorInterface);
SLOT(0x0A0, DxgkCbGetCaptureAddress);
SLOT(0x0A8, DxgkCbLogEtwEvent);
SLOT(0x0B0, DxgkCbExcludeAdapterAccess);
SLOT(0x0B8, DxgkCbCreateContextAllocation);
SLOT(0x0C0, DxgkCbDestroyContextAllocation);
SLOT(0x0C8, DxgkCbSetPowerComponentActive);
SLOT(0x0D0, DxgkCbSetPowerComponentIdle);
SLOT(0x0D8, DxgkCbAcquirePostDisplayOwnership);
SLOT(0x0E0, DxgkCbPowerRuntimeControlRequest);
SLOT(0x0E8, DxgkCbSetPowerComponentLatency);
SLOT(0x0F0, DxgkCbSetPowerComponentResidency);
SLOT(0x0F8, DxgkCbCompleteFStateTransition);
SLOT(0x100, DxgkCbCompletePStateTransition);
SLOT(0x108, DxgkCbMapContextAllocation);
SLOT(0x110, DxgkCbUpdateContextAllocation);
SLOT(0x118, DxgkCbReserveGpuVirtualAddressRange);
SLOT(0x120, DxgkCbAcquireHandleData);
SLOT(0x128, DxgkCbReleaseHandleData);
SLOT(0x130, DxgkCbHardwareContentProtectionTeardown);
SLOT(0x138, DxgkCbMultiPlaneOverlayDisabled);
SLOT(0x140, DxgkCbMitigatedRangeUpdate);
SLOT(0x148, DxgkCbInvalidateHwContext);
SLOT(0x150, DxgkCbIndicateConnectorChange);
SLOT(0x158, DxgkCbUnblockUEFIFrameBufferRanges);
SLOT(0x160, DxgkCbAcquirePostDisplayOwnership2);
SLOT(0x168, DxgkCbSetProtectedSessionStatus);
SLOT(0x170, DxgkCbAllocateContiguousMemory);
SLOT(0x178, DxgkCbFreeContiguousMemory);
SLOT(0x180, DxgkCbAllocatePagesForMdl);
SLOT(0x188, DxgkCbFreePagesFromMdl);
SLOT(0x190, DxgkCbPinFrameBufferForSave);
SLOT(0x198, DxgkCbUnpinFrameBufferForSave);
SLOT(0x1A0, DxgkCbMapFrameBufferPointer);
SLOT(0x1A8, DxgkCbUnmapFrameBufferPointer);
SLOT(0x1B0, DxgkCbMapMdlToIoMmu);
SLOT(0x1B8, DxgkCbUnmapMdlFromIoMmu);
SLOT(0x1C0, DxgkCbReportDiagnostic);
SLOT(0x1C8, DxgkCbSignalEvent);
SLOT(0x1D0, DxgkCbIsFeatureEnabled);
SLOT(0x1D8, DxgkCbSaveMemoryForHotUpdate);
SLOT(0x1E0, DxgkCbNotifyCursorSupportChange);
SLOT(0x1E8, DxgkCbQueryFeatureSupport);
SLOT(0x1F0, DxgkCbCreatePhysicalMemoryObject);
SLOT(0x1F8, DxgkCbDestroyPhysicalMemoryObject);
SLOT(0x200, DxgkCbMapPhysicalMemory);
SLOT(0x208, DxgkCbUnmapPhysicalMemory);
SLOT(0x210, DxgkCbAllocateAdl);
SLOT(0x218, DxgkCbFreeAdl);
SLOT(0x220, DxgkCbOpenPhysicalMemoryObject);
SLOT(0x228, DxgkCbClosePhysicalMemoryObject);
SLOT(0x230, DxgkCbPinFrameBufferForSave2);
SLOT(0x238, DxgkCbDisconnectDoorbell);
#undef SLOT
static_assert(sizeof(DXGKRNL_INTERFACE) == 0x240);

TEST(WddmLayout, Tables_Compiled_HaveTheirPublicOffsets) { SUCCEED(); }

// A display miniport fills its table in this way: functions with the published prototypes, no casts.
NTSTATUS APIENTRY QueryVidPnHwCapability(HANDLE, DXGKARG_QUERYVIDPNHWCAPABILITY* capability) {
  capability->VidPnHWCaps.DriverRotation = 1;
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY RecommendMonitorModes(HANDLE, CONST DXGKARG_RECOMMENDMONITORMODES* modes) {
  D3DKMDT_MONITOR_SOURCE_MODE* mode = nullptr;
  return modes->pMonitorSourceModeSetInterface->pfnCreateNewModeInfo(modes->hMonitorSourceModeSet, &mode);
}
NTSTATUS APIENTRY SystemDisplayEnable(PVOID, D3DDDI_VIDEO_PRESENT_TARGET_ID, PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS, UINT* width,
                                      UINT*, D3DDDIFORMAT*) {
  *width = 640;
  return STATUS_SUCCESS;
}
VOID APIENTRY SystemDisplayWrite(PVOID, PVOID, UINT, UINT, UINT, UINT, UINT) {}
NTSTATUS APIENTRY CalibrateGpuClock(HANDLE, UINT32, UINT32, DXGKARG_CALIBRATEGPUCLOCK* clock) {
  clock->GpuFrequency = 1;
  return STATUS_SUCCESS;
}
VOID APIENTRY SetRootPageTable(HANDLE, CONST DXGKARG_SETROOTPAGETABLE*) {}

TEST(WddmLayout, Table_FilledByADisplayMiniport_TakesItsFunctionsAndCallsThem) {
  DRIVER_INITIALIZATION_DATA table{};
  table.DxgkDdiQueryVidPnHWCapability = QueryVidPnHwCapability;
  table.DxgkDdiRecommendMonitorModes = RecommendMonitorModes;
  table.DxgkDdiSystemDisplayEnable = SystemDisplayEnable;
  table.DxgkDdiSystemDisplayWrite = SystemDisplayWrite;
  table.DxgkDdiCalibrateGpuClock = CalibrateGpuClock;
  table.DxgkDdiSetRootPageTable = SetRootPageTable;
  DXGKARG_QUERYVIDPNHWCAPABILITY capability{};
  EXPECT_EQ(table.DxgkDdiQueryVidPnHWCapability(nullptr, &capability), STATUS_SUCCESS);
  EXPECT_EQ(capability.VidPnHWCaps.DriverRotation, 1U);
  UINT width = 0;
  EXPECT_EQ(table.DxgkDdiSystemDisplayEnable(nullptr, 0, nullptr, &width, nullptr, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(width, 640U);
}

}  // namespace
