// Timers with a routine of their own: a timer and a DPC each. The DPC's thread frees them, so that no call comes later.
#include <ntddk.h>

#include <algorithm>
#include <cstdlib>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"
#include "drivers/host/timer.h"

struct _EX_TIMER {
  KTIMER timer;  // The first, as the one that is waited for.
  KDPC dpc;
  LIST_ENTRY all;
  PEXT_CALLBACK callback;
  PVOID context;
  EXT_DELETE_PARAMETERS end;
  bool* freed;  // Of who waits for the end; NULL: nobody.
  bool gone;    // ExDeleteTimer was called.
};

namespace tandem::drivers::host {
namespace {

constexpr LONGLONG kShortestPeriod = 5'000;

// Guards all of them, and is taken before the mutexes of timers and DPCs.
constinit Mutex mutex;
constinit Condition changed;
LIST_ENTRY all = {&all, &all};

void Free(EX_TIMER* timer) {
  const EXT_DELETE_PARAMETERS end = timer->end;
  {
    const Locked locked(mutex);
    RemoveEntryList(&timer->all);
    if (timer->freed != nullptr) *timer->freed = true;
    changed.Wake();
  }
  std::free(timer);
  if (end.DeleteCallback != nullptr) end.DeleteCallback(end.DeleteContext);
}

VOID Run(KDPC* dpc, PVOID context, PVOID /*argument1*/, PVOID /*argument2*/) {
  auto* const timer = static_cast<EX_TIMER*>(context);
  bool gone = false, queued = false;
  {
    const Locked locked(mutex);
    gone = timer->gone;
    queued = IsDpcQueued(dpc);
  }
  if (!gone) {
    if (timer->callback != nullptr) timer->callback(timer, timer->context);
  } else if (!queued) {
    Free(timer);
  }
}

// The caller holds the mutex. The DPC runs once more, and frees the timer. True: the timer was set.
bool Delete(EX_TIMER* timer) {
  timer->gone = true;
  const bool was_set = KeCancelTimer(&timer->timer) != FALSE;
  KeInsertQueueDpc(&timer->dpc, nullptr, nullptr);
  return was_set;
}

}  // namespace

void EndExTimers() {
  const Locked locked(mutex);
  int count = 0;
  for (LIST_ENTRY* entry = all.Flink; entry != &all; entry = entry->Flink) {
    EX_TIMER* const timer = CONTAINING_RECORD(entry, EX_TIMER, all);
    if (timer->gone) continue;
    Delete(timer);
    ++count;
  }
  while (!IsListEmpty(&all)) changed.WaitUntil(mutex, kForever);
  if (count > 0) {
    Report(Rule::kTimerPending, "%d timer%s of ExAllocateTimer %s not deleted when the driver was unloaded.", count,
           count == 1 ? "" : "s", count == 1 ? "was" : "were");
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

PEX_TIMER NTAPI ExAllocateTimer(PEXT_CALLBACK Callback, PVOID CallbackContext, ULONG Attributes) {
  CheckIrql("ExAllocateTimer", DISPATCH_LEVEL);
  if (ServiceFails("ExAllocateTimer")) return nullptr;
  auto* const timer = static_cast<EX_TIMER*>(std::calloc(1, sizeof(EX_TIMER)));
  if (timer == nullptr) return nullptr;
  KeInitializeTimerEx(&timer->timer, (Attributes & EX_TIMER_NOTIFICATION) != 0 ? NotificationTimer : SynchronizationTimer);
  KeInitializeDpc(&timer->dpc, Run, timer);
  timer->callback = Callback;
  timer->context = CallbackContext;
  const Locked locked(mutex);
  InsertTailList(&all, &timer->all);
  return timer;
}

BOOLEAN NTAPI ExSetTimer(PEX_TIMER Timer, LONGLONG DueTime, LONGLONG Period, PEXT_SET_PARAMETERS /*Parameters*/) {
  CheckIrql("ExSetTimer", DISPATCH_LEVEL);
  const Locked locked(mutex);
  if (Timer->gone) return FALSE;
  LARGE_INTEGER due;
  due.QuadPart = DueTime;
  const auto period = static_cast<std::uint64_t>(Period > 0 ? std::max(Period, kShortestPeriod) : 0);
  return SetTimer(&Timer->timer, due, period, &Timer->dpc) ? TRUE : FALSE;
}

BOOLEAN NTAPI ExCancelTimer(PEX_TIMER Timer, PEXT_CANCEL_PARAMETERS /*Parameters*/) {
  CheckIrql("ExCancelTimer", DISPATCH_LEVEL);
  return KeCancelTimer(&Timer->timer);
}

BOOLEAN NTAPI ExDeleteTimer(PEX_TIMER Timer, BOOLEAN /*Cancel*/, BOOLEAN Wait, PEXT_DELETE_PARAMETERS Parameters) {
  CheckWait("ExDeleteTimer", Wait != FALSE);
  const Locked locked(mutex);
  if (Timer->gone) {
    Report(Rule::kTimerPending, "ExDeleteTimer deletes a timer that is deleted.");
    return FALSE;
  }
  if (Parameters != nullptr) Timer->end = *Parameters;
  const bool waits = Wait != FALSE && !IsInDpc();
  bool freed = false;
  if (waits) Timer->freed = &freed;
  const bool was_set = Delete(Timer);
  while (waits && !freed) changed.WaitUntil(mutex, kForever);
  return was_set ? TRUE : FALSE;
}
