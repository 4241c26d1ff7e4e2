#include "kernel/present/call_thread.h"

#include <utility>

#include "base/condition.h"

namespace tandem::kernel {

struct CallThread::State {
  Mutex mutex;
  Condition changed;
  std::function<void()> work TANDEM_GUARDED_BY(mutex);  // null: none waits or runs
  bool done TANDEM_GUARDED_BY(mutex) = true;
  bool given_up TANDEM_GUARDED_BY(mutex) = false;
  bool stops TANDEM_GUARDED_BY(mutex) = false;
};

Result<std::unique_ptr<CallThread>> CallThread::Create() {
  std::unique_ptr<CallThread> calls(new CallThread());
  calls->state_ = std::make_shared<State>();
  auto thread = Thread::Start("tandem-driver", [state = calls->state_] { Loop(*state); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting a thread for calls of a driver");
  calls->thread_ = *std::move(thread);
  return calls;
}

CallThread::~CallThread() {
  {
    const MutexLock lock(state_->mutex);
    state_->stops = true;
  }
  state_->changed.NotifyAll();
  if (given_up()) thread_.Detach();
}

void CallThread::Loop(State& state) {
  MutexLock lock(state.mutex);
  for (;;) {
    while (state.done && !state.stops) state.changed.Wait(lock.native());
    if (state.done) return;
    const auto work = std::exchange(state.work, nullptr);
    lock.Unlock();
    work();
    lock.Lock();
    state.done = true;
    state.changed.NotifyAll();
  }
}

bool CallThread::Run(std::function<void()> work, Clock& clock, std::int64_t deadline_ns) {
  MutexLock lock(state_->mutex);
  if (state_->given_up) return false;
  state_->work = std::move(work);
  state_->done = false;
  state_->changed.NotifyAll();
  while (!state_->done && !state_->given_up) {
    if (deadline_ns == kNoDeadline) {
      state_->changed.Wait(lock.native());
    } else if (clock.NowNs() >= deadline_ns) {
      state_->given_up = true;
    } else {
      clock.WaitUntil(lock.native(), state_->changed, deadline_ns);
    }
  }
  return state_->done;
}

void CallThread::GiveUp() {
  {
    const MutexLock lock(state_->mutex);
    state_->given_up = true;
  }
  state_->changed.NotifyAll();
}

bool CallThread::given_up() const {
  const MutexLock lock(state_->mutex);
  return state_->given_up;
}

}  // namespace tandem::kernel
