// Writes files at the program's exit without ever blocking the exit.
#pragma once

#include <atomic>
#include <functional>

#include <semaphore.h>

#include "base/thread.h"

namespace tandem::layer {

// exit() may run in a signal handler, on a thread that holds our locks or the allocator's. A thread started earlier therefore
// does the writing, within the time that the exit may take. Lives as long as the process.
class ExitWriter {
 public:
  ExitWriter() { sem_init(&asked_, 0, 0); }
  ExitWriter(const ExitWriter&) = delete;
  ExitWriter& operator=(const ExitWriter&) = delete;

  // Call once. The thread calls `write`, or Run() does if the system has no more threads.
  void Start(std::function<void()> write);
  // Call once, from an exit handler. Takes no lock and allocates nothing. Without Start() it writes nothing.
  void Run() noexcept;

 private:
  std::function<void()> write_;
  Thread thread_;
  sem_t asked_{};
  std::atomic<bool> done_{false};
};

}  // namespace tandem::layer
