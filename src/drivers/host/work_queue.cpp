// Items of the system's work queues. See wdm/work_queue.h.
#include <ntddk.h>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/worker.h"

namespace tandem::drivers::host {
namespace {

constinit Worker worker;
LIST_ENTRY queue = {&queue, &queue};

void* Loop(void* /*argument*/) {
  SetIrql(PASSIVE_LEVEL);
  for (;;) {
    WORK_QUEUE_ITEM item{};
    {
      const Locked locked(worker.mutex);
      while (IsListEmpty(&queue) && !worker.stopping) worker.changed.WaitUntil(worker.mutex, kForever);
      if (worker.stopping) return nullptr;
      auto* const first = CONTAINING_RECORD(RemoveHeadList(&queue), WORK_QUEUE_ITEM, List);
      first->List.Flink = nullptr;
      item = *first;
    }
    item.WorkerRoutine(item.Parameter);
  }
}

}  // namespace

void EndWorkQueue() {
  worker.Stop();
  int left = 0;
  for (; !IsListEmpty(&queue); ++left) RemoveHeadList(&queue);
  if (left > 0) Report(Rule::kWorkItemPending, "%d work queue item%s queued at unload.", left, left == 1 ? " was" : "s were");
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

VOID NTAPI ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE /*QueueType*/) {
  CheckIrql("ExQueueWorkItem", DISPATCH_LEVEL);
  const Locked locked(worker.mutex);
  if (WorkItem->List.Flink != nullptr) {
    Report(Rule::kWorkItemPending, "ExQueueWorkItem queues an item that is queued, or that was not initialized.");
    return;
  }
  InsertTailList(&queue, &WorkItem->List);
  worker.StartOnce(Loop);
  worker.changed.Wake();
}
