#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

TEST(Processor, Counts_AgreeWithTheMask) {
  KAFFINITY mask = 0;
  const ULONG count = KeQueryActiveProcessorCount(&mask);
  EXPECT_GE(count, 1u);
  EXPECT_EQ(count, static_cast<ULONG>(__builtin_popcountll(mask)));
  EXPECT_EQ(KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS), count);
  EXPECT_EQ(KeQueryActiveProcessorCountEx(3), 0u);
  EXPECT_GE(KeQueryMaximumProcessorCount(), count);
  PROCESSOR_NUMBER number{9, 9, 9};
  EXPECT_EQ(KeGetCurrentProcessorNumberEx(&number), number.Number);
  EXPECT_EQ(number.Group, 0);
}

TEST(Processor, Affinity_HoldsUntilItIsReverted) {
  FakeKernel kernel;
  const KAFFINITY one = KAFFINITY{1} << KeGetCurrentProcessorNumberEx(nullptr);
  EXPECT_EQ(KeSetSystemAffinityThreadEx(one), 0u);
  EXPECT_EQ(KAFFINITY{1} << KeGetCurrentProcessorNumberEx(nullptr), one);
  EXPECT_EQ(KeSetSystemAffinityThreadEx(one), one);
  KeRevertToUserAffinityThreadEx(one);
  KeRevertToUserAffinityThreadEx(0);
  EXPECT_EQ(KeSetSystemAffinityThreadEx(one), 0u);
  KeRevertToUserAffinityThread();
  EXPECT_TRUE(kernel.Reports().empty());
  FakeKernel::irql = DISPATCH_LEVEL;
  KeSetSystemAffinityThread(one);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "KeSetSystemAffinityThread"));
  FakeKernel::irql = PASSIVE_LEVEL;
  KeRevertToUserAffinityThread();
}

TEST(Process, Attached_SeesTheSameMemory) {
  FakeKernel kernel;
  int value = 1;
  KAPC_STATE state;
  KeStackAttachProcess(PsGetCurrentProcess(), &state);
  value = 2;
  KeUnstackDetachProcess(&state);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(PsGetProcessId(PsGetCurrentProcess()), PsGetCurrentProcessId());
  EXPECT_EQ(ExGetPreviousMode(), KernelMode);
}

}  // namespace
}  // namespace tandem::drivers::host
