// Requests for a shorter period of the clock's interrupts.
#include <gtest/gtest.h>
#include <ntddk.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

ULONG Current() {
  ULONG most = 0, least = 0, current = 0;
  ExQueryTimerResolution(&most, &least, &current);
  EXPECT_EQ(most, KeQueryTimeIncrement());
  EXPECT_LT(least, most);
  return current;
}

TEST(TimerResolution, Finest_IsInForceUntilEachRequestIsTakenBack) {
  FakeKernel kernel;
  EXPECT_EQ(Current(), KeQueryTimeIncrement());
  EXPECT_EQ(ExSetTimerResolution(10'000, TRUE), 10'000u);
  EXPECT_EQ(ExSetTimerResolution(20'000, TRUE), 10'000u) << "a coarser one";
  EXPECT_EQ(ExSetTimerResolution(1, TRUE), 5'000u) << "finer than the clock";
  EXPECT_EQ(ExSetTimerResolution(0, FALSE), 5'000u);
  EXPECT_EQ(ExSetTimerResolution(0, FALSE), 5'000u);
  EXPECT_EQ(ExSetTimerResolution(0, FALSE), KeQueryTimeIncrement());
  EXPECT_EQ(ExSetTimerResolution(0, FALSE), KeQueryTimeIncrement()) << "without a request";
  EXPECT_EQ(ExSetTimerResolution(10'000, TRUE), 10'000u);
  EXPECT_EQ(ExSetTimerResolution(0, FALSE), KeQueryTimeIncrement());
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty());
}

TEST(TimerResolution, AboveApcLevel_IsReported) {
  FakeKernel kernel;
  FakeKernel::irql = DISPATCH_LEVEL;
  ExSetTimerResolution(10'000, FALSE);
  FakeKernel::irql = PASSIVE_LEVEL;
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ExSetTimerResolution"));
}

}  // namespace
}  // namespace tandem::drivers::host
