// The residency of an allocation and the pins that hold it: one word, so that a test and a pin are one step.
#pragma once

#include <atomic>
#include <cstdint>

namespace tandem::kernel {

// Threads: any, up to DISPATCH_LEVEL; never blocks. Admit and TryEvict: Residency alone, under its lock. Whoever pins sees the
// placement as it was admitted.
class ResidencyState {
 public:
  // False when it is not resident. Every true is paired with an Unpin.
  [[nodiscard]] bool TryPin() {
    if ((word_.fetch_add(1, std::memory_order_acquire) & kResident) != 0) return true;
    word_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  void Unpin() { word_.fetch_sub(1, std::memory_order_release); }

  [[nodiscard]] bool resident() const { return (word_.load(std::memory_order_acquire) & kResident) != 0; }
  [[nodiscard]] bool pinned() const { return (word_.load(std::memory_order_relaxed) & ~kResident) != 0; }

  // A guess at the place: it may be another one by now. Segment 0 while it is not resident.
  struct Guess {
    std::uint32_t segment;
    std::uint64_t address;
  };
  [[nodiscard]] Guess guess() const {
    return {segment_.load(std::memory_order_relaxed), address_.load(std::memory_order_relaxed)};
  }

  void Admit(std::uint32_t segment, std::uint64_t address) {
    address_.store(address, std::memory_order_relaxed);
    segment_.store(segment, std::memory_order_relaxed);
    word_.fetch_or(kResident, std::memory_order_release);
  }
  // False while somebody pins it.
  [[nodiscard]] bool TryEvict() {
    std::uint32_t idle = kResident;
    if (!word_.compare_exchange_strong(idle, 0, std::memory_order_acq_rel)) return false;
    segment_.store(0, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr std::uint32_t kResident = 1u << 31;
  std::atomic<std::uint32_t> word_{0};  // kResident, and below it the pins
  std::atomic<std::uint32_t> segment_{0};
  std::atomic<std::uint64_t> address_{0};
};

}  // namespace tandem::kernel
