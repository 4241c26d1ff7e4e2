#include "kernel/present/unseen_blanks.h"

#include <utility>

#include "base/log.h"

namespace tandem::kernel {

UnseenBlanks::~UnseenBlanks() {
  {
    const MutexLock lock(mutex_);
    stops_ = true;
  }
  changed_.NotifyAll();
}

bool UnseenBlanks::StartThread() {
  if (thread_.joinable()) return true;
  auto thread = Thread::Start("tandem-unseen", [this] { Run(); });
  if (!thread.ok()) {
    Log(LogLevel::kWarn, "Frames that no monitor shows are not paced: {}", thread.error().message);
    return false;
  }
  thread_ = *std::move(thread);
  return true;
}

void UnseenBlanks::Set(std::uint32_t vidpn_source, bool unseen) {
  if (queue_ == nullptr) return;
  const std::uint32_t bit = 1U << vidpn_source;
  {
    const MutexLock lock(mutex_);
    if (((unseen_ & bit) != 0) == unseen || (unseen && !StartThread())) return;
    unseen_ ^= bit;
  }
  queue_->SetUnseen(vidpn_source, unseen);
  changed_.NotifyAll();
}

void UnseenBlanks::Run() {
  MutexLock lock(mutex_);
  while (!stops_) {
    while (!stops_ && unseen_ == 0) changed_.Wait(lock.native());
    const std::int64_t due_ns = clock_.NowNs() + kUnseenPeriodNs;
    while (!stops_ && unseen_ != 0 && clock_.NowNs() < due_ns) clock_.WaitUntil(lock.native(), changed_, due_ns);
    const std::uint32_t unseen = stops_ ? 0 : unseen_;
    lock.Unlock();
    for (std::uint32_t vidpn_source = 0; unseen >> vidpn_source != 0; ++vidpn_source) {
      if ((unseen >> vidpn_source & 1) != 0) queue_->BlankUnseen(vidpn_source);
    }
    lock.Lock();
  }
}

}  // namespace tandem::kernel
