// The monitor of the scan-out: connected or not, its description and its modes. The device says by an event that they have
// changed (virtio 1.2, section 5.7.4); a system thread asks for the new ones and tells the kernel.
#pragma once

#include "ControlQueue.h"
#include "Edid.h"
#include "SystemThread.h"

#define CHILD_UID 0

class Monitor {
 public:
  Monitor();
  ~Monitor() { Stop(); }

  // Asks for the monitor, and listens to the device from then on. PASSIVE_LEVEL.
  NTSTATUS Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ VirtioPci* Pci, _In_ ControlQueue* Control, _In_ BOOLEAN HasEdid);
  VOID Stop();
  // The device raised EVENT_MESSAGE. DIRQL.
  VOID OnInterrupt() { InterlockedExchange(&m_Told, 1); }
  // Events are set at DISPATCH_LEVEL at most.
  VOID OnDpc();

  // PASSIVE_LEVEL, any thread.
  BOOLEAN IsConnected() { return ReadShared(&m_Connected) != 0; }
  BOOLEAN HasEdid() const { return m_HasEdid; }
  VOID CopyEdid(_Out_writes_bytes_(EDID_BYTES) UCHAR* Edid);
  VOID CopyModes(_Out_ MonitorModes* Modes);

 private:
  static VOID ThreadRoutine(PVOID Context);
  VOID Run();
  NTSTATUS Read();
  VOID Indicate();

  DXGKRNL_INTERFACE* m_Dxgkrnl;
  VirtioPci* m_Pci;
  ControlQueue* m_Control;
  BOOLEAN m_HasEdid;
  SystemThread m_Thread;
  volatile LONG m_Connected;
  volatile LONG m_Told;  // the device raised EVENT_MESSAGE since the last DPC
  volatile LONG m_Stopping;
  KEVENT m_Wake;
  FAST_MUTEX m_Lock;
  UCHAR m_Edid[EDID_BYTES];  // guarded by m_Lock, as what follows
  MonitorModes m_Modes;
};
