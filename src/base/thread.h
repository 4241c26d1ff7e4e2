// Threads with names, a mutex that clang can check, and an honest way to ask for priority.
#pragma once

#include <condition_variable>
#include <functional>
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
  // For MutexLock; locking it directly escapes the analysis.
  [[nodiscard]] std::mutex& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for a scope. Unlock and Lock in between are for calls that must not be made under the lock.
class TANDEM_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TANDEM_ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~MutexLock() TANDEM_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Lock() TANDEM_ACQUIRE() { lock_.lock(); }
  void Unlock() TANDEM_RELEASE() { lock_.unlock(); }
  // For std::condition_variable and Clock::WaitUntil, which give the lock back as they got it. Wait in a while loop over guarded
  // members: the analysis does not see into a predicate lambda.
  [[nodiscard]] std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

// A named thread that is joined when destroyed. How it is told to stop is its owner's business, before that.
class Thread {
 public:
  Thread() = default;
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread() { Join(); }

  // `name` is what ps and gdb show; Linux keeps its first 15 characters. `body` must not throw. kLimit when the system has no
  // more threads. The thread takes no signal but those of its own faults (SIGSEGV and the like): in somebody else's process, the
  // program's handlers run on the program's threads.
  [[nodiscard]] static Result<Thread> Start(const std::string& name, std::function<void()> body);

  [[nodiscard]] bool joinable() const { return thread_.joinable(); }
  // Waits for the body's return. Nothing to do for a thread that was joined, moved away or never started. Not from the thread
  // itself.
  void Join();

 private:
  explicit Thread(std::thread thread) : thread_(std::move(thread)) {}

  std::thread thread_;
};

enum class ThreadPriority {
  kNormal,
  kDisplay,  // above the program's own threads: it does little and must do it before the next vertical blank
};

// For the calling thread. kUnsupported, with the reason, when the system does not allow it (it needs CAP_SYS_NICE or
// RLIMIT_NICE): the thread runs on at the priority it had. Giving priority up always works. One of kDisplay is in either case
// woken when the time that it waits for has come, where others are up to 50 us late, and asks for short slices.
Result<void> SetThreadPriority(ThreadPriority priority);
// kDisplay for the calling thread, which runs on without it; a refusal is logged (kDebug) with the thread's name.
void RequestDisplayPriority();

}  // namespace tandem
