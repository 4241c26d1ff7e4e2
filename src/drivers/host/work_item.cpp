// Work items: one queue, one thread at PASSIVE_LEVEL.
#include <ntddk.h>

#include <cstdlib>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/worker.h"

struct _IO_WORKITEM {
  LIST_ENTRY all;
  LIST_ENTRY queued;
  PDEVICE_OBJECT device;
  PIO_WORKITEM_ROUTINE routine;
  PVOID context;
  bool is_queued;
};

namespace tandem::drivers::host {
namespace {

using Item = _IO_WORKITEM;

constinit Worker worker;
LIST_ENTRY all = {&all, &all};
LIST_ENTRY queue = {&queue, &queue};

void* Loop(void*) {
  SetIrql(PASSIVE_LEVEL);
  pthread_mutex_lock(&worker.mutex.native);
  while (!worker.stopping) {
    if (IsListEmpty(&queue)) {
      worker.changed.WaitUntil(worker.mutex, kForever);
      continue;
    }
    Item* const item = CONTAINING_RECORD(RemoveHeadList(&queue), Item, queued);
    item->is_queued = false;  // The routine may queue or free its own item.
    const PDEVICE_OBJECT device = item->device;
    const PIO_WORKITEM_ROUTINE routine = item->routine;
    const PVOID context = item->context;
    pthread_mutex_unlock(&worker.mutex.native);
    routine(device, context);
    if (const KIRQL level = CurrentIrql(); level != PASSIVE_LEVEL) {
      Report(Rule::kIrql, "A work item's routine returns at %s; it was called at PASSIVE_LEVEL.", IrqlName(level));
      SetIrql(PASSIVE_LEVEL);
    }
    pthread_mutex_lock(&worker.mutex.native);
  }
  pthread_mutex_unlock(&worker.mutex.native);
  return nullptr;
}

}  // namespace

void EndWorkItems() {
  worker.Stop();
  const Locked locked(worker.mutex);
  int count = 0, queued = 0;
  while (!IsListEmpty(&all)) {
    Item* const item = CONTAINING_RECORD(RemoveHeadList(&all), Item, all);
    ++count;
    queued += item->is_queued ? 1 : 0;
    std::free(item);
  }
  InitializeListHead(&queue);
  if (count > 0) {
    Report(Rule::kWorkItemPending, "%d work item%s not freed when the driver was unloaded; %d queued.", count,
           count == 1 ? " was" : "s were", queued);
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

PIO_WORKITEM NTAPI IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject) {
  CheckIrql("IoAllocateWorkItem", DISPATCH_LEVEL);
  if (ServiceFails("IoAllocateWorkItem")) return nullptr;
  auto* const item = static_cast<PIO_WORKITEM>(std::calloc(1, sizeof(_IO_WORKITEM)));
  if (item == nullptr) return nullptr;
  item->device = DeviceObject;
  const Locked locked(worker.mutex);
  InsertTailList(&all, &item->all);
  return item;
}

VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem) {
  CheckIrql("IoFreeWorkItem", DISPATCH_LEVEL);
  const Locked locked(worker.mutex);
  if (IoWorkItem->is_queued) {
    Report(Rule::kWorkItemPending, "IoFreeWorkItem frees a work item that is queued.");
    RemoveEntryList(&IoWorkItem->queued);
  }
  RemoveEntryList(&IoWorkItem->all);
  std::free(IoWorkItem);
}

VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine, WORK_QUEUE_TYPE /*QueueType*/,
                           PVOID Context) {
  CheckIrql("IoQueueWorkItem", DISPATCH_LEVEL);
  const Locked locked(worker.mutex);
  if (IoWorkItem->is_queued) {
    Report(Rule::kWorkItemPending, "IoQueueWorkItem queues a work item that is queued.");
    return;
  }
  IoWorkItem->routine = WorkerRoutine;
  IoWorkItem->context = Context;
  IoWorkItem->is_queued = true;
  InsertTailList(&queue, &IoWorkItem->queued);
  worker.StartOnce(Loop);
  worker.changed.Wake();
}
