#include "layer/exit_writer.h"

#include <cerrno>
#include <utility>

#include <poll.h>

namespace tandem::layer {
namespace {

constexpr int kStepMs = 1;
constexpr int kSteps = 3000;

}  // namespace

void ExitWriter::Start(std::function<void()> write) {
  write_ = std::move(write);
  auto thread = Thread::Start("tandem-exit", [this] {
    while (sem_wait(&asked_) != 0 && errno == EINTR) {
    }
    write_();
    done_.store(true, std::memory_order_release);
  });
  if (thread.ok()) thread_ = *std::move(thread);
}

void ExitWriter::Run() noexcept {
  if (!write_) return;
  if (!thread_.joinable()) return write_();
  sem_post(&asked_);
  for (int i = 0; i < kSteps && !done_.load(std::memory_order_acquire); ++i) poll(nullptr, 0, kStepMs);
}

}  // namespace tandem::layer
