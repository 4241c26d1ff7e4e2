// Memory of the driver that a device accesses by addresses out of its queues. A physical address is the process's virtual one.
//
// The kernel copies (process_vm_readv, process_vm_writev on this process), so that an address without memory is an error, not a
// fault of the process. A driver that frees memory while the device uses it is answered in the same way. An address of writable
// memory that is not the driver's cannot be told apart: the driver is code in this process anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace tandem::bus {

struct GuestRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// A range of the driver's memory, and the device's bytes that are copied from it or to it.
struct GuestCopy {
  std::uint64_t address = 0;
  std::byte* local = nullptr;
  std::size_t bytes = 0;
};

// kUnsupported when the system refuses the calls.
[[nodiscard]] Result<void> ProbeGuestMemory();

// False when a part of the range is no memory; bytes before it may have been copied.
[[nodiscard]] bool ReadGuest(std::uint64_t address, void* to, std::size_t bytes);
[[nodiscard]] bool ReadGuest(std::span<const GuestCopy> copies);
[[nodiscard]] bool WriteGuest(std::uint64_t address, const void* from, std::size_t bytes);
[[nodiscard]] bool WriteGuest(std::span<const GuestCopy> copies);

// A word that the driver may write meanwhile. The system copies bytes, so that it is read until two reads are the same.
[[nodiscard]] bool ReadGuestWord(std::uint64_t address, std::uint16_t& word);

}  // namespace tandem::bus
