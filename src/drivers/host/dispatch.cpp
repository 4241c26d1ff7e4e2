#include "drivers/host/dispatch.h"

#include <errno.h>
#include <time.h>

#include "drivers/host/kernel.h"
#include "drivers/host/lock.h"
#include "drivers/host/spin_lock.h"
#include "drivers/host/thread.h"
#include "drivers/host/waiters.h"

namespace tandem::drivers::host {
namespace {

constexpr UCHAR kInitialized = 0xD5;  // DISPATCHER_HEADER.Inserted.

}  // namespace

void InitializeHeader(DISPATCHER_HEADER* header, ObjectType type, LONG state) {
  *header = DISPATCHER_HEADER{};
  header->Type = type;
  header->Inserted = kInitialized;
  header->SignalState = state;
}

bool CheckInitialized(const DISPATCHER_HEADER* header, const char* function) {
  if (header != nullptr && header->Inserted == kInitialized) return true;
  Report(Rule::kUninitialized, "%s: the object was not initialized.", function);
  return false;
}

void ForgetObjectsWithin(const void* bytes, std::size_t size) {
  ForgetTimersWithin(bytes, size);
  ForgetDpcsWithin(bytes, size);
}

std::uint64_t DeadlineOf(const LARGE_INTEGER* timeout) {
  if (timeout == nullptr) return kForever;
  std::int64_t units = -timeout->QuadPart;
  if (timeout->QuadPart > 0) units = timeout->QuadPart - SystemTime();
  if (units <= 0) return NowNs();
  constexpr std::int64_t kLongest = 1'000'000'000'000'000;  // Three years.
  return NowNs() + static_cast<std::uint64_t>(units < kLongest ? units : kLongest) * 100u;
}

void CheckWait(const char* function, bool may_block) {
  if (!may_block) return CheckIrql(function, DISPATCH_LEVEL);
  if (HeldSpinLocks() > 0) {
    Report(Rule::kSpinLockAcrossWait, "%s may block while the thread holds a spin lock.", function);
    return;
  }
  CheckIrql(function, APC_LEVEL);
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

VOID NTAPI KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State) {
  InitializeHeader(&Event->Header, Type == NotificationEvent ? kNotificationEvent : kSynchronizationEvent, State ? 1 : 0);
}

LONG NTAPI KeSetEvent(PRKEVENT Event, KPRIORITY /*Increment*/, BOOLEAN /*Wait*/) {
  CheckIrql("KeSetEvent", DISPATCH_LEVEL);
  return CheckInitialized(&Event->Header, "KeSetEvent") ? SetState(&Event->Header, 1) : 0;
}

LONG NTAPI KeResetEvent(PRKEVENT Event) {
  CheckIrql("KeResetEvent", DISPATCH_LEVEL);
  return CheckInitialized(&Event->Header, "KeResetEvent") ? SetState(&Event->Header, 0) : 0;
}

VOID NTAPI KeClearEvent(PRKEVENT Event) {
  CheckIrql("KeClearEvent", DISPATCH_LEVEL);
  if (CheckInitialized(&Event->Header, "KeClearEvent")) SetState(&Event->Header, 0);
}

LONG NTAPI KeReadStateEvent(PRKEVENT Event) {
  CheckIrql("KeReadStateEvent", DISPATCH_LEVEL);
  return StateOf(&Event->Header);
}

VOID NTAPI KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit) {
  InitializeHeader(&Semaphore->Header, kSemaphore, Count);
  Semaphore->Limit = Limit;
}

LONG NTAPI KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY /*Increment*/, LONG Adjustment, BOOLEAN /*Wait*/) {
  CheckIrql("KeReleaseSemaphore", DISPATCH_LEVEL);
  if (!CheckInitialized(&Semaphore->Header, "KeReleaseSemaphore")) return 0;
  const LONG before = AddToSemaphore(Semaphore, Adjustment);
  if (before < 0) ExRaiseStatus(STATUS_SEMAPHORE_LIMIT_EXCEEDED);
  return before;
}

