// The display's thread: it sleeps until a vertical blank that somebody waits for.
#include "Display.h"

#include "Display.tmh"

#define UNITS_PER_SECOND 10000000ull  // of 100 ns

Display::Display() : m_Dxgkrnl(NULL), m_Control(NULL), m_Memory(NULL), m_Period(0), m_Begin(0) {
  ExInitializeFastMutex(&m_Lock);
  KeInitializeEvent(&m_Wake, SynchronizationEvent, FALSE);
}

NTSTATUS Display::Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ ControlQueue* Control, _In_ Aperture* Memory,
                        _In_ ULONG RefreshMilliHz) {
  PAGED_CODE();
  m_Dxgkrnl = Dxgkrnl;
  m_Control = Control;
  m_Memory = Memory;
  m_Period = (ULONG)(UNITS_PER_SECOND * 1000 / RefreshMilliHz);
  m_Begin = KeQueryInterruptTime();
  RtlZeroMemory(&m_Latch, sizeof(m_Latch));
  RtlZeroMemory(&m_Current, sizeof(m_Current));
  RtlZeroMemory(&m_ScanOut, sizeof(m_ScanOut));
  m_Visible = m_VSync = m_Stopping = 0;
  InterlockedExchange(&m_Flipped, 0);  // The adapter's interrupts and DPCs have begun.
  return m_Thread.Start(ThreadRoutine, this);
}

VOID Display::Stop() {
  if (!m_Thread.IsStarted()) return;
  InterlockedExchange(&m_Stopping, 1);
  KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
  m_Thread.Join();
}

BOOLEAN Display::Synchronize(_In_ PKSYNCHRONIZE_ROUTINE Routine, _In_ PVOID Context) {
  BOOLEAN Result = FALSE;
  m_Dxgkrnl->DxgkCbSynchronizeExecution(m_Dxgkrnl->DeviceHandle, Routine, Context, 0, &Result);
  return Result;
}

// The DPC wakes the thread, for events are set at DISPATCH_LEVEL at most.
VOID Display::SetAddress(_In_ CONST DXGKARG_SETVIDPNSOURCEADDRESS* Set) {
  Exchange Put = {this};
  Put.Value.Next.Surface = static_cast<Allocation*>(Set->hAllocation);
  Put.Value.Next.Address = Set->PrimaryAddress.QuadPart;
  Put.Value.IsPending = TRUE;
  Put.Value.IsImmediate = Set->Flags.ModeChange || Set->Flags.FlipImmediate;
  if (KeGetCurrentIrql() > DISPATCH_LEVEL) {
    PutRoutine(&Put);
  } else {
    Synchronize(PutRoutine, &Put);
  }
  InterlockedExchange(&m_Flipped, 1);
  m_Dxgkrnl->DxgkCbQueueDpc(m_Dxgkrnl->DeviceHandle);
}

BOOLEAN Display::PutRoutine(PVOID Context) {
  CONST Exchange* Put = static_cast<CONST Exchange*>(Context);
  Put->Owner->m_Latch = Put->Value;
  return TRUE;
}

BOOLEAN Display::PeekRoutine(PVOID Context) {
  Exchange* Peek = static_cast<Exchange*>(Context);
  Peek->Value = Peek->Owner->m_Latch;
  return Peek->Value.IsPending;
}

BOOLEAN Display::TakeRoutine(PVOID Context) {
  CONST BOOLEAN IsPending = PeekRoutine(Context);
  static_cast<Exchange*>(Context)->Owner->m_Latch.IsPending = FALSE;
  return IsPending;
}

BOOLEAN Display::HurryRoutine(PVOID Context) {
  Latch* Pending = &static_cast<CONST Exchange*>(Context)->Owner->m_Latch;
  if (Pending->IsPending) Pending->IsImmediate = TRUE;
  return Pending->IsPending;
}

