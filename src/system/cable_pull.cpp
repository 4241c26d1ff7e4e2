#include "system/cable_pull.h"

#include <utility>

#include "base/clock.h"

namespace tandem::system {

Result<std::unique_ptr<CablePull>> CablePull::Create(SetCable set_cable, const config::UnplugTimes& times) {
  std::unique_ptr<CablePull> pull;
  if (times == config::UnplugTimes{}) return pull;
  pull.reset(new CablePull(std::move(set_cable)));
  auto thread = Thread::Start("tandem-cable", [raw = pull.get(), times] { raw->Run(times); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting the trial of a hot plug");
  pull->thread_ = *std::move(thread);
  return pull;
}

CablePull::~CablePull() {
  {
    const MutexLock lock(mutex_);
    stops_ = true;
  }
  changed_.NotifyAll();
  thread_.Join();
  set_cable_(true);
}

void CablePull::Run(const config::UnplugTimes& times) {
  if (!Wait(times.after_ms)) return;
  set_cable_(false);
  if (Wait(times.for_ms)) set_cable_(true);
}

bool CablePull::Wait(std::uint32_t milliseconds) {
  constexpr std::int64_t kNsInMs = 1'000'000;
  Clock& clock = MonotonicClock();
  const std::int64_t due_ns = clock.NowNs() + milliseconds * kNsInMs;
  MutexLock lock(mutex_);
  while (!stops_ && clock.NowNs() < due_ns) clock.WaitUntil(lock.native(), changed_, due_ns);
  return !stops_;
}

}  // namespace tandem::system
