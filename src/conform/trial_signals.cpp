#include "conform/trial_signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

#include "conform/contained.h"
#include "kernel/thunk/current_ddi.h"

namespace tandem::conform {
namespace {

constexpr std::array<int, 5> kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, kCrashes.size()> before;  // each signal's action before this handler was installed
std::atomic_flag told;

// Runs once: a crash inside a sanitizer's handler arrives here again.
void WriteWhere() {
  const char* const ddi = kernel::CurrentDdiName();
  if (ddi == nullptr || told.test_and_set()) return;
  std::array<char, 128> text{kInDdi};
  const std::size_t length = std::min(std::strlen(ddi), text.size() - 1);
  std::memcpy(text.data() + 1, ddi, length);
  static_cast<void>(!write(kOutcomeFd, text.data(), length + 1));
}

void OnCrash(int signal, siginfo_t* info, void* context) {
  WriteWhere();
  const auto index = static_cast<std::size_t>(std::find(kCrashes.begin(), kCrashes.end(), signal) - kCrashes.begin());
  const struct sigaction& previous = before[index];
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// The process that asked reads to the end of the pipe and then kills this one.
void OnQuestion(int /*signal*/) {
  WriteWhere();
  close(kOutcomeFd);
}

}  // namespace

void TellWhereItEnds() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = &OnCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(kCrashes[i], &action, &before[i]);
  }
  std::signal(kAskWhere, &OnQuestion);
  // A sanitizer that finds a fault raises no signal: it ends the process itself.
  using SetDeathCallback = void (*)(void (*)());
  if (const auto set = reinterpret_cast<SetDeathCallback>(dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback")))
    set(&WriteWhere);
}

void TellNothing() { told.test_and_set(); }

}  // namespace tandem::conform
