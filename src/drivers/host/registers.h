// Registers of devices, which the kernel's bus answers for.
#pragma once

namespace tandem::drivers::host {

// True for the address of a register. Any thread, any IRQL, also in a handler of the fault of a plain access.
[[nodiscard]] bool IsRegister(const volatile void* address);

}  // namespace tandem::drivers::host
