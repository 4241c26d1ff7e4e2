// DPCs: one queue, one thread at DISPATCH_LEVEL. See dispatch.h.
#include <ntddk.h>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/worker.h"

namespace tandem::drivers::host {
namespace {

constexpr UCHAR kDpcType = 19;  // DpcObject of the NT kernel.

constinit Worker worker;
LIST_ENTRY queue = {&queue, &queue};
bool running = false;

void* Loop(void*) {
  SetIrql(DISPATCH_LEVEL);
  pthread_mutex_lock(&worker.mutex.native);
  while (!worker.stopping) {
    if (IsListEmpty(&queue)) {
      worker.changed.WaitUntil(worker.mutex, kForever);
      continue;
    }
    KDPC* const dpc = CONTAINING_RECORD(RemoveHeadList(&queue), KDPC, DpcListEntry);
    // The routine may queue or free its own DPC.
    const KDPC copy = *dpc;
    dpc->DpcData = nullptr;
    running = true;
    pthread_mutex_unlock(&worker.mutex.native);
    copy.DeferredRoutine(dpc, copy.DeferredContext, copy.SystemArgument1, copy.SystemArgument2);
    if (const KIRQL level = CurrentIrql(); level != DISPATCH_LEVEL) {
      Report(Rule::kIrql, "A DPC routine returns at %s; it was called at DISPATCH_LEVEL.", IrqlName(level));
      SetIrql(DISPATCH_LEVEL);
    }
    pthread_mutex_lock(&worker.mutex.native);
    running = false;
    worker.changed.Wake();
  }
  pthread_mutex_unlock(&worker.mutex.native);
  return nullptr;
}

bool IsWithin(const KDPC* dpc, const void* bytes, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(dpc), first = reinterpret_cast<std::uintptr_t>(bytes);
  return address >= first && address - first < size;
}

}  // namespace

void ForgetDpcsWithin(const void* bytes, std::size_t size) {
  const Locked locked(worker.mutex);
  for (LIST_ENTRY* entry = queue.Flink; entry != &queue;) {
    KDPC* const dpc = CONTAINING_RECORD(entry, KDPC, DpcListEntry);
    entry = entry->Flink;
    if (!IsWithin(dpc, bytes, size)) continue;
    RemoveEntryList(&dpc->DpcListEntry);
    Report(Rule::kDpcPending, "Memory is freed with a queued DPC in it.");
  }
}

bool IsDpcQueued(const KDPC* dpc) {
  const Locked locked(worker.mutex);
  return dpc->DpcData != nullptr;
}

bool IsInDpc() {
  const Locked locked(worker.mutex);
  return worker.started && pthread_equal(worker.thread, pthread_self()) != 0;
}

void EndDpcs() {
  worker.Stop();
  const Locked locked(worker.mutex);
  int count = 0;
  while (!IsListEmpty(&queue)) {
    CONTAINING_RECORD(RemoveHeadList(&queue), KDPC, DpcListEntry)->DpcData = nullptr;
    ++count;
  }
  if (count > 0)
    Report(Rule::kDpcPending, "%d DPC%s queued when the driver was unloaded.", count, count == 1 ? " was" : "s were");
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

VOID NTAPI KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext) {
  *Dpc = KDPC{};
  Dpc->Type = kDpcType;
  Dpc->Importance = MediumImportance;
  Dpc->DeferredRoutine = DeferredRoutine;
  Dpc->DeferredContext = DeferredContext;
}

BOOLEAN NTAPI KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2) {
  if (Dpc->Type != kDpcType || Dpc->DeferredRoutine == nullptr) {
    Report(Rule::kUninitialized, "KeInsertQueueDpc: the DPC was not initialized.");
    return FALSE;
  }
  const Locked locked(worker.mutex);
  if (Dpc->DpcData != nullptr) return FALSE;
  Dpc->DpcData = &queue;
  Dpc->SystemArgument1 = SystemArgument1;
  Dpc->SystemArgument2 = SystemArgument2;
  if (Dpc->Importance == HighImportance) {
    InsertHeadList(&queue, &Dpc->DpcListEntry);
  } else {
    InsertTailList(&queue, &Dpc->DpcListEntry);
  }
  worker.StartOnce(Loop);
  worker.changed.Wake();
  return TRUE;
}

BOOLEAN NTAPI KeRemoveQueueDpc(PRKDPC Dpc) {
  const Locked locked(worker.mutex);
  if (Dpc->DpcData == nullptr) return FALSE;
  RemoveEntryList(&Dpc->DpcListEntry);
  Dpc->DpcData = nullptr;
  return TRUE;
}

VOID NTAPI KeFlushQueuedDpcs(VOID) {
  CheckIrql("KeFlushQueuedDpcs", PASSIVE_LEVEL);
  if (IsInDpc()) return;  // Reported above.
  const Locked locked(worker.mutex);
  while (worker.started && !worker.stopping && (running || !IsListEmpty(&queue)))
    worker.changed.WaitUntil(worker.mutex, kForever);
}

VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance) { Dpc->Importance = static_cast<UCHAR>(Importance); }

VOID NTAPI KeSetTargetProcessorDpc(PRKDPC /*Dpc*/, CCHAR /*Number*/) {}
