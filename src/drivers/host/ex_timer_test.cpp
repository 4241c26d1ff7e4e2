// Timers with a routine of their own.
#include <ntddk.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

constexpr LONGLONG kSoon = -10;               // a microsecond from now
constexpr LONGLONG kLater = -36'000'000'000;  // an hour
constexpr LONGLONG kHalfMs = 5'000;

struct Seen {
  std::atomic<int> runs{0};
  std::atomic<int> wrong{0};
};

EXT_CALLBACK Count;
VOID NTAPI Count(PEX_TIMER /*timer*/, PVOID context) {
  auto* const seen = static_cast<Seen*>(context);
  if (KeGetCurrentIrql() != DISPATCH_LEVEL) ++seen->wrong;
  ++seen->runs;
  seen->runs.notify_all();
}

void WaitForRuns(Seen& seen, int runs) {
  for (int now = seen.runs; now < runs; now = seen.runs) seen.runs.wait(now);
}

TEST(ExTimer, Periodic_CallsAtDispatchLevel_UntilDeleted) {
  FakeKernel kernel;
  Seen seen;
  const PEX_TIMER timer = ExAllocateTimer(Count, &seen, EX_TIMER_HIGH_RESOLUTION);
  ASSERT_NE(timer, nullptr);
  EXPECT_FALSE(ExSetTimer(timer, kSoon, kHalfMs, nullptr));
  WaitForRuns(seen, 3);
  EXPECT_TRUE(ExDeleteTimer(timer, TRUE, TRUE, nullptr));
  const int runs = seen.runs;
  kernel.Detach();
  EXPECT_EQ(seen.runs, runs);
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(ExTimer, Cancelled_MayBeSetAgain) {
  FakeKernel kernel;
  Seen seen;
  const PEX_TIMER timer = ExAllocateTimer(Count, &seen, 0);
  EXPECT_FALSE(ExSetTimer(timer, kLater, 0, nullptr));
  EXPECT_TRUE(ExCancelTimer(timer, nullptr));
  EXPECT_FALSE(ExCancelTimer(timer, nullptr));
  EXPECT_FALSE(ExSetTimer(timer, kLater, 0, nullptr));
  EXT_SET_PARAMETERS parameters;
  ExInitializeSetTimerParameters(&parameters);
  EXPECT_TRUE(ExSetTimer(timer, kSoon, 0, &parameters));
  WaitForRuns(seen, 1);
  EXPECT_FALSE(ExDeleteTimer(timer, TRUE, TRUE, nullptr));
  EXPECT_EQ(seen.runs, 1);
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(ExTimer, WithoutARoutine_IsWaitedFor) {
  FakeKernel kernel;
  const PEX_TIMER timer = ExAllocateTimer(nullptr, nullptr, EX_TIMER_NOTIFICATION);
  ExSetTimer(timer, kSoon, 0, nullptr);
  EXPECT_EQ(KeWaitForSingleObject(timer, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
  ExDeleteTimer(timer, TRUE, TRUE, nullptr);
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

// A routine that runs until it is let go.
struct Held {
  std::atomic<bool> entered{false}, let_go{false}, left{false};
};

TEST(ExTimer, DeletionThatWaits_EndsBehindTheRoutine) {
  FakeKernel kernel;
  Held held;
  const PEX_TIMER timer = ExAllocateTimer(
      [](PEX_TIMER /*timer*/, PVOID context) {
        auto* const routine = static_cast<Held*>(context);
        routine->entered = true;
        routine->entered.notify_all();
        routine->let_go.wait(false);
        routine->left = true;
      },
      &held, 0);
  ExSetTimer(timer, kSoon, 0, nullptr);
  held.entered.wait(false);
  std::thread deletion([&] {
    ExDeleteTimer(timer, TRUE, TRUE, nullptr);
    EXPECT_TRUE(held.left);
  });
  // Once it is deleted it is not set any more.
  while (ExSetTimer(timer, kLater, 0, nullptr) || ExCancelTimer(timer, nullptr)) {
  }
  held.let_go = true;
  held.let_go.notify_all();
  deletion.join();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

struct Ending {
  EXT_DELETE_PARAMETERS parameters{};
  std::atomic<bool> told{false};
};

TEST(ExTimer, DeletionWithinItsRoutine_IsToldAfterwards) {
  FakeKernel kernel;
  Ending ending;
  ExInitializeDeleteTimerParameters(&ending.parameters);
  ending.parameters.DeleteContext = &ending;
  ending.parameters.DeleteCallback = [](PVOID context) {
    auto& told = static_cast<Ending*>(context)->told;
    told = true;
    told.notify_all();
  };
  const PEX_TIMER timer = ExAllocateTimer(
      [](PEX_TIMER own, PVOID context) {
        ExDeleteTimer(own, TRUE, FALSE, &static_cast<Ending*>(context)->parameters);
        EXPECT_FALSE(static_cast<Ending*>(context)->told);
      },
      &ending, 0);
  ExSetTimer(timer, kSoon, kHalfMs, nullptr);
  ending.told.wait(false);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(ExTimer, LeftAtTheEnd_IsReported) {
  FakeKernel kernel;
  Seen seen;
  ExSetTimer(ExAllocateTimer(Count, &seen, 0), kLater, 0, nullptr);
  static_cast<void>(ExAllocateTimer(Count, &seen, 0));
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.TimerPending", "2 timers of ExAllocateTimer"));
  EXPECT_EQ(seen.runs, 0);
}

TEST(ExTimer, DeletionThatWaitsAtDispatchLevel_IsReported) {
  FakeKernel kernel;
  const PEX_TIMER timer = ExAllocateTimer(nullptr, nullptr, 0);
  FakeKernel::irql = DISPATCH_LEVEL;
  ExDeleteTimer(timer, TRUE, TRUE, nullptr);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ExDeleteTimer"));
}

TEST(ExTimer, DeletionThatWaitsInADpc_IsReportedAndEnds) {
  FakeKernel kernel;
  const PEX_TIMER timer = ExAllocateTimer(nullptr, nullptr, 0);
  KDPC dpc;
  KeInitializeDpc(
      &dpc, [](KDPC*, PVOID context, PVOID, PVOID) { ExDeleteTimer(static_cast<PEX_TIMER>(context), TRUE, TRUE, nullptr); },
      timer);
  KeInsertQueueDpc(&dpc, nullptr, nullptr);
  KeFlushQueuedDpcs();
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ExDeleteTimer"));
}

}  // namespace
}  // namespace tandem::drivers::host
