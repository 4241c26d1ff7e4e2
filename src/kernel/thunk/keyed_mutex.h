// A mutex that its holder releases to a key, for whoever acquires it with that key next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// One handle's part of the mutex, under its lock.
struct KeyedMutexHandle {
  bool closed = false;
};

// Threads: any.
class KeyedMutex {
 public:
  KeyedMutex(Clock& clock, std::uint64_t key, std::span<const std::byte> private_data)
      : clock_(clock), key_(key), private_data_(private_data.begin(), private_data.end()) {}

  struct Holding {
    std::uint64_t fence_value = 0;  // as the last holder left it
    std::vector<std::byte> private_data;
  };
  // STATUS_TIMEOUT at the deadline; STATUS_ABANDONED_WAIT_0 once a handle that held the mutex was closed;
  // STATUS_INVALID_PARAMETER if the handle holds it already.
  [[nodiscard]] NTSTATUS Acquire(const KeyedMutexHandle& handle, std::uint64_t key, std::int64_t deadline_ns, Holding& holding);
  // STATUS_INVALID_PARAMETER unless the handle holds it.
  [[nodiscard]] NTSTATUS Release(const KeyedMutexHandle& handle, std::uint64_t key, std::uint64_t fence_value,
                                 std::optional<std::span<const std::byte>> private_data);

  // The private data become the mutex's if it has none. False once the last handle is closed, and for data of another size.
  [[nodiscard]] bool Open(std::span<const std::byte> private_data);
  // True for the last handle.
  [[nodiscard]] bool Close(KeyedMutexHandle& handle);

 private:
  Clock& clock_;
  Mutex mutex_;
  Condition released_;
  std::uint64_t key_ TANDEM_GUARDED_BY(mutex_);
  const KeyedMutexHandle* holder_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  bool abandoned_ TANDEM_GUARDED_BY(mutex_) = false;
  std::uint32_t handles_ TANDEM_GUARDED_BY(mutex_) = 1;
  std::uint64_t fence_value_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::vector<std::byte> private_data_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
