// The PCI side of QEMU's standard VGA: configuration space, and the BAR at which the mode registers are, too.
// Public page: QEMU's manual, "QEMU Standard VGA".
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "bus/pci_config.h"
#include "bus/register_window.h"
#include "bus/resource_list.h"

namespace tandem::bus {

// Device 1234:1111, a VGA controller without interrupts. Not synchronized.
class StandardVga {
 public:
  // BAR 0 is the memory of the pictures: `memory_bytes` is a power of two, and the address is a multiple of it. kOutOfMemory.
  static Result<StandardVga> Create(std::uint64_t memory_address, std::uint32_t memory_bytes);

  [[nodiscard]] PciConfig& config() { return config_; }
  [[nodiscard]] PCM_RESOURCE_LIST resources() { return resources_.get(); }
  [[nodiscard]] const RegisterWindow& registers() const { return registers_; }
  // Index of the mode register (BochsRegisters) at an address of `registers()`; nullopt: there is none.
  [[nodiscard]] std::optional<std::uint32_t> ModeRegisterAt(std::uintptr_t address) const;

 private:
  StandardVga(std::span<const AssignedBar> bars, RegisterWindow registers);

  RegisterWindow registers_;
  PciConfig config_;
  ResourceList resources_;
};

}  // namespace tandem::bus
