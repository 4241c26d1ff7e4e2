#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

struct Work {
  KEVENT done;
  WORK_QUEUE_ITEM item;
  int runs = 0;
  KIRQL irql = HIGH_LEVEL;
};

VOID RunTwice(PVOID context) {
  auto* const work = static_cast<Work*>(context);
  work->irql = KeGetCurrentIrql();
  if (++work->runs < 2) return ExQueueWorkItem(&work->item, DelayedWorkQueue);
  KeSetEvent(&work->done, IO_NO_INCREMENT, FALSE);
}

TEST(WorkQueue, Item_RunsAtPassiveLevel_AndMayQueueItselfAgain) {
  FakeKernel kernel;
  Work work;
  KeInitializeEvent(&work.done, NotificationEvent, FALSE);
  ExInitializeWorkItem(&work.item, RunTwice, &work);
  FakeKernel::irql = DISPATCH_LEVEL;
  ExQueueWorkItem(&work.item, CriticalWorkQueue);
  FakeKernel::irql = PASSIVE_LEVEL;
  EXPECT_EQ(KeWaitForSingleObject(&work.done, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(work.runs, 2);
  EXPECT_EQ(work.irql, PASSIVE_LEVEL);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(WorkQueue, ItemThatIsQueued_IsNotQueuedAgain) {
  FakeKernel kernel;
  Work work;
  ExInitializeWorkItem(&work.item, RunTwice, &work);
  work.item.List.Flink = &work.item.List;
  ExQueueWorkItem(&work.item, DelayedWorkQueue);
  EXPECT_TRUE(kernel.Reported("Nt.WorkItemPending", "ExQueueWorkItem"));
}

}  // namespace
}  // namespace tandem::drivers::host
