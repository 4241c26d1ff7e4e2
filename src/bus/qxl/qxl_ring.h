// One end of a ring that the device and its driver share (ipc_ring.h of the SPICE protocol).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "bus/qxl/packed_word.h"

namespace tandem::bus {

// The device has to tell the driver, which waits for it.
enum class Tell : bool { kNo, kYes };

// The device's view of a ring of `Element`s. Threads: one at a time on this side.
template <class Ring, class Element>
class QxlRing {
 public:
  explicit QxlRing(Ring& ring) : ring_(reinterpret_cast<std::byte*>(&ring)) {}

  // The next entry that the driver put in; without one the driver is asked to tell of the next. A ring that holds more than it
  // has room for is empty. `tell` becomes kYes when the driver waits for room.
  [[nodiscard]] std::optional<Element> Take(Tell& tell) {
    const std::uint32_t at = Load(offsetof(Ring, cons));
    if (Load(offsetof(Ring, prod)) == at) {
      Store(offsetof(Ring, notify_on_prod), at + 1);
      if (Load(offsetof(Ring, prod)) == at) return std::nullopt;
    }
    if (Load(offsetof(Ring, prod)) - at > kItems) return std::nullopt;
    Element element;
    std::memcpy(&element, Item(at), sizeof(element));
    Store(offsetof(Ring, cons), at + 1);
    if (Load(offsetof(Ring, notify_on_cons)) == at + 1) tell = Tell::kYes;
    return element;
  }

  // False when the ring is full. `tell` becomes kYes when the driver waits for an entry.
  [[nodiscard]] bool Put(const Element& element, Tell& tell) {
    const std::uint32_t at = Load(offsetof(Ring, prod));
    if (at - Load(offsetof(Ring, cons)) >= kItems) return false;
    std::memcpy(Item(at), &element, sizeof(element));
    Store(offsetof(Ring, prod), at + 1);
    if (Load(offsetof(Ring, notify_on_prod)) == at + 1) tell = Tell::kYes;
    return true;
  }

 private:
  static constexpr std::size_t kItemBytes = sizeof(Ring::items[0]);
  static constexpr std::uint32_t kItems = sizeof(Ring::items) / kItemBytes;

  [[nodiscard]] std::uint32_t Load(std::size_t offset) const { return __atomic_load_n(WordAt(ring_, offset), __ATOMIC_SEQ_CST); }
  void Store(std::size_t offset, std::uint32_t value) { __atomic_store_n(WordAt(ring_, offset), value, __ATOMIC_SEQ_CST); }
  [[nodiscard]] std::byte* Item(std::uint32_t at) const { return ring_ + offsetof(Ring, items) + at % kItems * kItemBytes; }

  std::byte* const ring_;
};

}  // namespace tandem::bus
