// The valid part of a driver's table, and the functions that must be in it.
#include <cstddef>

#include "kernel/adapter/driver.h"
#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

struct VersionSize {
  ULONG version;
  std::size_t bytes;
};

#define END_BEFORE(member) offsetof(DRIVER_INITIALIZATION_DATA, member)
// Reference 6.5, and appendices B ("since") and C (order).
constexpr VersionSize kVersions[] = {
    {DXGKDDI_INTERFACE_VERSION_VISTA, END_BEFORE(DxgkDdiDescribePageTable)},
    {DXGKDDI_INTERFACE_VERSION_VISTA_SP1, END_BEFORE(DxgkDdiDescribePageTable)},
    {DXGKDDI_INTERFACE_VERSION_WIN7, END_BEFORE(DxgkDdiSetPowerComponentFState)},
    {DXGKDDI_INTERFACE_VERSION_WIN8, END_BEFORE(DxgkDdiGetNodeMetadata)},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3, END_BEFORE(DxgkDdiRenderGdi)},
    {DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION, END_BEFORE(DxgkDdiRenderGdi)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_0, END_BEFORE(DxgkDdiPowerRuntimeSetDeviceHandle)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_1, END_BEFORE(DxgkDdiControlModeBehavior)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_1_5, END_BEFORE(DxgkDdiUpdateMonitorLinkInfo)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_1_6, END_BEFORE(DxgkDdiCreateHwContext)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_2, END_BEFORE(DxgkDdiGetMultiPlaneOverlayCaps)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_3, END_BEFORE(DxgkDdiSetSchedulingLogBuffer)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_4, END_BEFORE(DxgkDdiQueryDiagnosticTypesSupport)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_5, END_BEFORE(DxgkDdiSaveMemoryForHotUpdate)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_6, END_BEFORE(DxgkDdiControlInterrupt3)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_7, END_BEFORE(DxgkDdiSetFlipQueueLogBuffer)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_8, END_BEFORE(DxgkDdiSetFlipQueueLogBuffer)},
    {DXGKDDI_INTERFACE_VERSION_WDDM2_9, END_BEFORE(DxgkDdiSetAllocationBackingStore)},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_0, END_BEFORE(DxgkDdiCreateNativeFence)},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_1, END_BEFORE(DxgkDdiCreateDoorbell)},
    {DXGKDDI_INTERFACE_VERSION_WDDM3_2, sizeof(DRIVER_INITIALIZATION_DATA)},
};
#undef END_BEFORE

}  // namespace

Result<std::size_t> ValidTableBytes(ULONG version) {
  for (const VersionSize& known : kVersions) {
    if (known.version == version) return known.bytes;
  }
  return Fail(ErrorKind::kUnsupported,
              "{}: Version 0x{:X} of DRIVER_INITIALIZATION_DATA is not known; the newest known is 0x{:X}.",
              rules::kInterfaceVersion, version, static_cast<ULONG>(DXGKDDI_INTERFACE_VERSION_WDDM3_2));
}

Result<void> RequireSlots(std::span<const DdiSlot> slots) {
  for (const DdiSlot& slot : slots) {
    if (!slot.present) return Fail(ErrorKind::kInvalidArgument, "{}: {} is missing.", rules::kMandatoryDdi, slot.name);
  }
  return {};
}

Result<void> CheckMandatoryDdis(const DRIVER_INITIALIZATION_DATA& table) {
#define SLOT(member) \
  { table.member != nullptr, #member }
  const DdiSlot slots[] = {
      SLOT(DxgkDdiAddDevice),
      SLOT(DxgkDdiStartDevice),
      SLOT(DxgkDdiStopDevice),
      SLOT(DxgkDdiRemoveDevice),
      SLOT(DxgkDdiInterruptRoutine),
      SLOT(DxgkDdiDpcRoutine),
      SLOT(DxgkDdiQueryAdapterInfo),
      SLOT(DxgkDdiCreateDevice),
      SLOT(DxgkDdiDestroyDevice),
      SLOT(DxgkDdiCreateAllocation),
      SLOT(DxgkDdiDestroyAllocation),
      SLOT(DxgkDdiDescribeAllocation),
      SLOT(DxgkDdiGetStandardAllocationDriverData),
      SLOT(DxgkDdiOpenAllocation),
      SLOT(DxgkDdiCloseAllocation),
      SLOT(DxgkDdiBuildPagingBuffer),
      SLOT(DxgkDdiRender),
      SLOT(DxgkDdiPatch),
      SLOT(DxgkDdiSubmitCommand),
      SLOT(DxgkDdiPreemptCommand),
      SLOT(DxgkDdiResetFromTimeout),
      SLOT(DxgkDdiRestartFromTimeout),
  };
#undef SLOT
  if (Result<void> complete = RequireSlots(slots); !complete.ok()) return complete;
  if ((table.DxgkDdiCreateContext == nullptr) != (table.DxgkDdiDestroyContext == nullptr)) {
    return Fail(ErrorKind::kInvalidArgument, "{}: Only one of DxgkDdiCreateContext and DxgkDdiDestroyContext is there.",
                rules::kMandatoryDdi);
  }
  return {};
}

}  // namespace tandem::kernel
