// Bits that threads ask of one thread, which sleeps while there are none.
#pragma once

#include <atomic>
#include <cstdint>

namespace tandem {

// Unlike std::atomic::wait the wait begins with no yields: each would be a switch of threads. Posts call the system
// once for each sleep of the thread.
class RequestBits {
 public:
  // Bits 0 to 30 may be asked for. Returns those that were asked for already. Any thread, no locks, never blocks.
  std::uint32_t Post(std::uint32_t bits);
  // Waits until there are bits, and takes all of them. One thread.
  [[nodiscard]] std::uint32_t Take();
  // Takes these bits without a wait. The thread that calls Take().
  void Drop(std::uint32_t bits) { word_.fetch_and(~bits, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kSleeps = 1u << 31;
  std::atomic<std::uint32_t> word_{0};
};

}  // namespace tandem
