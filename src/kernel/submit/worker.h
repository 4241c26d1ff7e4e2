// A thread that does what others found and could not do where they were.
#pragma once

#include <mutex>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"

namespace tandem::kernel {

class Worker {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // After one Wake() or several. The worker's thread, PASSIVE_LEVEL.
    virtual void Work() = 0;
  };

  // The owner outlives the thread.
  explicit Worker(Owner& owner) : owner_(owner) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { Stop(); }

  // kLimit when the system has no more threads.
  [[nodiscard]] Result<void> Start(const char* thread_name);
  // Returns when Work() has. Nothing to do before Start().
  void Stop();
  // Any thread, under any lock.
  void Wake();

 private:
  void Run();

  Owner& owner_;
  std::mutex mutex_;
  Condition wake_;
  bool has_work_ = false;
  bool stops_ = false;
  Thread thread_;
};

}  // namespace tandem::kernel
