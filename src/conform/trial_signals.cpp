#include "conform/trial_signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include "base/crash_signals.h"
#include "conform/contained.h"
#include "conform/crash_stack.h"
#include "kernel/thunk/current_ddi.h"

namespace tandem::conform {
namespace {

std::atomic_flag told;
std::atomic<CrashStack*> kept_stack{nullptr};

// Runs for the first crash only.
void KeepStackOf(void* context) {
  if (CrashStack* const stack = kept_stack.exchange(nullptr); stack != nullptr) WriteStack(*stack, context);
}

// Runs once: a crash inside a sanitizer's handler arrives here again.
void WriteWhere() {
  const char* const ddi = kernel::CurrentDdiName();
  if (ddi == nullptr || told.test_and_set()) return;
  std::array<char, 128> text{kInDdi};
  const std::size_t length = std::min(std::strlen(ddi), text.size() - 1);
  std::memcpy(text.data() + 1, ddi, length);
  static_cast<void>(!write(kOutcomeFd, text.data(), length + 1));
}

void OnCrash(int /*signal*/, void* context) {
  WriteWhere();
  KeepStackOf(context);
}

// The process that asked reads to the end of the pipe and then kills this one.
void OnQuestion(int /*signal*/, siginfo_t* /*info*/, void* context) {
  WriteWhere();
  KeepStackOf(context);
  close(kOutcomeFd);
}

}  // namespace

void TellWhereItEnds() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  ObserveCrashes(&OnCrash);
  struct sigaction question {};
  question.sa_sigaction = &OnQuestion;
  question.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(kAskWhere, &question, nullptr);
  // A sanitizer that finds a fault raises no signal: it ends the process itself.
  using SetDeathCallback = void (*)(void (*)());
  if (const auto set = reinterpret_cast<SetDeathCallback>(dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback")))
    set(&WriteWhere);
}

void TellNothing() { told.test_and_set(); }

void KeepStack(CrashStack& stack) {
  std::array<void*, 1> loaded{};
  backtrace(loaded.data(), 1);  // loads the unwinder, which allocates
  static std::array<std::byte, 64 * 1024> memory;
  const stack_t own{memory.data(), 0, memory.size()};
  sigaltstack(&own, nullptr);
  kept_stack = &stack;
}

}  // namespace tandem::conform
