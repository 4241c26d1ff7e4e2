// Vertical blanks of sources without a monitor: a program's frames take as long as if a display showed them.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"
#include "kernel/present/flip_queue.h"

namespace tandem::kernel {

inline constexpr std::int64_t kUnseenPeriodNs = 16'666'667;

// One per adapter. Its thread runs from the first source without a monitor on. Threads: any.
class UnseenBlanks {
 public:
  // Both outlive the object. `queue` is null for an adapter without sources.
  UnseenBlanks(Clock& clock, FlipQueue* queue) : clock_(clock), queue_(queue) {}
  ~UnseenBlanks();
  UnseenBlanks(const UnseenBlanks&) = delete;
  UnseenBlanks& operator=(const UnseenBlanks&) = delete;

  // Without a thread, the flips of the source are retired at once.
  void Set(std::uint32_t vidpn_source, bool unseen);

 private:
  [[nodiscard]] bool StartThread() TANDEM_REQUIRES(mutex_);
  void Run();

  Clock& clock_;
  FlipQueue* const queue_;
  Mutex mutex_;
  Condition changed_;
  std::uint32_t unseen_ TANDEM_GUARDED_BY(mutex_) = 0;  // bit N: source N
  bool stops_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::kernel
