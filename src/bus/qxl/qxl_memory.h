// The memory of a QXL device: RAM (BAR 0), VRAM (BAR 1) and ROM (BAR 2), and the slots by which commands name places in the first
// two. Layouts are those of qxl_dev.h in the SPICE protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <spice/qxl_dev.h>

#include "base/result.h"
#include "bus/device_model.h"
#include "bus/low_memory.h"

namespace tandem::bus {

// A driver writes the memory at any time: what is read is copied once and looked at then. Threads: one at a time.
class QxlMemory {
 public:
  // Fills the ROM for a display of that many pixels, with modes that fit it. kOutOfMemory.
  static Result<QxlMemory> Create(std::uint32_t width, std::uint32_t height);

  [[nodiscard]] std::vector<MemoryBar> Bars() const;
  [[nodiscard]] QXLRam& ram() const { return *reinterpret_cast<QXLRam*>(ram_.data() + header_offset_); }
  // The header of the RAM as after power-on; no slot is there.
  void Reset();

  // The slot is the range of addresses in the RAM's header. False when the number or the range is not the device's.
  [[nodiscard]] bool AddSlot(std::uint32_t slot);
  void RemoveSlot(std::uint32_t slot);
  // `bytes` of a slot's memory; null when they do not all lie in it.
  [[nodiscard]] std::byte* Find(QXLPHYSICAL address, std::uint64_t bytes) const;
  template <class T>
  [[nodiscard]] std::optional<T> Read(QXLPHYSICAL address) const {
    const std::byte* const at = Find(address, sizeof(T));
    if (at == nullptr) return std::nullopt;
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }

 private:
  struct Slot {
    std::byte* begin = nullptr;
    std::uint64_t bytes = 0;
  };

  static constexpr std::uint32_t kFirstSlot = 1, kSlots = 8;

  QxlMemory(LowMemory ram, LowMemory vram, LowMemory rom);
  void FillRom(std::uint32_t width, std::uint32_t height);

  LowMemory ram_, vram_, rom_;
  std::uint32_t header_offset_;  // in the RAM, at its end
  std::array<Slot, kSlots> slots_;
};

}  // namespace tandem::bus
