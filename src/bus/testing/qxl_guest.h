// A driver of the QXL device: it finds the header in the RAM, makes slots, and puts commands into the rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <spice/qxl_dev.h>

#include "bus/device_model.h"
#include "bus/qxl/packed_word.h"

namespace tandem::bus {

// One thread.
class QxlGuest {
 public:
  // Resets the device and makes slot 1 of its RAM without the header, and slot 2 of its VRAM.
  explicit QxlGuest(DeviceModel& device);

  void Out(std::uint32_t port, std::uint32_t value = 0) { device_.WritePort(port, 1, value); }
  [[nodiscard]] QXLRam& ram() const { return *reinterpret_cast<QXLRam*>(bars_[0].data + rom().ram_header_offset); }
  [[nodiscard]] const QXLRom& rom() const { return *reinterpret_cast<const QXLRom*>(bars_[2].data); }
  [[nodiscard]] const QXLModes& modes() const { return *reinterpret_cast<const QXLModes*>(bars_[2].data + rom().modes_offset); }

  // Zeroed memory of the RAM for commands.
  template <class T>
  [[nodiscard]] T& New(std::size_t bytes = sizeof(T)) {
    return *reinterpret_cast<T*>(Allocate(bytes));
  }
  [[nodiscard]] QXLPHYSICAL AddressOf(const void* at) const;
  // Writes the bytes into a list of pieces of `each` bytes; the first one may lie in memory of the caller's.
  void WritePieces(QXLDataChunk& first, std::span<const std::byte> bytes, std::size_t each);
  // A bitmap of four bytes a pixel, in pieces of so many bytes.
  QXLPHYSICAL Bitmap(std::uint32_t width, std::uint32_t height, std::span<const std::uint32_t> pixels, std::uint8_t flags,
                     std::size_t piece_bytes);

  void CreatePrimary(std::uint32_t width, std::uint32_t height);
  // A pixel of the primary surface.
  [[nodiscard]] std::uint32_t Pixel(std::uint32_t x, std::uint32_t y) const;

  // A drawable over the box.
  QXLDrawable& Drawable(std::uint8_t type, const QXLRect& box);
  void Push(const QXLDrawable& drawable) { PushTo(ram().cmd_ring, QXL_CMD_DRAW, AddressOf(&drawable)); }
  void Push(const QXLCursorCmd& command) { PushTo(ram().cursor_ring, QXL_CMD_CURSOR, AddressOf(&command)); }
  // Puts a drawable into the ring that may not be one.
  void PushAddress(QXLPHYSICAL drawable) { PushTo(ram().cmd_ring, QXL_CMD_DRAW, drawable); }
  // Identifiers of the commands that the device is done with, in their order.
  std::vector<std::uint64_t> TakeReleases();
  // Takes what is pending, as an interrupt routine does.
  std::uint32_t TakeInterrupts() {
    return __atomic_exchange_n(WordAt(&ram(), offsetof(QXLRam, int_pending)), 0, __ATOMIC_SEQ_CST);
  }
  void SetInterruptMask(std::uint32_t mask) {
    __atomic_store_n(WordAt(&ram(), offsetof(QXLRam, int_mask)), mask, __ATOMIC_SEQ_CST);
  }

 private:
  std::byte* Allocate(std::size_t bytes);
  template <class Ring>
  void PushTo(Ring& ring, std::uint32_t type, QXLPHYSICAL data) {
    auto& command = ring.items[ring.prod % ring.num_items].el;
    command.data = data;
    command.type = type;
    __atomic_store_n(WordAt(&ring, offsetof(Ring, prod)), ring.prod + 1, __ATOMIC_SEQ_CST);
  }

  DeviceModel& device_;
  const std::vector<MemoryBar> bars_;
  std::size_t used_;  // bytes of the RAM from its begin
  std::uint32_t pitch_ = 0;
};

}  // namespace tandem::bus
