// The mode registers of the display adapters of Bochs, QEMU and VirtualBox, and their I/O ports: what the firmware of a frame
// buffer sets modes by.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace tandem::bus {

// Pixels have 32 bits. Not synchronized.
class BochsRegisters {
 public:
  static constexpr std::uint32_t kIndexPort = 0x1CE, kDataPort = 0x1CF, kDataPortToo = 0x1D0;

  // The place of a mode's picture in the memory, in bytes.
  struct Picture {
    std::uint32_t width = 0, height = 0;  // pixels
    std::uint32_t pitch = 0;
    std::uint64_t offset = 0;
  };

  // Modes have `width` x `height` pixels at most. `base` is the memory's address: below 4 GiB and a multiple of 64 KiB, or 0.
  BochsRegisters(std::uint32_t width, std::uint32_t height, std::uint64_t memory_bytes, std::uint32_t base);

  // Register 0 to 11. Others read as all ones.
  [[nodiscard]] std::uint16_t Read(std::uint32_t index) const;
  void Write(std::uint32_t index, std::uint16_t value);
  // Accesses of two bytes to the three ports; false for others.
  bool ReadPort(std::uint32_t port, std::uint32_t size, std::uint32_t& value) const;
  bool WritePort(std::uint32_t port, std::uint32_t size, std::uint32_t value);
  // True once after a mode began whose picture is black at first.
  bool TakeClear() { return std::exchange(clears_, false); }

  // nullopt: no mode is set, or its picture leaves the memory.
  [[nodiscard]] std::optional<Picture> picture() const;

 private:
  enum Index : std::uint8_t {
    kId,
    kWidth,
    kHeight,
    kBits,
    kEnable,
    kBank,
    kVirtualWidth,
    kVirtualHeight,
    kOffsetX,
    kOffsetY,
    kMemory64K,
    kBaseHigh,
    kCount,
  };
  void Enable(std::uint16_t value);

  const std::uint32_t most_width_, most_height_;
  const std::uint64_t memory_bytes_;
  std::array<std::uint16_t, kCount> values_{};
  std::uint16_t index_ = 0;
  bool clears_ = false;
};

}  // namespace tandem::bus
