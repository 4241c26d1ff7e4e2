// MSISupported of the device's registry key, by which a setup file asks for message interrupts.
#pragma once

#include <optional>

#include "kernel/driver_settings.h"

namespace tandem::kernel {

// nullopt: the key has no such value.
[[nodiscard]] std::optional<bool> MessageInterruptsIn(const DriverSettings& settings);
[[nodiscard]] RegistryValue MessageInterruptsValue(bool supported);

}  // namespace tandem::kernel