VOID NTAPI KeInitializeMutex(PRKMUTEX Mutex, ULONG /*Level*/) {
  InitializeHeader(&Mutex->Header, kMutant, 1);
  Mutex->OwnerThread = nullptr;
  Mutex->Recursion = 0;
}

LONG NTAPI KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN /*Wait*/) {
  CheckIrql("KeReleaseMutex", DISPATCH_LEVEL);
  if (!CheckInitialized(&Mutex->Header, "KeReleaseMutex")) return 0;
  const LONG before = ReleaseMutant(Mutex, KeGetCurrentThread());
  if (before > 0) {
    Report(Rule::kMutexOwner, "KeReleaseMutex: the calling thread does not own the mutex.");
    ExRaiseStatus(STATUS_MUTANT_NOT_OWNED);
  }
  return before;
}

VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX FastMutex) {
  *FastMutex = FAST_MUTEX{};
  FastMutex->Count = 1;
  InitializeHeader(&FastMutex->Event.Header, kSynchronizationEvent, 1);
}

VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX FastMutex) {
  CheckWait("ExAcquireFastMutex", true);
  if (!CheckInitialized(&FastMutex->Event.Header, "ExAcquireFastMutex")) return;
  PVOID object = &FastMutex->Event;
  WaitFor(1, &object, false, kForever);
  FastMutex->Owner = KeGetCurrentThread();
  FastMutex->OldIrql = CurrentIrql();
  SetIrql(APC_LEVEL);
}

VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX FastMutex) {
  CheckIrql("ExReleaseFastMutex", APC_LEVEL);
  if (FastMutex->Owner != KeGetCurrentThread()) {
    Report(Rule::kMutexOwner, "ExReleaseFastMutex: the calling thread does not own the mutex.");
  }
  const auto before = static_cast<KIRQL>(FastMutex->OldIrql);
  FastMutex->Owner = nullptr;
  SetState(&FastMutex->Event.Header, 1);
  SetIrql(before);
}

NTSTATUS NTAPI KeWaitForSingleObject(PVOID Object, KWAIT_REASON /*WaitReason*/, KPROCESSOR_MODE /*WaitMode*/,
                                     BOOLEAN /*Alertable*/, PLARGE_INTEGER Timeout) {
  CheckWait("KeWaitForSingleObject", Timeout == nullptr || Timeout->QuadPart != 0);
  if (!CheckInitialized(static_cast<DISPATCHER_HEADER*>(Object), "KeWaitForSingleObject")) return STATUS_INVALID_PARAMETER;
  return WaitFor(1, &Object, false, Timeout != nullptr && Timeout->QuadPart == 0 ? 0 : DeadlineOf(Timeout));
}

NTSTATUS NTAPI KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType, KWAIT_REASON /*WaitReason*/,
                                        KPROCESSOR_MODE /*WaitMode*/, BOOLEAN /*Alertable*/, PLARGE_INTEGER Timeout,
                                        PKWAIT_BLOCK WaitBlockArray) {
  CheckWait("KeWaitForMultipleObjects", Timeout == nullptr || Timeout->QuadPart != 0);
  if (Count == 0 || Count > MAXIMUM_WAIT_OBJECTS || (Count > THREAD_WAIT_OBJECTS && WaitBlockArray == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  for (ULONG i = 0; i < Count; ++i) {
    if (!CheckInitialized(static_cast<DISPATCHER_HEADER*>(Object[i]), "KeWaitForMultipleObjects"))
      return STATUS_INVALID_PARAMETER;
  }
  const std::uint64_t deadline_ns = Timeout != nullptr && Timeout->QuadPart == 0 ? 0 : DeadlineOf(Timeout);
  return WaitFor(Count, Object, WaitType == WaitAll, deadline_ns);
}

NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE /*WaitMode*/, BOOLEAN /*Alertable*/, PLARGE_INTEGER Interval) {
  CheckWait("KeDelayExecutionThread", true);
  const std::uint64_t deadline_ns = DeadlineOf(Interval);
  const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000u), static_cast<long>(deadline_ns % 1'000'000'000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) {
  }
  return STATUS_SUCCESS;
}
