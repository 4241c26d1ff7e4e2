// The table of a display-only driver, in the slots of a full one.
#include <cstddef>
#include <cstring>

#include "kernel/adapter/driver.h"
#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

// Display-only drivers came with Windows 8.
Result<KMDDOD_INITIALIZATION_DATA> ValidPart(const KMDDOD_INITIALIZATION_DATA& table) {
  if (const auto known = ValidTableBytes(table.Version); !known.ok()) return known.error();
  if (table.Version < DXGKDDI_INTERFACE_VERSION_WIN8) {
    return Fail(ErrorKind::kUnsupported, "{}: Version 0x{:X} of KMDDOD_INITIALIZATION_DATA is below 0x{:X}.",
                rules::kInterfaceVersion, table.Version, static_cast<ULONG>(DXGKDDI_INTERFACE_VERSION_WIN8));
  }
  const std::size_t bytes = table.Version < DXGKDDI_INTERFACE_VERSION_WDDM2_1
                                ? offsetof(KMDDOD_INITIALIZATION_DATA, DxgkDdiPowerRuntimeSetDeviceHandle)
                                : sizeof(table);
  KMDDOD_INITIALIZATION_DATA valid{};
  std::memcpy(&valid, &table, bytes);
  return valid;
}

// A driver without DxgkDdiInterruptRoutine and DxgkDdiDpcRoutine is one of a device without an interrupt.
Result<void> CheckMandatory(const KMDDOD_INITIALIZATION_DATA& table) {
#define SLOT(member) \
  { table.member != nullptr, #member }
  const DdiSlot slots[] = {
      SLOT(DxgkDdiAddDevice),
      SLOT(DxgkDdiStartDevice),
      SLOT(DxgkDdiStopDevice),
      SLOT(DxgkDdiRemoveDevice),
      SLOT(DxgkDdiQueryChildRelations),
      SLOT(DxgkDdiQueryChildStatus),
      SLOT(DxgkDdiQueryAdapterInfo),
      SLOT(DxgkDdiIsSupportedVidPn),
      SLOT(DxgkDdiEnumVidPnCofuncModality),
      SLOT(DxgkDdiSetVidPnSourceVisibility),
      SLOT(DxgkDdiCommitVidPn),
      SLOT(DxgkDdiPresentDisplayOnly),
  };
#undef SLOT
  return RequireSlots(slots);
}

}  // namespace

Result<DRIVER_INITIALIZATION_DATA> WidenTable(const KMDDOD_INITIALIZATION_DATA& table) {
  const auto valid = ValidPart(table);
  if (!valid.ok()) return valid.error();
  if (const auto complete = CheckMandatory(*valid); !complete.ok()) return complete.error();
  DRIVER_INITIALIZATION_DATA wide{};
#define COPY(member) wide.member = valid->member
  COPY(Version);
  COPY(DxgkDdiAddDevice);
  COPY(DxgkDdiStartDevice);
  COPY(DxgkDdiStopDevice);
  COPY(DxgkDdiRemoveDevice);
  COPY(DxgkDdiDispatchIoRequest);
  COPY(DxgkDdiInterruptRoutine);
  COPY(DxgkDdiDpcRoutine);
  COPY(DxgkDdiQueryChildRelations);
  COPY(DxgkDdiQueryChildStatus);
  COPY(DxgkDdiQueryDeviceDescriptor);
  COPY(DxgkDdiSetPowerState);
  COPY(DxgkDdiNotifyAcpiEvent);
  COPY(DxgkDdiResetDevice);
  COPY(DxgkDdiUnload);
  COPY(DxgkDdiQueryInterface);
  COPY(DxgkDdiControlEtwLogging);
  COPY(DxgkDdiQueryAdapterInfo);
  COPY(DxgkDdiSetPalette);
  COPY(DxgkDdiSetPointerPosition);
  COPY(DxgkDdiSetPointerShape);
  COPY(DxgkDdiEscape);
  COPY(DxgkDdiCollectDbgInfo);
  COPY(DxgkDdiIsSupportedVidPn);
  COPY(DxgkDdiRecommendFunctionalVidPn);
  COPY(DxgkDdiEnumVidPnCofuncModality);
  COPY(DxgkDdiSetVidPnSourceVisibility);
  COPY(DxgkDdiCommitVidPn);
  COPY(DxgkDdiUpdateActiveVidPnPresentPath);
  COPY(DxgkDdiRecommendMonitorModes);
  COPY(DxgkDdiGetScanLine);
  COPY(DxgkDdiQueryVidPnHWCapability);
  COPY(DxgkDdiStopDeviceAndReleasePostDisplayOwnership);
  COPY(DxgkDdiSystemDisplayEnable);
  COPY(DxgkDdiSystemDisplayWrite);
  COPY(DxgkDdiGetChildContainerId);
  COPY(DxgkDdiControlInterrupt);
  COPY(DxgkDdiSetPowerComponentFState);
  COPY(DxgkDdiPowerRuntimeControlRequest);
  COPY(DxgkDdiNotifySurpriseRemoval);
  COPY(DxgkDdiPowerRuntimeSetDeviceHandle);
#undef COPY
  return wide;
}

}  // namespace tandem::kernel
