#include "base/crash_signals.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace tandem {
namespace {

constexpr int kHandledCode = 7;

void SayObserved(int signal, void* /*context*/) {
  const char* const text = signal == SIGSEGV ? "observed SIGSEGV" : "observed another";
  static_cast<void>(!write(STDERR_FILENO, text, 16));
}

void LeaveWithCode(int /*signal*/) { _exit(kHandledCode); }

int count = 0;
void Count(int /*signal*/) { ++count; }

TEST(CrashSignalsDeathTest, WithoutAHandlerBefore_TheProcessEndsByTheSignal) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        ObserveCrashes(&SayObserved);
        raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "observed SIGSEGV");
}

TEST(CrashSignalsDeathTest, HandlerOfBefore_RunsBehindTheObserver) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, &LeaveWithCode);
        ObserveCrashes(&SayObserved);
        raise(SIGSEGV);
      },
      testing::ExitedWithCode(kHandledCode), "observed SIGSEGV");
}

TEST(CrashSignals, Stopped_TheHandlersAreThoseOfBefore) {
  const auto old = std::signal(SIGFPE, &Count);
  ObserveCrashes([](int, void*) { count += 100; });
  StopObservingCrashes();
  raise(SIGFPE);
  EXPECT_EQ(count, 1);
  std::signal(SIGFPE, old);
}

TEST(CrashSignals, HandlerThatCameLater_Stays) {
  ObserveCrashes([](int, void*) {});
  const auto ours = std::signal(SIGFPE, &Count);
  StopObservingCrashes();
  count = 0;
  raise(SIGFPE);
  EXPECT_EQ(count, 1);
  static_cast<void>(ours);
  std::signal(SIGFPE, SIG_DFL);
}

}  // namespace
}  // namespace tandem
