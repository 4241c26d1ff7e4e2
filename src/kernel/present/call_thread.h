// A thread for the calls into one driver, so that a call that does not return holds nobody.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread.h"

namespace tandem::kernel {

// Run: one thread at a time. GiveUp: any.
class CallThread {
 public:
  // kLimit when the system has no more threads.
  [[nodiscard]] static Result<std::unique_ptr<CallThread>> Create();
  // Waits for the thread's end. A thread that was given up stays, with what its work holds.
  ~CallThread();
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  // Runs `work` on the thread and waits for its end. False: the thread was given up, or `deadline_ns` of `clock` came, which
  // gives it up; `work` may go on for ever, and what it refers to must stay. Nothing is run afterwards.
  [[nodiscard]] bool Run(std::function<void()> work, Clock& clock, std::int64_t deadline_ns);
  void GiveUp();
  [[nodiscard]] bool given_up() const;

 private:
  struct State;
  CallThread() = default;
  static void Loop(State& state);

  std::shared_ptr<State> state_;
  Thread thread_;
};

}  // namespace tandem::kernel
