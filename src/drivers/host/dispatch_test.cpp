#include <ntddk.h>

#include <atomic>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

LARGE_INTEGER Milliseconds(LONGLONG count) {
  LARGE_INTEGER timeout{};
  timeout.QuadPart = -count * 10'000;
  return timeout;
}

NTSTATUS WaitFor(PVOID object, LONGLONG milliseconds) {
  LARGE_INTEGER timeout = Milliseconds(milliseconds);
  return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &timeout);
}

// Starts a system thread and returns its object, referenced.
PVOID StartThread(PKSTART_ROUTINE routine, PVOID context) {
  HANDLE handle = nullptr;
  EXPECT_EQ(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, routine, context), STATUS_SUCCESS);
  PVOID thread = nullptr;
  EXPECT_EQ(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &thread, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(ZwClose(handle), STATUS_SUCCESS);
  return thread;
}

TEST(Event, Synchronization_ReleasesOneWait) {
  FakeKernel kernel;
  KEVENT event;
  KeInitializeEvent(&event, SynchronizationEvent, FALSE);
  EXPECT_EQ(WaitFor(&event, 0), STATUS_TIMEOUT);
  EXPECT_EQ(KeSetEvent(&event, IO_NO_INCREMENT, FALSE), 0);
  EXPECT_EQ(WaitFor(&event, 0), STATUS_SUCCESS);
  EXPECT_EQ(WaitFor(&event, 5), STATUS_TIMEOUT);
}

TEST(Event, Uninitialized_IsReported) {
  FakeKernel kernel;
  KEVENT event{};
  KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
  EXPECT_TRUE(kernel.Reported("Nt.Uninitialized", "KeSetEvent"));
}

TEST(Wait, AtDispatchLevel_IsReported) {
  FakeKernel kernel;
  KEVENT event;
  KeInitializeEvent(&event, NotificationEvent, TRUE);
  FakeKernel::irql = DISPATCH_LEVEL;
  EXPECT_EQ(WaitFor(&event, 0), STATUS_SUCCESS);
  EXPECT_TRUE(kernel.Reports().empty());
  WaitFor(&event, 1);
  FakeKernel::irql = PASSIVE_LEVEL;
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "KeWaitForSingleObject is called at DISPATCH_LEVEL; its limit is APC_LEVEL."));
}

TEST(Wait, WithSpinLock_IsReported) {
  FakeKernel kernel;
  KSPIN_LOCK lock;
  KeInitializeSpinLock(&lock);
  KEVENT event;
  KeInitializeEvent(&event, NotificationEvent, TRUE);
  KIRQL before = HIGH_LEVEL;
  KeAcquireSpinLock(&lock, &before);
  EXPECT_EQ(before, PASSIVE_LEVEL);
  EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
  WaitFor(&event, 1);
  KeReleaseSpinLock(&lock, before);
  EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
  EXPECT_TRUE(kernel.Reported("Nt.SpinLockAcrossWait", "KeWaitForSingleObject"));
}

TEST(SpinLock, SecondAcquire_IsReported_NotHanging) {
  FakeKernel kernel;
  KSPIN_LOCK lock = 0;  // Zeroed memory is a free lock.
  const KIRQL before = KeAcquireSpinLockRaiseToDpc(&lock);
  KeAcquireSpinLockAtDpcLevel(&lock);
  EXPECT_TRUE(kernel.Reported("Nt.SpinLock", "that it holds"));
  KeReleaseSpinLock(&lock, before);
}

TEST(WaitMultiple, Any_GivesTheSignaledIndex_AndAllTakesNone) {
  FakeKernel kernel;
  KEVENT first, second;
  KeInitializeEvent(&first, SynchronizationEvent, FALSE);
  KeInitializeEvent(&second, SynchronizationEvent, TRUE);
  PVOID objects[] = {&first, &second};
  LARGE_INTEGER now = Milliseconds(0);
  EXPECT_EQ(KeWaitForMultipleObjects(2, objects, WaitAll, Executive, KernelMode, FALSE, &now, nullptr), STATUS_TIMEOUT);
  EXPECT_EQ(KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, &now, nullptr), STATUS_WAIT_1);
  EXPECT_EQ(KeReadStateEvent(&second), 0);
}

