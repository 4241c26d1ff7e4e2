// Registers and I/O ports of the devices whose adapters are alive. A driver host asks by address: it knows no adapter.
#pragma once

#include "kernel/display_only.h"

namespace tandem::kernel {

// Any thread. RemoveRegisters waits for accesses that are under way.
void AddRegisters(DeviceBus& bus);
void RemoveRegisters(DeviceBus& bus);

// As TANDEM_DRIVER_KERNEL's functions of the same names. Any thread, any IRQL.
BOOLEAN HasRegister(CONST volatile VOID* address);
BOOLEAN ReadRegister(CONST volatile VOID* address, ULONG size, UINT64* value);
BOOLEAN WriteRegister(volatile VOID* address, ULONG size, UINT64 value);
BOOLEAN ReadPort(ULONG port, ULONG size, ULONG* value);
BOOLEAN WritePort(ULONG port, ULONG size, ULONG value);

}  // namespace tandem::kernel
