// A thread that is ended at any instruction, as Wine ends the threads of a process that exits.
#pragma once

#include <pthread.h>
#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <functional>

namespace tandem {

// End() raises a signal in the thread. Its handler leaves the body for the frame that called it, and calls pthread_exit there:
// the thread's stack from the body's frames on is overwritten, nothing on it is destroyed. Afterwards the stack is unmapped.
// Sanitizers do not know the thread's way to its other stack: they report its end as an error, so tests leave it out there.
class EndedThread {
 public:
  // The body never returns.
  explicit EndedThread(std::function<void()> body);
  ~EndedThread() { End(); }
  EndedThread(const EndedThread&) = delete;
  EndedThread& operator=(const EndedThread&) = delete;

  // Returns once the body sleeps in the system.
  void AwaitSleep() const;
  // Returns once the thread is gone.
  void End();

 private:
  static void* Enter(void* self);
  static void OnSignal(int signal);
  static void Exit();

  std::function<void()> body_;
  void* stack_ = nullptr;
  bool runs_ = false;
  std::atomic<int> id_{0};  // of Linux
  ucontext_t exit_{};
  pthread_t thread_{};
};

}  // namespace tandem
