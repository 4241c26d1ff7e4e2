// READ_REGISTER_*, WRITE_REGISTER_*: the kernel dispatches accesses to registers; other addresses are memory.
#include "drivers/host/registers.h"

#include <ntddk.h>

#include <cstddef>

#include "drivers/host/kernel.h"

namespace tandem::drivers::host {
namespace {

// Null: the driver is not attached, or its kernel has no registers.
const TANDEM_DRIVER_KERNEL* RegisterKernel() {
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  constexpr std::size_t kSize = offsetof(TANDEM_DRIVER_KERNEL, WriteRegister) + sizeof(kernel->WriteRegister);
  return kernel != nullptr && kernel->Size >= kSize && kernel->HasRegister != nullptr ? kernel : nullptr;
}

template <class T>
T Read(const volatile T* address) {
  const TANDEM_DRIVER_KERNEL* const kernel = RegisterKernel();
  UINT64 value = 0;
  if (kernel != nullptr && kernel->ReadRegister(address, sizeof(T), &value) != FALSE) return static_cast<T>(value);
  return *address;
}

template <class T>
void Write(volatile T* address, T value) {
  const TANDEM_DRIVER_KERNEL* const kernel = RegisterKernel();
  if (kernel != nullptr && kernel->WriteRegister(address, sizeof(T), value) != FALSE) return;
  *address = value;
}

// A buffer lies in registers or in memory, with all that it holds.
template <class T>
void ReadBuffer(const volatile T* address, T* buffer, ULONG count) {
  const bool registers = IsRegister(address);
  for (ULONG i = 0; i < count; ++i) buffer[i] = registers ? Read(address + i) : address[i];
}

template <class T>
void WriteBuffer(volatile T* address, const T* buffer, ULONG count) {
  if (IsRegister(address)) {
    for (ULONG i = 0; i < count; ++i) Write(address + i, buffer[i]);
  } else {
    for (ULONG i = 0; i < count; ++i) address[i] = buffer[i];
  }
}

}  // namespace

bool IsRegister(const volatile void* address) {
  const TANDEM_DRIVER_KERNEL* const kernel = RegisterKernel();
  return kernel != nullptr && kernel->HasRegister(address) != FALSE;
}

}  // namespace tandem::drivers::host

#define TANDEM_REGISTER(name, type)                                                                                        \
  type NTAPI READ_REGISTER_##name(volatile type* Register) { return tandem::drivers::host::Read(Register); }               \
  VOID NTAPI WRITE_REGISTER_##name(volatile type* Register, type Value) { tandem::drivers::host::Write(Register, Value); } \
  VOID NTAPI READ_REGISTER_BUFFER_##name(volatile type* Register, type* Buffer, ULONG Count) {                             \
    tandem::drivers::host::ReadBuffer(Register, Buffer, Count);                                                            \
  }                                                                                                                        \
  VOID NTAPI WRITE_REGISTER_BUFFER_##name(volatile type* Register, type* Buffer, ULONG Count) {                            \
    tandem::drivers::host::WriteBuffer(Register, Buffer, Count);                                                           \
  }
TANDEM_REGISTER(UCHAR, UCHAR)
TANDEM_REGISTER(USHORT, USHORT)
TANDEM_REGISTER(ULONG, ULONG)
TANDEM_REGISTER(ULONG64, ULONG64)
#undef TANDEM_REGISTER
