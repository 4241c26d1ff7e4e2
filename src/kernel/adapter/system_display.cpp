#include "kernel/adapter/system_display.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/status_name.h"
#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

Result<void> CheckDisplay(Adapter& adapter, const SystemDisplay& display) {
  const bool has_extent =
      display.width != 0 && display.height != 0 && display.width <= kMaxSurfaceExtent && display.height <= kMaxSurfaceExtent;
  const bool has_format =
      display.format == D3DDDIFMT_A8R8G8B8 || display.format == D3DDDIFMT_X8R8G8B8 || display.format == D3DDDIFMT_R8G8B8;
  if (!has_extent || !has_format) {
    adapter.ReportViolation(rules::kSystemDisplayMode,
                            fmt::format("DxgkDdiSystemDisplayEnable succeeded with a mode of {} x {} in format {}.",
                                        display.width, display.height, static_cast<int>(display.format)));
  }
  const std::string broken = adapter.violation();
  return broken.empty() ? Result<void>() : Fail(ErrorKind::kDeviceLost, "{}", broken);
}

}  // namespace

Result<SystemDisplay> EnableSystemDisplay(Adapter& adapter) {
  const DRIVER_INITIALIZATION_DATA& ddi = adapter.ddi();
  if (!adapter.alive()) return Fail(ErrorKind::kDeviceLost, "Adapter {} is stopped.", adapter.name());
  if (ddi.DxgkDdiSystemDisplayEnable == nullptr || ddi.DxgkDdiSystemDisplayWrite == nullptr) {
    return Fail(ErrorKind::kUnsupported, "The driver has no DxgkDdiSystemDisplayEnable, or no DxgkDdiSystemDisplayWrite.");
  }
  NTSTATUS status = STATUS_NOT_SUPPORTED;
  for (const ULONG target : adapter.targets()) {
    if (!adapter.monitors().Of(target).connected) continue;
    SystemDisplay display;
    DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags{};
    D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
    status = adapter.gate().Call(Ddi::kSystemDisplayEnable, ddi.DxgkDdiSystemDisplayEnable, adapter.miniport_context(), target,
                                 &flags, &display.width, &display.height, &format);
    if (!NT_SUCCESS(status)) continue;
    display.format = format;
    if (auto sane = CheckDisplay(adapter, display); !sane.ok()) return std::move(sane).error();
    return display;
  }
  if (ddi.DxgkDdiResetDevice != nullptr)
    adapter.gate().Call(Ddi::kResetDeviceWhenStopped, ddi.DxgkDdiResetDevice, adapter.miniport_context());
  if (const std::string broken = adapter.violation(); !broken.empty()) return Fail(ErrorKind::kDeviceLost, "{}", broken);
  return Fail(status == STATUS_NOT_SUPPORTED ? ErrorKind::kUnsupported : ErrorKind::kInternal,
              "DxgkDdiSystemDisplayEnable answered {}.", StatusText(status));
}

Result<void> WriteSystemDisplay(Adapter& adapter, const SystemBlock& block) {
  if (!adapter.alive()) return Fail(ErrorKind::kDeviceLost, "Adapter {} is stopped.", adapter.name());
  adapter.gate().Call(Ddi::kSystemDisplayWrite, adapter.ddi().DxgkDdiSystemDisplayWrite, adapter.miniport_context(),
                      static_cast<PVOID>(const_cast<std::byte*>(block.pixels)),  // the contract's pointer; the driver reads
                      UINT{block.width}, UINT{block.height}, UINT{block.pitch}, UINT{block.x}, UINT{block.y});
  const std::string broken = adapter.violation();
  return broken.empty() ? Result<void>() : Fail(ErrorKind::kDeviceLost, "{}", broken);
}

Result<void> NotifySurpriseRemoval(Adapter& adapter) {
  const auto notify = adapter.ddi().DxgkDdiNotifySurpriseRemoval;
  if (adapter.caps().SupportSurpriseRemoval == FALSE || notify == nullptr || !adapter.alive()) return {};
  const NTSTATUS status =
      adapter.gate().Call(Ddi::kNotifySurpriseRemoval, notify, adapter.miniport_context(), DxgkRemovalPnPNotify);
  if (!NT_SUCCESS(status))
    Log(LogLevel::kWarn, "{}: DxgkDdiNotifySurpriseRemoval answered {}.", adapter.name(), StatusText(status));
  return {};
}

}  // namespace tandem::kernel
