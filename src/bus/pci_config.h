// The configuration space of a PCI device: header, BARs, and MSI-X with vendor-specific capabilities. A device without messages
// has no capabilities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bus/device_model.h"

namespace tandem::bus {

// A BAR that the bus assigned.
struct AssignedBar {
  std::uint32_t index = 0;
  std::uint64_t address = 0;  // a multiple of `bytes`
  std::uint32_t bytes = 0;    // a power of two, at least 16; of ports at least 4
  bool ports = false;         // I/O ports, and 32 bits wide
  bool narrow = false;        // memory, and 32 bits wide
};

// The capability of message interrupts.
struct MessageCapability {
  std::uint32_t bar = 0;             // of the table
  std::uint32_t pending_offset = 0;  // in that BAR
  bool enabled = false;              // as the system has set it before a driver starts
};

// Offsets of the configuration space.
inline constexpr std::size_t kPciBytes = 256;
inline constexpr std::uint32_t kPciCommand = 0x04, kPciStatus = 0x06, kPciClass = 0x08, kPciBars = 0x10, kPciSubsystem = 0x2C,
                               kPciCapabilities = 0x34, kPciInterruptLine = 0x3C, kPciInterruptPin = 0x3D,
                               kPciFirstCapability = 0x40;

// BARs can be written, so that a driver can ask for their sizes; the addresses that the device answers at do not move. Threads:
// one at a time.
class PciConfig {
 public:
  PciConfig(const DeviceDescription& device, std::span<const AssignedBar> bars, const MessageCapability& messages);

  // Copies the bytes from `offset` that lie inside; returns their number.
  std::size_t Read(std::size_t offset, std::span<std::byte> to) const;
  std::size_t Write(std::size_t offset, std::span<const std::byte> from);

  [[nodiscard]] bool messages_enabled() const { return (MessageControl() & 0x8000) != 0; }
  [[nodiscard]] bool messages_masked() const { return (MessageControl() & 0x4000) != 0; }
  // INTx disable of the command register.
  [[nodiscard]] bool line_disabled() const { return (bytes_[kPciCommand + 1] & 0x04) != 0; }

 private:
  void Put16(std::size_t offset, std::uint32_t value);
  void Put32(std::size_t offset, std::uint32_t value);
  void PutBar(const AssignedBar& bar);
  // Adds a capability; returns its offset.
  std::size_t AddCapability(std::uint8_t id, std::span<const std::uint8_t> body);
  [[nodiscard]] std::uint32_t MessageControl() const;

  std::array<std::uint8_t, kPciBytes> bytes_{};
  std::array<std::uint8_t, kPciBytes> writable_{};  // bits that a write changes
  std::size_t end_ = kPciFirstCapability;           // of the capabilities
  std::size_t last_link_ = kPciCapabilities;        // byte that refers to the next capability
  std::size_t msix_ = 0;                            // 0: no messages
};

}  // namespace tandem::bus
