#include "base/testing/ended_thread.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/unique_fd.h"

namespace tandem {
namespace {

constexpr std::size_t kStackBytes = 1024 * 1024;
constexpr std::size_t kSignalStackBytes = 64 * 1024;
constexpr int kSignal = SIGUSR2;

thread_local ucontext_t* exit_of_thread = nullptr;

void* MapStack(std::size_t bytes) {
  void* const stack = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  TANDEM_CHECK(stack != MAP_FAILED);
  return stack;
}

// The letter behind the name in parentheses.
char StateOf(int thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  if (read(file.get(), text.data(), text.size() - 1) <= 0) return '?';
  const std::string line = text.data();
  const std::size_t end = line.rfind(") ");
  return end == std::string::npos || end + 2 >= line.size() ? '?' : line[end + 2];
}

}  // namespace

EndedThread::EndedThread(std::function<void()> body) : body_(std::move(body)), stack_(MapStack(kStackBytes)) {
  struct sigaction action {};
  action.sa_handler = &EndedThread::OnSignal;
  action.sa_flags = SA_ONSTACK;
  TANDEM_CHECK(sigaction(kSignal, &action, nullptr) == 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack_, kStackBytes);
  runs_ = pthread_create(&thread_, &attributes, &EndedThread::Enter, this) == 0;
  pthread_attr_destroy(&attributes);
  TANDEM_CHECK(runs_);
}

void* EndedThread::Enter(void* self) {
  auto& thread = *static_cast<EndedThread*>(self);
  stack_t handlers{};
  handlers.ss_sp = MapStack(kSignalStackBytes);
  handlers.ss_size = kSignalStackBytes;
  sigaltstack(&handlers, nullptr);
  // The exit's frames begin here, where the body's begin.
  const auto bottom = reinterpret_cast<std::uintptr_t>(thread.stack_);
  getcontext(&thread.exit_);
  thread.exit_.uc_stack.ss_sp = thread.stack_;
  thread.exit_.uc_stack.ss_size = (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - bottom) & ~std::uintptr_t{63};
  makecontext(&thread.exit_, &EndedThread::Exit, 0);
  exit_of_thread = &thread.exit_;
  thread.id_.store(gettid());
  thread.body_();
  return nullptr;
}

void EndedThread::OnSignal(int /*signal*/) { setcontext(exit_of_thread); }

void EndedThread::Exit() { pthread_exit(nullptr); }

void EndedThread::AwaitSleep() const {
  while (id_.load() == 0 || StateOf(id_.load()) != 'S') poll(nullptr, 0, 1);
}

void EndedThread::End() {
  if (!std::exchange(runs_, false)) return;
  pthread_kill(thread_, kSignal);
  pthread_join(thread_, nullptr);
  munmap(stack_, kStackBytes);
}

}  // namespace tandem
