// Named threads, a mutex that clang can check, and thread priority.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/thread_annotations.h"

namespace tandem {

// std::mutex with annotations. Not recursive.
class TANDEM_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() TANDEM_ACQUIRE() { mutex_.lock(); }
  void Unlock() TANDEM_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool TryLock() TANDEM_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  // Only for MutexLock; locking it directly escapes the analysis.
  [[nodiscard]] std::mutex& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for a scope. Unlock and Lock bracket calls that must not be made under the lock.
class TANDEM_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TANDEM_ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~MutexLock() TANDEM_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Lock() TANDEM_ACQUIRE() { lock_.lock(); }
  void Unlock() TANDEM_RELEASE() { lock_.unlock(); }
  // For Condition and Clock::WaitUntil, which return with the lock held. Wait in a while loop over guarded members: the analysis
  // does not see into a predicate lambda.
  [[nodiscard]] std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

// A named thread that is joined when destroyed. Its owner tells it to stop before that.
class Thread {
 public:
  Thread() = default;
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread() { Join(); }

  // ps and gdb show `name`; Linux keeps its first 15 characters. `body` must not throw. kLimit when the system has no more
  // threads. The thread blocks all signals except its own faults (SIGSEGV and the like), so a program's handlers run on the
  // program's threads.
  [[nodiscard]] static Result<Thread> Start(const std::string& name, std::function<void()> body);

  [[nodiscard]] bool joinable() const { return thread_.joinable(); }
  // Waits for the body's return. Does nothing for a thread that was joined, moved from or never started. Must not be called on
  // the thread itself.
  void Join();
  // Nobody joins the thread any more: it hangs in code that is not ours. What it refers to must stay.
  void Detach() { thread_.detach(); }

 private:
  // 1 once the body has returned. Join waits for it, because pthread_join has a clean-up record as described in condition.h.
  using Ended = std::atomic<std::uint32_t>;

  Thread(std::thread thread, std::shared_ptr<Ended> ended) : thread_(std::move(thread)), ended_(std::move(ended)) {}

  std::thread thread_;
  std::shared_ptr<Ended> ended_;
};

enum class ThreadPriority {
  kNormal,
  kDisplay,  // above the program's threads: its short work must finish before the next vertical blank
};

// Applies to the calling thread. kUnsupported, with the reason, when the system refuses (CAP_SYS_NICE or RLIMIT_NICE is
// needed); the thread keeps its priority. Lowering the priority always works. kDisplay also requests exact timers (others are
// up to 50 us late) and short slices, even when refused.
Result<void> SetThreadPriority(ThreadPriority priority);
// Requests kDisplay for the calling thread. A refusal is logged (kDebug) with the thread's name, and the thread runs on.
void RequestDisplayPriority();

}  // namespace tandem
