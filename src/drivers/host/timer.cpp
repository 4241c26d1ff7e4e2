// Timers: a list in the order of their due times, and a thread that waits for the first. See dispatch.h.
#include <ntddk.h>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/worker.h"

namespace tandem::drivers::host {
namespace {

constinit Worker worker;
LIST_ENTRY timers = {&timers, &timers};

KTIMER* TimerOf(LIST_ENTRY* entry) { return CONTAINING_RECORD(entry, KTIMER, TimerListEntry); }

// The caller holds the worker's mutex, here and below.
void Insert(KTIMER* timer) {
  LIST_ENTRY* before = timers.Flink;
  while (before != &timers && TimerOf(before)->DueTime.QuadPart <= timer->DueTime.QuadPart) before = before->Flink;
  InsertTailList(before, &timer->TimerListEntry);
  timer->Header.Absolute = 1;  // In the list.
}

bool Remove(KTIMER* timer) {
  if (timer->Header.Absolute == 0) return false;
  RemoveEntryList(&timer->TimerListEntry);
  timer->Header.Absolute = 0;
  return true;
}

void* Loop(void*) {
  const Locked locked(worker.mutex);
  while (!worker.stopping) {
    if (IsListEmpty(&timers)) {
      worker.changed.WaitUntil(worker.mutex, kForever);
      continue;
    }
    KTIMER* const timer = TimerOf(timers.Flink);
    if (timer->DueTime.QuadPart > NowNs()) {
      worker.changed.WaitUntil(worker.mutex, timer->DueTime.QuadPart);
      continue;
    }
    Remove(timer);
    if (timer->Period != 0) {
      timer->DueTime.QuadPart += std::uint64_t{timer->Period} * 1'000'000u;
      Insert(timer);
    }
    // Under the mutex, so that KeCancelTimer leaves nothing behind.
    SetState(&timer->Header, 1);
    if (timer->Dpc != nullptr) KeInsertQueueDpc(timer->Dpc, nullptr, nullptr);
  }
  return nullptr;
}

}  // namespace

void ForgetTimersWithin(const void* bytes, std::size_t size) {
  const Locked locked(worker.mutex);
  const auto first = reinterpret_cast<std::uintptr_t>(bytes);
  for (LIST_ENTRY* entry = timers.Flink; entry != &timers;) {
    KTIMER* const timer = TimerOf(entry);
    entry = entry->Flink;
    const auto address = reinterpret_cast<std::uintptr_t>(timer);
    if (address < first || address - first >= size) continue;
    Remove(timer);
    Report(Rule::kTimerPending, "Memory is freed with a timer in it that is set.");
  }
}

void EndTimers() {
  worker.Stop();
  const Locked locked(worker.mutex);
  int count = 0;
  for (; !IsListEmpty(&timers); ++count) Remove(TimerOf(timers.Flink));
  if (count > 0) {
    Report(Rule::kTimerPending, "%d timer%s set when the driver was unloaded.", count, count == 1 ? " was" : "s were");
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

VOID NTAPI KeInitializeTimer(PKTIMER Timer) { KeInitializeTimerEx(Timer, NotificationTimer); }

VOID NTAPI KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type) {
  *Timer = KTIMER{};
  InitializeHeader(&Timer->Header, Type == NotificationTimer ? kNotificationTimer : kSynchronizationTimer, 0);
}

BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) { return KeSetTimerEx(Timer, DueTime, 0, Dpc); }

BOOLEAN NTAPI KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc) {
  CheckIrql("KeSetTimer", DISPATCH_LEVEL);
  if (!CheckInitialized(&Timer->Header, "KeSetTimer")) return FALSE;
  const Locked locked(worker.mutex);
  const bool was_set = Remove(Timer);
  SetState(&Timer->Header, 0);
  Timer->DueTime.QuadPart = DeadlineOf(&DueTime);
  Timer->Period = Period > 0 ? static_cast<ULONG>(Period) : 0;
  Timer->Dpc = Dpc;
  Insert(Timer);
  worker.StartOnce(Loop);
  worker.changed.Wake();
  return was_set ? TRUE : FALSE;
}

BOOLEAN NTAPI KeCancelTimer(PKTIMER Timer) {
  CheckIrql("KeCancelTimer", DISPATCH_LEVEL);
  if (!CheckInitialized(&Timer->Header, "KeCancelTimer")) return FALSE;
  const Locked locked(worker.mutex);
  return Remove(Timer) ? TRUE : FALSE;
}

BOOLEAN NTAPI KeReadStateTimer(PKTIMER Timer) {
  CheckIrql("KeReadStateTimer", DISPATCH_LEVEL);
  return StateOf(&Timer->Header) > 0 ? TRUE : FALSE;
}
