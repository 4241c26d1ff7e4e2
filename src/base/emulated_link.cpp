#include "base/emulated_link.h"

#include <algorithm>
#include <utility>

namespace tandem {

Result<std::unique_ptr<EmulatedLink>> EmulatedLink::Start(std::uint64_t bytes_per_second, Clock& clock,
                                                          std::function<void(std::uint64_t)> deliver) {
  if (bytes_per_second < kMinLinkBytesPerSecond || bytes_per_second > kMaxLinkBytesPerSecond) {
    return Fail(ErrorKind::kInvalidArgument, "A link of {} bytes a second; {} to {} can be emulated.", bytes_per_second,
                kMinLinkBytesPerSecond, kMaxLinkBytesPerSecond);
  }
  std::unique_ptr<EmulatedLink> link(new EmulatedLink(bytes_per_second, clock, std::move(deliver)));
  auto thread = Thread::Start("tandem-link", [raw = link.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error();
  link->thread_ = *std::move(thread);
  return link;
}

EmulatedLink::~EmulatedLink() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.Join();
}

std::int64_t EmulatedLink::TimeOf(std::uint64_t bytes) const {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(bytes_per_second_));
}

void EmulatedLink::Send(std::uint64_t ticket, std::uint64_t bytes, PassMeter* meter) {
  {
    MutexLock lock(mutex_);
    while (items_.full() && !stop_) changed_.Wait(lock.native());
    if (stop_) return;
    const std::int64_t begin_ns = std::max(free_ns_, clock_.NowNs());
    free_ns_ = begin_ns + TimeOf(bytes);
    items_.push({ticket, begin_ns, free_ns_, meter});
  }
  changed_.NotifyAll();
}

void EmulatedLink::Flush() {
  MutexLock lock(mutex_);
  ++flushes_;
  free_ns_ = 0;
  changed_.NotifyAll();
  while (!items_.empty() && !stop_) changed_.Wait(lock.native());
  --flushes_;
}

bool EmulatedLink::idle() const {
  const MutexLock lock(mutex_);
  return items_.empty();
}

void EmulatedLink::Run() {
  RequestDisplayPriority();
  MutexLock lock(mutex_);
  while (!stop_) {
    if (items_.empty()) {
      changed_.Wait(lock.native());
      continue;
    }
    const Item item = items_.front();
    if (flushes_ == 0 && clock_.NowNs() < item.due_ns) {
      clock_.WaitUntil(lock.native(), changed_, item.due_ns);
      continue;
    }
    lock.Unlock();
    // A flush delivers before the bytes are due.
    if (item.meter != nullptr && item.due_ns != item.begin_ns) {
      item.meter->NoteLink(item.begin_ns, std::max(item.begin_ns, std::min(item.due_ns, clock_.NowNs())));
    }
    deliver_(item.ticket);
    lock.Lock();
    items_.pop();
    changed_.NotifyAll();
  }
}

}  // namespace tandem
