// What a machine's configuration answers to drivers: registry values, ACPI methods; and how their memory is laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::kernel {

// The keys that a driver opens: by IoOpenDeviceRegistryKey, or by the path that DriverEntry gets.
enum class RegistryRoot : std::uint8_t { kDriver, kDevice, kService };

struct RegistryValue {
  RegistryRoot root = RegistryRoot::kDriver;
  std::string subkey;  // path below the root, with backslashes; empty: the root itself
  std::string name;
  std::uint32_t type = 0;  // REG_…
  std::vector<std::byte> data;
};

// ACPI_METHOD_ARGUMENT of acpiioct.h.
struct AcpiArgument {
  std::uint16_t type = 0;       // ACPI_METHOD_ARGUMENT_…
  std::vector<std::byte> data;  // at most 65535 bytes
};

struct AcpiAnswer {
  std::string method;  // four characters
  std::vector<AcpiArgument> arguments;
};

struct DriverSettings {
  std::vector<RegistryValue> registry;
  std::vector<AcpiAnswer> acpi;
  bool guard_pages = false;  // each pool allocation ends at a page without memory
};

// Of the process, for drivers that are entered from now on. Not beside a driver that runs.
void SetDriverSettings(DriverSettings settings);
[[nodiscard]] const DriverSettings& CurrentDriverSettings();

}  // namespace tandem::kernel
