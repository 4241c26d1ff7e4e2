// Items of the system's work queues, which lie in the driver's memory. They run at PASSIVE_LEVEL, one after the other, on a
// thread of the driver host. Part of wdm.h. Public page: "ExQueueWorkItem". IRQL <= DISPATCH_LEVEL.
#pragma once

#include "wdm/thread.h"

typedef VOID WORKER_THREAD_ROUTINE(PVOID Parameter);
typedef WORKER_THREAD_ROUTINE* PWORKER_THREAD_ROUTINE;

typedef struct _WORK_QUEUE_ITEM {
  LIST_ENTRY List;  // Flink NULL: not queued.
  PWORKER_THREAD_ROUTINE WorkerRoutine;
  PVOID Parameter;
} WORK_QUEUE_ITEM;
typedef WORK_QUEUE_ITEM* PWORK_QUEUE_ITEM;

FORCEINLINE VOID ExInitializeWorkItem(PWORK_QUEUE_ITEM Item, PWORKER_THREAD_ROUTINE Routine, PVOID Context) {
  Item->WorkerRoutine = Routine;
  Item->Parameter = Context;
  Item->List.Flink = 0;
}
// The routine may free the item, or queue it again.
EXTERN_C VOID NTAPI ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType);
