#include "kernel/adapter/bus_callbacks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kernel/adapter/adapter_impl.h"
#include "kernel/adapter/callbacks.h"
#include "kernel/driver_settings.h"
#include "kernel/service_faults.h"

namespace tandem::kernel {
namespace {

NTSTATUS AcquirePostDisplayOwnership(HANDLE device, PDXGK_DISPLAY_INFORMATION information) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbAcquirePostDisplayOwnership", APC_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (information == nullptr) return STATUS_INVALID_PARAMETER;
  if (adapter.bus() == nullptr) return STATUS_NOT_SUPPORTED;
  if (ServiceFails("DxgkCbAcquirePostDisplayOwnership")) return STATUS_NO_MEMORY;
  *information = {};
  const NTSTATUS status = adapter.bus()->AcquirePostDisplayOwnership(*information);
  if (NT_SUCCESS(status) && information->Width != 0) adapter.OnPostDisplayAcquired();
  return status;
}

// No memory is mapped below, and a port is its own address.
bool IsPort(const void* address) { return reinterpret_cast<std::uintptr_t>(address) < 0x10000; }

NTSTATUS MapMemory(HANDLE device, PHYSICAL_ADDRESS address, ULONG length, BOOLEAN in_io_space, BOOLEAN to_user_mode,
                   MEMORY_CACHING_TYPE /*caching*/, PVOID* mapped) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbMapMemory", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (mapped == nullptr || length == 0) return STATUS_INVALID_PARAMETER;
  if (adapter.bus() == nullptr || to_user_mode != FALSE) return STATUS_NOT_SUPPORTED;
  if (ServiceFails("DxgkCbMapMemory")) return STATUS_NO_MEMORY;
  if (in_io_space == FALSE) return adapter.bus()->MapMemory(address, length, *mapped);
  // A port is its own address, for READ_PORT_* and WRITE_PORT_*.
  ULONG value = 0;
  if (!adapter.bus()->ReadPort(address.LowPart, 1, value)) return STATUS_INVALID_PARAMETER;
  *mapped = reinterpret_cast<PVOID>(std::uintptr_t{address.LowPart});
  return STATUS_SUCCESS;
}

NTSTATUS UnmapMemory(HANDLE device, PVOID mapped) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbUnmapMemory", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (adapter.bus() == nullptr) return STATUS_NOT_SUPPORTED;
  return IsPort(mapped) ? STATUS_SUCCESS : adapter.bus()->UnmapMemory(mapped);
}

NTSTATUS ReadDeviceSpace(HANDLE device, ULONG space, PVOID buffer, ULONG offset, ULONG length, PULONG read) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbReadDeviceSpace", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (buffer == nullptr || read == nullptr) return STATUS_INVALID_PARAMETER;
  *read = 0;
  if (adapter.bus() == nullptr || space != DXGK_WHICHSPACE_CONFIG) return STATUS_NOT_SUPPORTED;
  if (ServiceFails("DxgkCbReadDeviceSpace")) return STATUS_NO_MEMORY;
  return adapter.bus()->ReadConfiguration(offset, buffer, length, *read);
}

NTSTATUS WriteDeviceSpace(HANDLE device, ULONG space, PVOID buffer, ULONG offset, ULONG length, PULONG written) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbWriteDeviceSpace", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (buffer == nullptr || written == nullptr) return STATUS_INVALID_PARAMETER;
  *written = 0;
  if (adapter.bus() == nullptr || space != DXGK_WHICHSPACE_CONFIG) return STATUS_NOT_SUPPORTED;
  return adapter.bus()->WriteConfiguration(offset, buffer, length, *written);
}

// ACPI_EVAL_OUTPUT_BUFFER and ACPI_METHOD_ARGUMENT, acpiioct.h.
struct AcpiOutput {
  ULONG signature;
  ULONG length;  // bytes, with the arguments
  ULONG count;
};
struct AcpiArgumentHead {
  USHORT type;
  USHORT bytes;
};
constexpr ULONG kAcpiOutputSignature = 0x426F6541;
constexpr std::size_t kLeastArgumentData = 4;  // bytes

// A package's elements stand side by side.
NTSTATUS WriteAnswer(const AcpiAnswer& answer, std::byte* output, ULONG output_size) {
  std::size_t length = sizeof(AcpiOutput);
  for (const AcpiArgument& argument : answer.arguments)
    length += sizeof(AcpiArgumentHead) + std::max(argument.data.size(), kLeastArgumentData);
  if (output == nullptr || output_size < sizeof(AcpiOutput)) return STATUS_BUFFER_TOO_SMALL;
  const AcpiOutput head{kAcpiOutputSignature, static_cast<ULONG>(length), static_cast<ULONG>(answer.arguments.size())};
  std::memcpy(output, &head, sizeof(head));
  if (output_size < length) return STATUS_BUFFER_OVERFLOW;
  std::byte* at = output + sizeof(head);
  for (const AcpiArgument& argument : answer.arguments) {
    const AcpiArgumentHead one{argument.type, static_cast<USHORT>(argument.data.size())};
    std::memcpy(at, &one, sizeof(one));
    std::memset(at + sizeof(one), 0, kLeastArgumentData);
    std::ranges::copy(argument.data, at + sizeof(one));
    at += sizeof(one) + std::max(argument.data.size(), kLeastArgumentData);
  }
  return STATUS_SUCCESS;
}

// Every form of an input buffer begins with its signature and the method's name.
NTSTATUS EvalAcpiMethod(HANDLE device, ULONG /*uid*/, PACPI_EVAL_INPUT_BUFFER_COMPLEX input, ULONG input_size,
                        PACPI_EVAL_OUTPUT_BUFFER output, ULONG output_size) {
  AdapterImpl& adapter = AdapterOf(device);
  if (!CallbackAllowed(adapter, "DxgkCbEvalAcpiMethod", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  struct Head {
    ULONG signature;
    char method[4];
  } head{};
  if (input == nullptr || input_size < sizeof(head)) return STATUS_INVALID_PARAMETER;
  std::memcpy(&head, input, sizeof(head));
  for (const AcpiAnswer& answer : CurrentDriverSettings().acpi) {
    if (answer.method == std::string_view(head.method, sizeof(head.method)))
      return WriteAnswer(answer, reinterpret_cast<std::byte*>(output), output_size);
  }
  return STATUS_NOT_SUPPORTED;
}

}  // namespace

void FillBusCallbacks(DXGKRNL_INTERFACE& callbacks) {
  callbacks.DxgkCbAcquirePostDisplayOwnership = &AcquirePostDisplayOwnership;
  callbacks.DxgkCbEvalAcpiMethod = &EvalAcpiMethod;
  callbacks.DxgkCbMapMemory = &MapMemory;
  callbacks.DxgkCbUnmapMemory = &UnmapMemory;
  callbacks.DxgkCbReadDeviceSpace = &ReadDeviceSpace;
  callbacks.DxgkCbWriteDeviceSpace = &WriteDeviceSpace;
}

}  // namespace tandem::kernel
