#include "base/crash_signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace tandem {
namespace {

constexpr std::array<int, 5> kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
std::array<struct sigaction, kCrashes.size()> before;  // each signal's action
std::atomic<CrashObserver> observer_now{nullptr};

void OnCrash(int signal, siginfo_t* info, void* context) {
  if (const CrashObserver observer = observer_now; observer != nullptr) observer(signal, context);
  const struct sigaction& previous =
      before[static_cast<std::size_t>(std::find(kCrashes.begin(), kCrashes.end(), signal) - kCrashes.begin())];
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

}  // namespace

void ObserveCrashes(CrashObserver observer) {
  observer_now = observer;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = &OnCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(kCrashes[i], &action, &before[i]);
  }
}

void StopObservingCrashes() {
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    struct sigaction current {};
    sigaction(kCrashes[i], nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == &OnCrash) sigaction(kCrashes[i], &before[i], nullptr);
  }
  observer_now = nullptr;
}

}  // namespace tandem