BOOLEAN Display::ForgetRoutine(PVOID Context) {
  CONST Exchange* Forget = static_cast<CONST Exchange*>(Context);
  Latch* Pending = &Forget->Owner->m_Latch;
  if (Pending->Next.Surface == Forget->Value.Next.Surface) Pending->IsPending = FALSE;
  return TRUE;
}

BOOLEAN Display::ReportRoutine(PVOID Context) {
  Display* Owner = static_cast<Display*>(Context);
  if (Owner->m_Latch.IsPending && Owner->m_Latch.Next.Address == Owner->m_Current.Address) return FALSE;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA Data = {};
  Data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
  Data.CrtcVsync.VidPnTargetId = 0;
  Data.CrtcVsync.PhysicalAddress.QuadPart = Owner->m_Current.Address;
  Owner->m_Dxgkrnl->DxgkCbNotifyInterrupt(Owner->m_Dxgkrnl->DeviceHandle, &Data);
  Owner->m_Dxgkrnl->DxgkCbQueueDpc(Owner->m_Dxgkrnl->DeviceHandle);
  return TRUE;
}

VOID Display::OnDpc() {
  if (InterlockedExchange(&m_Flipped, 0) != 0) KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
}

VOID Display::EnableVSync(_In_ BOOLEAN Enable) {
  InterlockedExchange(&m_VSync, Enable ? 1 : 0);
  KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
}

VOID Display::SetVisible(_In_ BOOLEAN Visible) {
  PAGED_CODE();
  ExAcquireFastMutex(&m_Lock);
  CONST BOOLEAN Changes = (InterlockedExchange(&m_Visible, Visible ? 1 : 0) != 0) != (Visible != FALSE);
  if (Changes && !Visible) SwitchOff();
  // What was programmed last is seen, and nothing before it.
  Exchange Hurry = {this};
  if (Changes && Visible && !Synchronize(HurryRoutine, &Hurry) && m_Current.Surface != NULL) Show();
  ExReleaseFastMutex(&m_Lock);
  KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
}

VOID Display::Forget(_In_ Allocation* Gone) {
  PAGED_CODE();
  Exchange Forget = {this};
  Forget.Value.Next.Surface = Gone;
  Synchronize(ForgetRoutine, &Forget);
  ExAcquireFastMutex(&m_Lock);
  if (m_Current.Surface == Gone) m_Current.Surface = NULL;
  if (Gone->ResourceId != 0) {
    if (m_ScanOut.ResourceId == Gone->ResourceId) SwitchOff();
    m_Control->DestroyResource(Gone->ResourceId);
  }
  ExReleaseFastMutex(&m_Lock);
}

VOID Display::GetScanLine(_Inout_ DXGKARG_GETSCANLINE* ScanLine) {
  PAGED_CODE();
  ExAcquireFastMutex(&m_Lock);
  CONST ULONG Height = m_Current.Surface != NULL ? m_Current.Surface->Surface.Height : 0;
  ExReleaseFastMutex(&m_Lock);
  // A twentieth of the period is the blank.
  CONST ULONG64 Into = (KeQueryInterruptTime() - m_Begin) % m_Period, Active = m_Period - m_Period / 20;
  ScanLine->InVerticalBlank = Height == 0 || Into >= Active;
  ScanLine->ScanLine = ScanLine->InVerticalBlank ? Height : (UINT)(Into * Height / Active);
}

ULONG64 Display::NextBlank(_In_ ULONG64 After) const { return m_Begin + ((After - m_Begin) / m_Period + 1) * m_Period; }

VOID Display::ThreadRoutine(PVOID Context) {
  static_cast<Display*>(Context)->Run();
  PsTerminateSystemThread(STATUS_SUCCESS);
}

