// Writes what a program's exit calls for, without ever keeping the program from its exit.
#pragma once

#include <atomic>
#include <functional>

#include <semaphore.h>

#include "base/thread.h"

namespace tandem::layer {

// exit() may be called in a signal handler, on a thread that holds a lock of ours or of the allocator. What is to be written is
// therefore written by a thread that was started before, for as long as the exit may take. Lives as long as the process.
class ExitWriter {
 public:
  ExitWriter() { sem_init(&asked_, 0, 0); }
  ExitWriter(const ExitWriter&) = delete;
  ExitWriter& operator=(const ExitWriter&) = delete;

  // Once. `write` is called by the thread, or by Run() where the system has no more threads.
  void Start(std::function<void()> write);
  // Once, from an exit handler. Takes no lock and allocates nothing. Without Start() there is nothing to write.
  void Run() noexcept;

 private:
  std::function<void()> write_;
  Thread thread_;
  sem_t asked_{};
  std::atomic<bool> done_{false};
};

}  // namespace tandem::layer
