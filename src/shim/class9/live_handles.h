// Handles that the translation gave to drivers. A driver may call back with any other value, its own handle for example, so a
// value is looked up here before it is used as a pointer.
#pragma once

#include <algorithm>
#include <vector>

#include "base/thread.h"

namespace tandem::shim {

// Thread-safe. No call waits for a driver.
class LiveHandles {
 public:
  void Add(const void* handle) {
    const MutexLock lock(mutex_);
    handles_.push_back(handle);
  }
  void Remove(const void* handle) {
    const MutexLock lock(mutex_);
    std::erase(handles_, handle);
  }
  [[nodiscard]] bool Has(const void* handle) const {
    const MutexLock lock(mutex_);
    return std::ranges::find(handles_, handle) != handles_.end();
  }

 private:
  mutable Mutex mutex_;
  std::vector<const void*> handles_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::shim
