#include "kernel/thunk/keyed_mutex.h"

namespace tandem::kernel {

NTSTATUS KeyedMutex::Acquire(const KeyedMutexHandle& handle, std::uint64_t key, std::int64_t deadline_ns, Holding& holding) {
  MutexLock lock(mutex_);
  if (holder_ == &handle) return STATUS_INVALID_PARAMETER;
  bool in_time = true;
  while (!abandoned_ && !handle.closed && (holder_ != nullptr || key_ != key)) {
    if (!in_time) return STATUS_TIMEOUT;
    in_time = clock_.WaitUntil(lock.native(), released_, deadline_ns);
  }
  if (handle.closed) return STATUS_INVALID_PARAMETER;
  if (abandoned_) return STATUS_ABANDONED_WAIT_0;
  holder_ = &handle;
  holding = {fence_value_, private_data_};
  return STATUS_SUCCESS;
}

NTSTATUS KeyedMutex::Release(const KeyedMutexHandle& handle, std::uint64_t key, std::uint64_t fence_value,
                             std::optional<std::span<const std::byte>> private_data) {
  const MutexLock lock(mutex_);
  if (holder_ != &handle) return STATUS_INVALID_PARAMETER;
  if (private_data) private_data_.assign(private_data->begin(), private_data->end());
  holder_ = nullptr;
  key_ = key;
  fence_value_ = fence_value;
  released_.NotifyAll();
  return STATUS_SUCCESS;
}

bool KeyedMutex::Open(std::span<const std::byte> private_data) {
  const MutexLock lock(mutex_);
  if (handles_ == 0) return false;
  if (!private_data_.empty() && !private_data.empty() && private_data.size() != private_data_.size()) return false;
  if (private_data_.empty()) private_data_.assign(private_data.begin(), private_data.end());
  ++handles_;
  return true;
}

bool KeyedMutex::Close(KeyedMutexHandle& handle) {
  const MutexLock lock(mutex_);
  handle.closed = true;
  --handles_;
  // Nobody is left to release it to a key.
  if (holder_ == &handle || handles_ == 0) abandoned_ = true;
  released_.NotifyAll();
  return handles_ == 0;
}

}  // namespace tandem::kernel
