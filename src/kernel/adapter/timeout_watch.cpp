#include "kernel/adapter/timeout_watch.h"

#include <algorithm>
#include <utility>

namespace tandem::kernel {

Result<std::unique_ptr<TimeoutWatch>> TimeoutWatch::Create(Clock& clock, Owner& owner, const char* thread_name) {
  std::unique_ptr<TimeoutWatch> watch(new TimeoutWatch(clock, owner));
  auto thread = Thread::Start(thread_name, [self = watch.get()] { self->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting a watch over timeouts");
  watch->thread_ = *std::move(thread);
  return watch;
}

TimeoutWatch::~TimeoutWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
  }
  changed_.NotifyOne();
  thread_.Join();
}

void TimeoutWatch::Arm(std::int64_t deadline_ns) {
  if (deadline_ns_.load(std::memory_order_acquire) <= deadline_ns) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (deadline_ns_.load(std::memory_order_relaxed) <= deadline_ns) return;
  deadline_ns_.store(deadline_ns, std::memory_order_release);
  changed_.NotifyOne();
}

void TimeoutWatch::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stops_) {
    const std::int64_t deadline_ns = deadline_ns_.load(std::memory_order_relaxed);
    if (clock_.NowNs() < deadline_ns) {
      clock_.WaitUntil(lock, changed_, deadline_ns);
      continue;
    }
    // A deadline that is armed from here on counts beside the owner's answer.
    deadline_ns_.store(kNoDeadline, std::memory_order_release);
    lock.unlock();
    const std::int64_t next_ns = owner_.CheckTimeouts();
    lock.lock();
    deadline_ns_.store(std::min(next_ns, deadline_ns_.load(std::memory_order_relaxed)), std::memory_order_release);
  }
}

}  // namespace tandem::kernel
