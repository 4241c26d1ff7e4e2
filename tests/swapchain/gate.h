// Lets vertical blanks pass one by one.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/thread.h"

namespace tandem::swapchain_test {

// Thread-safe. Initially closed.
class Gate {
 public:
  static constexpr std::uint32_t kAll = 0xFFFFFFFF;

  ~Gate() { Open(kAll); }
  void Open(std::uint32_t blanks) {
    const MutexLock lock(mutex_);
    open_ = blanks == kAll ? kAll : open_ + blanks;
    changed_.notify_all();
  }
  void Pass() {
    MutexLock lock(mutex_);
    while (open_ == 0) changed_.wait(lock.native());
    if (open_ != kAll) --open_;
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t open_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::swapchain_test
