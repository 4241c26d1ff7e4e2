// The scan-out: flips, and a vertical blank. virtio-gpu has no vertical blank, nor any other clock: this driver keeps one of its
// own, with the refresh rate of the monitor's description. A picture is sent to the device at its flip, and the device says when
// it has it; when a viewer sees it, nobody says.
#pragma once

#include "Allocation.h"
#include "Aperture.h"
#include "ControlQueue.h"
#include "SystemThread.h"

class Display {
 public:
  Display();
  ~Display() { Stop(); }

  NTSTATUS Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ ControlQueue* Control, _In_ Aperture* Memory, _In_ ULONG RefreshMilliHz);
  VOID Stop();

  // At the next vertical blank, or at once. DIRQL for flips, PASSIVE_LEVEL for modes.
  VOID SetAddress(_In_ CONST DXGKARG_SETVIDPNSOURCEADDRESS* Set);
  // Returns when the scan-out is as it was asked for. PASSIVE_LEVEL.
  VOID SetVisible(_In_ BOOLEAN Visible);
  // PASSIVE_LEVEL.
  VOID EnableVSync(_In_ BOOLEAN Enable);
  // The allocation goes. PASSIVE_LEVEL.
  VOID Forget(_In_ Allocation* Gone);
  VOID GetScanLine(_Inout_ DXGKARG_GETSCANLINE* ScanLine);
  // The DPC: SetAddress() asked for it. DISPATCH_LEVEL.
  VOID OnDpc();

 private:
  // What is scanned out.
  struct Frame {
    Allocation* Surface;  // NULL: nothing
    ULONG64 Address;
  };
  // What SetAddress() latches. It and the interrupt routine exclude each other.
  struct Latch {
    Frame Next;
    BOOLEAN IsPending;
    BOOLEAN IsImmediate;
  };

  // An argument of a routine that excludes the interrupt routine.
  struct Exchange {
    Display* Owner;
    Latch Value;
  };

  static VOID ThreadRoutine(PVOID Context);
  static BOOLEAN PutRoutine(PVOID Context);   // latches Value
  static BOOLEAN PeekRoutine(PVOID Context);  // copies the latch to Value
  static BOOLEAN TakeRoutine(PVOID Context);  // the same, and empties it; TRUE: a flip was pending
  // Reports the vertical blank, unless a flip to the same address has come: the report would count for it.
  static BOOLEAN ReportRoutine(PVOID Context);
  static BOOLEAN HurryRoutine(PVOID Context);  // what is pending does not wait; TRUE: a flip is pending
  static BOOLEAN ForgetRoutine(PVOID Context);
  BOOLEAN Synchronize(_In_ PKSYNCHRONIZE_ROUTINE Routine, _In_ PVOID Context);

  VOID Run();
  // Time of the next vertical blank after a moment; units of 100 ns.
  ULONG64 NextBlank(_In_ ULONG64 After) const;
  // Shows what is pending, and reports it.
  VOID Blank();
  // Makes the device show the current frame. Guarded by m_Lock, as what follows.
  NTSTATUS Show();
  NTSTATUS Prepare(_Inout_ Allocation* Surface, _In_ ULONG64 Address);
  VOID SwitchOff();

  DXGKRNL_INTERFACE* m_Dxgkrnl;
  ControlQueue* m_Control;
  Aperture* m_Memory;
  SystemThread m_Thread;
  ULONG m_Period;   // units of 100 ns
  ULONG64 m_Begin;  // of the first period

  Latch m_Latch;
  Frame m_Current;          // guarded by m_Lock
  ScanOut m_ScanOut;        // what the device shows; guarded by m_Lock
  volatile LONG m_Visible;  // written with m_Lock
  FAST_MUTEX m_Lock;        // held while commands run
  volatile LONG m_VSync;    // the kernel wants to hear of vertical blanks
  volatile LONG m_Flipped;  // SetAddress() was called since the last DPC
  volatile LONG m_Stopping;
  KEVENT m_Wake;
};
