#include "swapchain/alarm.h"

#include <utility>

namespace tandem::swapchain {

Result<std::unique_ptr<Alarm>> Alarm::Create(D3DKMT_HANDLE device, Clock& clock) {
  std::unique_ptr<Alarm> alarm(new Alarm(clock));
  auto fence = MonitoredFence::Create(device);
  if (!fence.ok()) return std::move(fence).error();
  alarm->fence_ = *std::move(fence);
  auto thread = Thread::Start("tandem-alarm", [raw = alarm.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error();
  alarm->thread_ = *std::move(thread);
  return alarm;
}

Alarm::~Alarm() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.Join();
}

void Alarm::SetFor(std::int64_t at_ns) {
  {
    const MutexLock lock(mutex_);
    if (at_ns_ == at_ns) return;
    at_ns_ = at_ns;
  }
  changed_.NotifyAll();
}

void Alarm::Run() {
  MutexLock lock(mutex_);
  for (std::uint64_t rings = 0; !stop_;) {
    if (clock_.NowNs() < at_ns_) {
      clock_.WaitUntil(lock.native(), changed_, at_ns_);
      continue;
    }
    at_ns_ = kNoDeadline;
    lock.Unlock();
    // A lost adapter has already ended every wait.
    static_cast<void>(fence_->SignalNow(++rings));
    lock.Lock();
  }
}

}  // namespace tandem::swapchain
