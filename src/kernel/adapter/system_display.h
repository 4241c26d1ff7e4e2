// The display after the system has stopped: a driver shows the kernel's last words on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "kernel/adapter/adapter.h"
#include "kernel/kernel.h"

namespace tandem::kernel {

// DxgkDdiSystemDisplayEnable for the first target with a monitor that the driver can show on; DxgkDdiResetDevice when it can on
// none. At HIGH_LEVEL, with nobody else in the driver. kUnsupported without both DDIs or monitors; else the last status as
// kInternal, or the rule that was broken as kDeviceLost. From then on only WriteSystemDisplay and the end of the adapter follow.
[[nodiscard]] Result<SystemDisplay> EnableSystemDisplay(Adapter& adapter);

// DxgkDdiSystemDisplayWrite of A8R8G8B8 pixels at (x, y); behind EnableSystemDisplay() that succeeded.
[[nodiscard]] Result<void> WriteSystemDisplay(Adapter& adapter, const SystemBlock& block);

// DxgkDdiNotifySurpriseRemoval (DxgkRemovalPnPNotify) of a driver that declares SupportSurpriseRemoval; nothing for others. A
// failure is logged: the device is gone anyway. PASSIVE_LEVEL, also beside other calls.
[[nodiscard]] Result<void> NotifySurpriseRemoval(Adapter& adapter);

}  // namespace tandem::kernel
