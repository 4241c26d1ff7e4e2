#include "base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/check.h"
#include "base/log.h"

namespace tandem {
namespace {

constexpr std::size_t kMaxThreadNameLength = 15;  // TASK_COMM_LEN without the terminating zero
// A nice value, not real time: the program must stay able to preempt the thread.
constexpr int kDisplayNice = -10;
constexpr unsigned long kDisplaySlackNs = 1;
constexpr std::uint64_t kDisplaySliceNs = 100'000;  // the shortest that Linux allows

// Argument of sched_setattr(2). Its header conflicts with the C library's sched_param.
struct SchedulingAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime_ns;
  std::uint64_t deadline_ns;
  std::uint64_t period_ns;
};
static_assert(sizeof(SchedulingAttributes) == 48);

// Since Linux 6.12 a thread with a shorter slice runs as soon as it wakes, even on fully loaded processors. With a nice value
// alone it waits some milliseconds for another thread's slice to end. The call needs no privilege. 0 restores the system's
// slice.
void SetSlice(std::uint64_t slice_ns) {
  SchedulingAttributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0 || attributes.policy != SCHED_OTHER) return;
  attributes.runtime_ns = slice_ns;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// While it lives, new threads of the caller inherit a mask that blocks all signals except those raised by instructions. A mask
// set by the new thread itself would come too late for an early signal.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &previous_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t previous_;
};

}  // namespace

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    Join();
    thread_ = std::move(other.thread_);
    ended_ = std::move(other.ended_);
  }
  return *this;
}

Result<Thread> Thread::Start(const std::string& name, std::function<void()> body) {
  const SignalsBlocked blocked;
  try {
    auto ended = std::make_shared<Ended>(0);
    std::thread thread([short_name = name.substr(0, kMaxThreadNameLength), body = std::move(body), ended] {
      pthread_setname_np(pthread_self(), short_name.c_str());
      body();
      ended->store(1, std::memory_order_release);
      ended->notify_all();
    });
    return Thread(std::move(thread), std::move(ended));
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kLimit, "Thread '{}' cannot be started: {}.", name, error.code().message());
  }
}

void Thread::Join() {
  if (!thread_.joinable()) return;
  TANDEM_CHECK(thread_.get_id() != std::this_thread::get_id());
  ended_->wait(0, std::memory_order_acquire);
  thread_.join();
}

Result<void> SetThreadPriority(ThreadPriority priority) {
  const int nice_value = priority == ThreadPriority::kDisplay ? kDisplayNice : 0;
  SetSlice(priority == ThreadPriority::kDisplay ? kDisplaySliceNs : 0);
  // 0 restores the slack that the thread started with.
  prctl(PR_SET_TIMERSLACK, priority == ThreadPriority::kDisplay ? kDisplaySlackNs : 0UL);
  // On Linux the nice value belongs to the thread.
  const auto thread_id = static_cast<id_t>(gettid());
  if (setpriority(PRIO_PROCESS, thread_id, nice_value) != 0) {
    return Fail(ErrorKind::kUnsupported, "Nice value {} cannot be set: {}.", nice_value, std::generic_category().message(errno));
  }
  return {};
}

void RequestDisplayPriority() {
  const auto raised = SetThreadPriority(ThreadPriority::kDisplay);
  if (raised.ok() || !LogEnabled(LogLevel::kDebug)) return;
  std::array<char, kMaxThreadNameLength + 1> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  Log(LogLevel::kDebug, "Thread '{}' keeps its priority: {}", name.data(), raised.error().message);
}

}  // namespace tandem
