// The interrupts of a PCI device that a driver gets.
#pragma once

#include <vector>

#include "bus/device_model.h"

namespace tandem::system {

// In the order that a driver is tried with. MSISupported decides, which the driver's setup file or the user gave; without it a
// driver that does not start with messages gets the line.
[[nodiscard]] std::vector<bus::PciInterrupts> InterruptsToTry();

}  // namespace tandem::system
