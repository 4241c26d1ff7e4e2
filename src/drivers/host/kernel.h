// The kernel that the driver is attached to: interrupt request levels and reports. Any thread.
//
// A driver may replace the global operator new and delete, also for this library inside its shared object. So no file here uses
// them or a container of the C++ library: memory comes from malloc.
#pragma once

#include <tandem_driver_host.h>

#include "drivers/host/rules.h"

namespace tandem::drivers::host {

// NULL: the driver is not attached.
[[nodiscard]] const TANDEM_DRIVER_KERNEL* AttachedKernel();

// PASSIVE_LEVEL while the driver is not attached.
[[nodiscard]] KIRQL CurrentIrql();
void SetIrql(KIRQL irql);

// True: the function of this name, a literal, answers as if memory were short.
[[nodiscard]] bool ServiceFails(const char* name);

// Reports a violation once for each text; on standard error while the driver is not attached.
[[gnu::format(printf, 2, 3)]] void Report(Rule rule, const char* format, ...);

// Reports kIrql when the level of the calling thread is above `limit`.
void CheckIrql(const char* function, KIRQL limit);

// PASSIVE_LEVEL, APC_LEVEL, DISPATCH_LEVEL or a number.
[[nodiscard]] const char* IrqlName(KIRQL irql);

}  // namespace tandem::drivers::host
