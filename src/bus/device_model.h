// A model of a PCI device: what it is, its registers, and the work that it does by itself. The slot that it is in has its thread,
// its configuration space and its interrupts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::bus {

// Base class and identifiers of the configuration space's header.
struct PciIdentity {
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
  std::uint16_t subsystem_vendor = 0;
  std::uint16_t subsystem = 0;
  std::uint8_t revision = 0;
  std::uint8_t base_class = 0;
  std::uint8_t sub_class = 0;
};

// Memory of a device that its driver reads and writes without the device's part. The model owns the pages.
struct MemoryBar {
  std::uint32_t bar = 0;      // 32 bits wide; of an address above 4 GiB it has the lower half
  std::byte* data = nullptr;  // at a multiple of `bytes`
  std::uint32_t bytes = 0;    // a power of two, whole pages
};

struct DeviceDescription {
  PciIdentity identity;
  std::uint32_t register_bar = 0;    // 64 bits wide: an even index
  std::uint32_t register_bytes = 0;  // a power of two, whole pages; 0: no registers
  std::vector<MemoryBar> memory;
  std::vector<std::vector<std::uint8_t>> vendor_properties;  // vendor-specific capabilities, without their first three bytes
  std::uint32_t messages = 0;                                // interrupt messages, at most 32, beside a line; 0: none
  bool has_line = false;                                     // a line without messages
  std::uint32_t port_bar = 0;                                // of I/O ports, 32 bits wide
  std::uint32_t port_bytes = 0;                              // a power of two, 4 to 256; 0: no ports
};

inline constexpr std::uint16_t kNoVector = 0xFFFF;  // no interrupt message

// The interrupts that the system gave a device. A setup file asks for messages by MSISupported; a device has its line else.
enum class PciInterrupts : std::uint8_t { kMessages, kLine };

class DeviceHost {
 public:
  virtual ~DeviceHost() = default;
  // Asks for a call of Work(). Any thread.
  virtual void Wake() = 0;
  // Raises message `vector` after Work() returned; the line has its own state, DeviceModel::LineAsserted(). Any thread.
  virtual void Raise(std::uint16_t vector) = 0;
};

// Threads: registers are accessed by any, one call of Work() at a time.
class DeviceModel {
 public:
  virtual ~DeviceModel() = default;
  [[nodiscard]] virtual const DeviceDescription& description() const = 0;
  // Once, before any other call. `host` outlives the calls.
  virtual void Attach(DeviceHost& host) = 0;
  // `offset` is a multiple of `size`, which is 1, 2 or 4; both lie in the BAR.
  [[nodiscard]] virtual std::uint32_t ReadRegister(std::uint32_t offset, std::uint32_t size) = 0;
  virtual void WriteRegister(std::uint32_t offset, std::uint32_t size, std::uint32_t value) = 0;
  // Reads and writes the BAR of I/O ports in the same way.
  [[nodiscard]] virtual std::uint32_t ReadPort(std::uint32_t /*offset*/, std::uint32_t /*size*/) { return ~std::uint32_t{0}; }
  virtual void WritePort(std::uint32_t /*offset*/, std::uint32_t /*size*/, std::uint32_t /*value*/) {}
  virtual void Work() = 0;
  // True while the device asserts its interrupt line, which is raised as long as message interrupts are off. The slot asks after
  // each call of Work(). Any thread.
  [[nodiscard]] virtual bool LineAsserted() const { return false; }
  // The state after power-on: no thread of the model's calls the host any more, until Work() is called. Not beside Work().
  virtual void Reset() = 0;
};

}  // namespace tandem::bus
