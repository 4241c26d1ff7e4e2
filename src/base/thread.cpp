#include "base/thread.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace tandem {
namespace {

constexpr std::size_t kMaxThreadNameLength = 15;  // TASK_COMM_LEN less the zero
// Nice, not real time: the thread lives in somebody else's process, which must stay able to preempt it.
constexpr int kDisplayNice = -10;

}  // namespace

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    Join();
    thread_ = std::move(other.thread_);
  }
  return *this;
}

Result<Thread> Thread::Start(const std::string& name, std::function<void()> body) {
  try {
    return Thread(std::thread([short_name = name.substr(0, kMaxThreadNameLength), body = std::move(body)] {
      pthread_setname_np(pthread_self(), short_name.c_str());
      body();
    }));
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kLimit, "Thread '{}' cannot be started: {}.", name, error.code().message());
  }
}

void Thread::Join() {
  if (!thread_.joinable()) return;
  TANDEM_CHECK(thread_.get_id() != std::this_thread::get_id());
  thread_.join();
}

Result<void> SetThreadPriority(ThreadPriority priority) {
  const int nice_value = priority == ThreadPriority::kDisplay ? kDisplayNice : 0;
  // On Linux the nice value belongs to the thread.
  const auto thread_id = static_cast<id_t>(gettid());
  if (setpriority(PRIO_PROCESS, thread_id, nice_value) != 0) {
    return Fail(ErrorKind::kUnsupported, "Nice value {} cannot be set: {}.", nice_value, std::generic_category().message(errno));
  }
  return {};
}

}  // namespace tandem
