// Which calls are in the driver right now, for whoever looks for one that does not return.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tandem::kernel {

// Threads: any for Begin and End, one for the looking. Begin is one atomic operation; beyond kSlots calls at a time the others
// are not seen.
class CallSlots {
 public:
  static constexpr std::size_t kSlots = 64;

  // The slot that the call takes; kSlots when there is none. `what` is 0 to 254.
  [[nodiscard]] std::size_t Begin(std::uint8_t what) {
    static constinit std::atomic<std::size_t> last_thread{0};
    static constinit thread_local std::size_t thread = 0;  // counted from 1
    if (thread == 0) thread = last_thread.fetch_add(1, std::memory_order_relaxed) + 1;
    for (std::size_t i = 0; i < kSlots; ++i) {
      // Threads that follow each other have their slots in different cache lines.
      const std::size_t place = (thread + i) % kSlots, slot = place % kLines * kSlotsInLine + place / kLines;
      std::uint64_t idle = slots_[slot].load(std::memory_order_relaxed);
      const std::uint64_t next = (idle & ~kWhat) + kTurn + what + 1;
      if ((idle & kWhat) == 0 && slots_[slot].compare_exchange_strong(idle, next)) return slot;
    }
    return kSlots;
  }
  // Another call of the same thread follows in its slot.
  void Change(std::size_t slot, std::uint8_t what) {
    if (slot == kSlots) return;
    const std::uint64_t before = slots_[slot].load(std::memory_order_relaxed);
    slots_[slot].store((before & ~kWhat) + kTurn + what + 1, std::memory_order_release);
  }
  void End(std::size_t slot) {
    // Nobody else writes a slot that is taken.
    if (slot < kSlots) slots_[slot].store(slots_[slot].load(std::memory_order_relaxed) & ~kWhat, std::memory_order_release);
  }

  [[nodiscard]] bool any() const {
    for (const auto& slot : slots_) {
      if ((slot.load() & kWhat) != 0) return true;
    }
    return false;
  }
  // A call that was in the driver at `looks` looks in a row, this one included, without a return in between.
  [[nodiscard]] std::optional<std::uint8_t> Look(std::uint32_t looks) {
    std::optional<std::uint8_t> overdue;
    for (std::size_t i = 0; i < kSlots; ++i) {
      const std::uint64_t now = slots_[i].load(std::memory_order_acquire);
      seen_[i] = now == seen_[i].value && (now & kWhat) != 0 ? Seen{now, seen_[i].times + 1} : Seen{now, 1};
      if ((now & kWhat) != 0 && seen_[i].times >= looks) overdue = static_cast<std::uint8_t>((now & kWhat) - 1);
    }
    return overdue;
  }

 private:
  // A slot counts its calls above the byte that says what is in it: 0 for nothing.
  static constexpr std::uint64_t kWhat = 0xFF, kTurn = 0x100;
  static constexpr std::size_t kSlotsInLine = 64 / sizeof(std::uint64_t), kLines = kSlots / kSlotsInLine;
  struct Seen {
    std::uint64_t value = 0;
    std::uint32_t times = 0;
  };

  alignas(64) std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
  std::array<Seen, kSlots> seen_{};
};

}  // namespace tandem::kernel
