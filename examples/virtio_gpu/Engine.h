// The engine: a system thread that runs DMA buffers in order, for the device draws nothing itself. It stops between two buffers.
#pragma once

#include "Aperture.h"
#include "Commands.h"
#include "SystemThread.h"

class Engine {
 public:
  Engine();
  ~Engine() { Stop(); }

  NTSTATUS Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ Aperture* Memory);
  VOID Stop();

  // DISPATCH_LEVEL.
  VOID Submit(_In_ CONST DXGKARG_SUBMITCOMMAND* Submission);
  // DISPATCH_LEVEL. Buffers that wait are the kernel's to submit again.
  VOID Preempt(_In_ UINT Fence);
  // Drops what waits, and returns when the engine has reported what ran. PASSIVE_LEVEL.
  VOID Reset();
  UINT CompletedFence() { return (UINT)ReadShared(&m_Completed); }

 private:
  struct Packet {
    CONST UCHAR* Commands;
    ULONG Bytes;
    UINT Fence;
  };

  static VOID ThreadRoutine(PVOID Context);
  static BOOLEAN NotifyRoutine(PVOID Context);
  VOID Run();
  // TRUE: there is a packet. FALSE: a preemption is to be reported, or nothing is left to do (Fence 0).
  BOOLEAN Take(_Out_ Packet* Next, _Out_ UINT* Preemption);
  VOID Notify(_In_ CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* Data);

  VOID Execute(_In_ CONST Packet* Buffer);
  VOID Blt(_In_ CONST GpuCommand* Command);
  VOID Fill(_In_ CONST GpuCommand* Command);
  VOID Transfer(_In_ CONST GpuCommand* Command);
  VOID FillBytes(_In_ CONST GpuCommand* Command);

  static CONST ULONG QueueLength = 64;

  DXGKRNL_INTERFACE* m_Dxgkrnl;
  Aperture* m_Memory;
  SystemThread m_Thread;
  PULONG m_Rows[2];  // of a source and of a destination; SURFACE_MAX_EXTENT pixels each
  Packet m_Queue[QueueLength];
  ULONG m_Head, m_Tail;  // count on
  UINT m_Preemption;     // fence of the preemption that is asked for; 0: none
  volatile LONG m_Stopping;
  volatile LONG m_Completed;  // fence
  KSPIN_LOCK m_Lock;          // guards the queue
  KEVENT m_Wake;
  KEVENT m_Idle;  // signalled while nothing runs
};
