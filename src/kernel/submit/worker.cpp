#include "kernel/submit/worker.h"

#include <utility>

namespace tandem::kernel {

Result<void> Worker::Start(const char* thread_name) {
  auto thread = Thread::Start(thread_name, [this] { Run(); });
  if (!thread.ok()) return std::move(thread).error();
  thread_ = *std::move(thread);
  return {};
}

void Worker::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
    wake_.NotifyOne();
  }
  thread_.Join();
}

void Worker::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (has_work_) return;
  has_work_ = true;
  wake_.NotifyOne();
}

void Worker::Run() {
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.Wait(lock, [this] { return has_work_ || stops_; });
      if (stops_) return;
      has_work_ = false;
    }
    owner_.Work();
  }
}

}  // namespace tandem::kernel