// Immediate flips wait for nothing. While nobody waits for a vertical blank the thread sleeps.
VOID Display::Run() {
  KeSetPriorityThread(KeGetCurrentThread(), LOW_REALTIME_PRIORITY);
  ULONG64 Last = KeQueryInterruptTime();
  while (ReadShared(&m_Stopping) == 0) {
    Exchange Peek = {this};
    CONST BOOLEAN IsPending = Synchronize(PeekRoutine, &Peek);
    CONST BOOLEAN IsTicking = ReadShared(&m_VSync) != 0 && ReadShared(&m_Visible) != 0;
    if (IsPending && Peek.Value.IsImmediate) {
      Blank();
      continue;
    }
    if (!IsPending && !IsTicking) {
      KeWaitForSingleObject(&m_Wake, Executive, KernelMode, FALSE, NULL);
      Last = max(Last, KeQueryInterruptTime());
      continue;
    }
    CONST ULONG64 Now = KeQueryInterruptTime(), Due = NextBlank(Last);
    if (Now < Due) {
      LARGE_INTEGER Wait;
      Wait.QuadPart = -(LONGLONG)(Due - Now);
      KeWaitForSingleObject(&m_Wake, Executive, KernelMode, FALSE, &Wait);
      continue;
    }
    Last = max(Due, NextBlank(Now) - m_Period);
    Blank();
  }
}

VOID Display::Blank() {
  ExAcquireFastMutex(&m_Lock);
  for (;;) {
    Exchange Taken = {this};
    CONST BOOLEAN IsTaken = Synchronize(TakeRoutine, &Taken);
    if (IsTaken) {
      m_Current = Taken.Value.Next;
      if (ReadShared(&m_Visible) != 0) Show();
    }
    if (Synchronize(ReportRoutine, this) || !IsTaken) break;
  }
  ExReleaseFastMutex(&m_Lock);
}

// A resource of the surface's shape whose backing are the surface's pages. Rows are as long as the pitch; what is behind the
// picture is not scanned out.
NTSTATUS Display::Prepare(_Inout_ Allocation* Surface, _In_ ULONG64 Address) {
  NTSTATUS Status = STATUS_SUCCESS;
  CONST SURFACE_DATA* Shape = &Surface->Surface;
  if (Surface->ResourceId == 0) {
    Status = m_Control->CreateResource(VirtioFormat(Shape->Format), Shape->Pitch / 4, Shape->Height, &Surface->ResourceId);
    if (!NT_SUCCESS(Status)) return Status;
    Surface->AttachedAt = 0;
  }
  CONST LONG Change = m_Memory->Changes();
  if (Surface->AttachedAt == Address && Surface->AttachedChange == Change) return STATUS_SUCCESS;
  if (Surface->AttachedAt != 0) m_Control->Detach(Surface->ResourceId);
  Surface->AttachedAt = 0;
  GPU_MEMORY_ENTRY* Entries;
  ULONG Count;
  Status = m_Memory->Describe(Address, SurfaceBytes(Shape), &Entries, &Count);
  if (!NT_SUCCESS(Status)) return Status;
  Status = m_Control->Attach(Surface->ResourceId, Entries, Count);
  ExFreePoolWithTag(Entries, DRIVER_TAG);
  if (!NT_SUCCESS(Status)) return Status;
  Surface->AttachedAt = Address;
  Surface->AttachedChange = Change;
  return STATUS_SUCCESS;
}

NTSTATUS Display::Show() {
  Allocation* Surface = m_Current.Surface;
  NTSTATUS Status = Prepare(Surface, m_Current.Address);
  CONST ScanOut Wanted = {Surface->ResourceId, Surface->Surface.Width, Surface->Surface.Height};
  if (NT_SUCCESS(Status) && RtlCompareMemory(&m_ScanOut, &Wanted, sizeof(Wanted)) != sizeof(Wanted)) {
    Status = m_Control->SetScanOut(&Wanted);
    if (NT_SUCCESS(Status)) m_ScanOut = Wanted;
  }
  if (NT_SUCCESS(Status)) Status = m_Control->Show(&Wanted);
  if (!NT_SUCCESS(Status)) TraceError("A frame is not shown, status %!STATUS!", Status);
  return Status;
}

VOID Display::SwitchOff() {
  RtlZeroMemory(&m_ScanOut, sizeof(m_ScanOut));
  m_Control->SetScanOut(&m_ScanOut);
}