TEST(WaitMultiple, SignalFromAnotherThread_WakesIt) {
  FakeKernel kernel;
  KEVENT events[2];
  for (KEVENT& event : events) KeInitializeEvent(&event, SynchronizationEvent, FALSE);
  PVOID objects[] = {&events[0], &events[1]};
  PVOID const thread = StartThread(
      [](PVOID event) {
        LARGE_INTEGER pause = Milliseconds(5);
        KeDelayExecutionThread(KernelMode, FALSE, &pause);
        KeSetEvent(static_cast<PKEVENT>(event), IO_NO_INCREMENT, FALSE);
      },
      &events[1]);
  LARGE_INTEGER limit = Milliseconds(10'000);
  EXPECT_EQ(KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, &limit, nullptr), STATUS_WAIT_1);
  EXPECT_EQ(WaitFor(thread, 10'000), STATUS_SUCCESS);
  ObDereferenceObject(thread);
}

TEST(Thread, Terminate_EndsIt_AndNothingIsLeft) {
  FakeKernel kernel;
  static std::atomic<bool> after{false};
  PVOID const thread = StartThread(
      [](PVOID) {
        PsTerminateSystemThread(STATUS_SUCCESS);
        after = true;
      },
      nullptr);
  EXPECT_EQ(WaitFor(thread, 10'000), STATUS_SUCCESS);
  ObDereferenceObject(thread);
  kernel.Detach();
  EXPECT_FALSE(after);
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(Thread, OpenHandle_IsReportedAtTheEnd) {
  FakeKernel kernel;
  HANDLE handle = nullptr;
  PsCreateSystemThread(
      &handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, [](PVOID) {}, nullptr);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.HandleOpen", "1 handle of a thread is open."));
}

TEST(Dpc, RunsAtDispatchLevelOnItsThread_OnceForTwoInserts) {
  FakeKernel kernel;
  struct Seen {
    std::atomic<int> runs{0};
    std::atomic<int> level{-1};
    PKTHREAD thread = nullptr;
    std::atomic<bool> same{false};
  } seen;
  seen.thread = KeGetCurrentThread();
  KDPC dpc;
  KeInitializeDpc(
      &dpc,
      [](KDPC*, PVOID context, PVOID, PVOID) {
        auto* const state = static_cast<Seen*>(context);
        state->level = KeGetCurrentIrql();
        state->same = KeGetCurrentThread() == state->thread;
        ++state->runs;
      },
      &seen);
  EXPECT_TRUE(KeInsertQueueDpc(&dpc, nullptr, nullptr));
  KeFlushQueuedDpcs();
  EXPECT_EQ(seen.runs, 1);
  EXPECT_EQ(seen.level, DISPATCH_LEVEL);
  EXPECT_FALSE(seen.same);
  EXPECT_FALSE(KeRemoveQueueDpc(&dpc));
}

TEST(Timer, Periodic_SignalsAndRunsItsDpc_UntilCancelled) {
  FakeKernel kernel;
  std::atomic<int> runs{0};
  KDPC dpc;
  KeInitializeDpc(
      &dpc, [](KDPC*, PVOID context, PVOID, PVOID) { ++*static_cast<std::atomic<int>*>(context); }, &runs);
  KTIMER timer;
  KeInitializeTimerEx(&timer, SynchronizationTimer);
  KeSetTimerEx(&timer, Milliseconds(1), 1, &dpc);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(WaitFor(&timer, 10'000), STATUS_SUCCESS);
  EXPECT_TRUE(KeCancelTimer(&timer));
  KeFlushQueuedDpcs();
  EXPECT_GE(runs, 1);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(Timer, SetAtTheEnd_IsReported) {
  FakeKernel kernel;
  KTIMER timer;
  KeInitializeTimer(&timer);
  KeSetTimer(&timer, Milliseconds(1'000'000), nullptr);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.TimerPending", "1 timer was set"));
}

TEST(Timer, InFreedMemory_IsReported) {
  FakeKernel kernel;
  auto* const timer = static_cast<KTIMER*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KTIMER), 0x31313131));
  KeInitializeTimer(timer);
  KeSetTimer(timer, Milliseconds(1'000'000), nullptr);
  ExFreePool(timer);
  EXPECT_TRUE(kernel.Reported("Nt.TimerPending", "Memory is freed"));
}

TEST(WorkItem, RunsAtPassiveLevel) {
  FakeKernel kernel;
  KEVENT done;
  KeInitializeEvent(&done, NotificationEvent, FALSE);
  PIO_WORKITEM const item = IoAllocateWorkItem(nullptr);
  IoQueueWorkItem(
      item,
      [](PDEVICE_OBJECT, PVOID context) {
        if (KeGetCurrentIrql() == PASSIVE_LEVEL) KeSetEvent(static_cast<PKEVENT>(context), IO_NO_INCREMENT, FALSE);
      },
      DelayedWorkQueue, &done);
  EXPECT_EQ(WaitFor(&done, 10'000), STATUS_SUCCESS);
  IoFreeWorkItem(item);
}

TEST(Mutex, RecursiveWaits_NeedAsManyReleases) {
  FakeKernel kernel;
  KMUTEX mutex;
  KeInitializeMutex(&mutex, 0);
  EXPECT_EQ(WaitFor(&mutex, 0), STATUS_SUCCESS);
  EXPECT_EQ(WaitFor(&mutex, 0), STATUS_SUCCESS);  // Recursive.
  EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), -1);
  EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), 0);
  EXPECT_EQ(KeReadStateEvent(reinterpret_cast<PKEVENT>(&mutex)), 1);
}

}  // namespace
}  // namespace tandem::drivers::host
