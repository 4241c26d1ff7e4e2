// Timers: a list in the order of their due times, and a thread that waits for the first. See dispatch.h.
#include "drivers/host/timer.h"

#include <ntddk.h>

#include <algorithm>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/worker.h"

namespace tandem::drivers::host {
namespace {

constexpr std::uint32_t kUnitsPerMs = 10'000;  // of 100 ns

constinit Worker worker;
LIST_ENTRY timers = {&timers, &timers};

std::uint64_t PeriodNs(const KTIMER* timer) {
  return std::uint64_t{timer->Period} * 1'000'000u + std::uint64_t{timer->PeriodRest} * 100u;
}

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
    if (const std::uint64_t period_ns = PeriodNs(timer); period_ns != 0) {
      timer->DueTime.QuadPart += period_ns;
      Insert(timer);
    }
    // Under the mutex, so that KeCancelTimer leaves nothing behind.
    SetState(&timer->Header, 1);
    if (timer->Dpc != nullptr) KeInsertQueueDpc(timer->Dpc, nullptr, nullptr);
  }
  return nullptr;
}

}  // namespace

bool SetTimer(KTIMER* timer, LARGE_INTEGER due, std::uint64_t period, KDPC* dpc) {
  const Locked locked(worker.mutex);
  const bool was_set = Remove(timer);
  SetState(&timer->Header, 0);
  timer->DueTime.QuadPart = DeadlineOf(&due);
  timer->Period = static_cast<ULONG>(std::min<std::uint64_t>(period / kUnitsPerMs, MAXULONG));
  timer->PeriodRest = static_cast<ULONG>(period % kUnitsPerMs);
  timer->Dpc = dpc;
  Insert(timer);
  worker.StartOnce(Loop);
  worker.changed.Wake();
  return was_set;
}

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
  const std::uint64_t period = Period > 0 ? std::uint64_t{static_cast<ULONG>(Period)} * kUnitsPerMs : 0;
  return SetTimer(Timer, DueTime, period, Dpc) ? TRUE : FALSE;
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
