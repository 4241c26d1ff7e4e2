// The engine's queue and its reports.
#include "Engine.h"

#include "Engine.tmh"
#include "Shared\Surface.h"

Engine::Engine() : m_Dxgkrnl(NULL), m_Memory(NULL) {
  RtlZeroMemory(m_Rows, sizeof(m_Rows));
  KeInitializeSpinLock(&m_Lock);
  KeInitializeEvent(&m_Wake, SynchronizationEvent, FALSE);
  KeInitializeEvent(&m_Idle, NotificationEvent, TRUE);
}

NTSTATUS Engine::Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ Aperture* Memory) {
  PAGED_CODE();
  m_Dxgkrnl = Dxgkrnl;
  m_Memory = Memory;
  m_Head = m_Tail = 0;
  m_Preemption = 0;
  m_Completed = m_Stopping = 0;
  for (int i = 0; i < 2; i++) {
    m_Rows[i] = static_cast<PULONG>(ExAllocatePool2(POOL_FLAG_NON_PAGED, SURFACE_MAX_EXTENT * sizeof(ULONG), DRIVER_TAG));
#ifndef UNCHECKED
    if (m_Rows[i] == NULL) return STATUS_NO_MEMORY;
#endif
  }
#ifdef UNCHECKED
  m_Rows[0][0] = m_Rows[1][0] = 0;
#endif
  return m_Thread.Start(ThreadRoutine, this);
}

VOID Engine::Stop() {
  if (m_Thread.IsStarted()) {
    KIRQL Irql;
    KeAcquireSpinLock(&m_Lock, &Irql);
    InterlockedExchange(&m_Stopping, 1);
    m_Tail = m_Head;
    m_Preemption = 0;
    KeReleaseSpinLock(&m_Lock, Irql);
    KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
    m_Thread.Join();
  }
  for (int i = 0; i < 2; i++) {
    if (m_Rows[i] != NULL) ExFreePoolWithTag(m_Rows[i], DRIVER_TAG);
    m_Rows[i] = NULL;
  }
}

VOID Engine::Submit(_In_ CONST DXGKARG_SUBMITCOMMAND* Submission) {
  CONST BufferData* Data = static_cast<CONST BufferData*>(Submission->pDmaBufferPrivateData);
  Packet Next = {NULL, 0, Submission->SubmissionFenceId};
  if (Data->Begin != NULL && !Submission->Flags.NullRendering) {
    Next.Commands = Data->Begin + (Data->IsPaging ? 0 : Submission->DmaBufferSubmissionStartOffset);
    Next.Bytes = Submission->DmaBufferSubmissionEndOffset - Submission->DmaBufferSubmissionStartOffset;
  }
  KeAcquireSpinLockAtDpcLevel(&m_Lock);
  m_Queue[m_Head++ % QueueLength] = Next;
  KeReleaseSpinLockFromDpcLevel(&m_Lock);
  KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
}

VOID Engine::Preempt(_In_ UINT Fence) {
  KeAcquireSpinLockAtDpcLevel(&m_Lock);
  m_Preemption = Fence;
  KeReleaseSpinLockFromDpcLevel(&m_Lock);
  KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
}

VOID Engine::Reset() {
  KIRQL Irql;
  KeAcquireSpinLock(&m_Lock, &Irql);
  m_Tail = m_Head;
  m_Preemption = 0;
  KeReleaseSpinLock(&m_Lock, Irql);
  KeWaitForSingleObject(&m_Idle, Executive, KernelMode, FALSE, NULL);
}

VOID Engine::ThreadRoutine(PVOID Context) {
  static_cast<Engine*>(Context)->Run();
  PsTerminateSystemThread(STATUS_SUCCESS);
}

BOOLEAN Engine::Take(_Out_ Packet* Next, _Out_ UINT* Preemption) {
  KIRQL Irql;
  BOOLEAN IsThere = FALSE;
  KeAcquireSpinLock(&m_Lock, &Irql);
  *Preemption = m_Preemption;
  if (m_Preemption != 0) {
    m_Tail = m_Head;
    m_Preemption = 0;
  } else if (m_Tail != m_Head) {
    *Next = m_Queue[m_Tail++ % QueueLength];
    IsThere = TRUE;
  }
  if (IsThere || *Preemption != 0) {
    KeClearEvent(&m_Idle);
  } else {
    KeSetEvent(&m_Idle, IO_NO_INCREMENT, FALSE);
  }
  KeReleaseSpinLock(&m_Lock, Irql);
  return IsThere;
}

VOID Engine::Run() {
  for (;;) {
    Packet Next;
    UINT Preemption;
    if (Take(&Next, &Preemption)) {
      Execute(&Next);
      InterlockedExchange(&m_Completed, (LONG)Next.Fence);
      DXGKARGCB_NOTIFY_INTERRUPT_DATA Data = {};
      Data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      Data.DmaCompleted.SubmissionFenceId = Next.Fence;
      Notify(&Data);
    } else if (Preemption != 0) {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA Data = {};
      Data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
      Data.DmaPreempted.PreemptionFenceId = Preemption;
      Data.DmaPreempted.LastCompletedFenceId = CompletedFence();
#ifndef LOSE_PREEMPTION
      Notify(&Data);
#endif
    } else if (ReadShared(&m_Stopping) != 0) {
      return;
    } else {
      KeWaitForSingleObject(&m_Wake, Executive, KernelMode, FALSE, NULL);
    }
  }
}

struct Notification {
  DXGKRNL_INTERFACE* Dxgkrnl;
  CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* Data;
};

BOOLEAN Engine::NotifyRoutine(PVOID Context) {
  CONST Notification* Told = static_cast<CONST Notification*>(Context);
  Told->Dxgkrnl->DxgkCbNotifyInterrupt(Told->Dxgkrnl->DeviceHandle, Told->Data);
  return Told->Dxgkrnl->DxgkCbQueueDpc(Told->Dxgkrnl->DeviceHandle);
}

// The kernel is told at the interrupt's level, in the interrupt routine's place.
VOID Engine::Notify(_In_ CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* Data) {
  Notification Told = {m_Dxgkrnl, Data};
  BOOLEAN Result;
  m_Dxgkrnl->DxgkCbSynchronizeExecution(m_Dxgkrnl->DeviceHandle, NotifyRoutine, &Told, 0, &Result);
}
