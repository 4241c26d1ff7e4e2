#include "Monitor.h"

#include "Monitor.tmh"

Monitor::Monitor() : m_Dxgkrnl(NULL), m_Pci(NULL), m_Control(NULL), m_HasEdid(FALSE), m_Connected(0), m_Told(0), m_Stopping(0) {
  RtlZeroMemory(m_Edid, sizeof(m_Edid));
  RtlZeroMemory(&m_Modes, sizeof(m_Modes));
  ExInitializeFastMutex(&m_Lock);
  KeInitializeEvent(&m_Wake, SynchronizationEvent, FALSE);
}

NTSTATUS Monitor::Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ VirtioPci* Pci, _In_ ControlQueue* Control, _In_ BOOLEAN HasEdid) {
  PAGED_CODE();
  m_Dxgkrnl = Dxgkrnl;
  m_Pci = Pci;
  m_Control = Control;
  m_HasEdid = HasEdid;
  m_Stopping = 0;
  NTSTATUS Status = Read();
  if (NT_SUCCESS(Status)) Status = m_Pci->EnableEvents();
  if (NT_SUCCESS(Status)) Status = m_Thread.Start(ThreadRoutine, this);
  return Status;
}

VOID Monitor::Stop() {
  if (!m_Thread.IsStarted()) return;
  InterlockedExchange(&m_Stopping, 1);
  KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
  m_Thread.Join();
}

VOID Monitor::OnDpc() {
  if (InterlockedExchange(&m_Told, 0) != 0) KeSetEvent(&m_Wake, IO_NO_INCREMENT, FALSE);
}

// A device without a description of its monitor has one of 60 Hz.
NTSTATUS Monitor::Read() {
  PAGED_CODE();
  GPU_DISPLAY_INFO* Info =
      static_cast<GPU_DISPLAY_INFO*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(GPU_DISPLAY_INFO), DRIVER_TAG));
  if (Info == NULL) return STATUS_NO_MEMORY;
  UCHAR Edid[EDID_BYTES] = {0};
  NTSTATUS Status = m_Control->GetDisplayInfo(Info);
  if (NT_SUCCESS(Status) && m_HasEdid) Status = m_Control->GetEdid(Edid, sizeof(Edid));
  if (NT_SUCCESS(Status)) {
    ExAcquireFastMutex(&m_Lock);
    RtlCopyMemory(m_Edid, Edid, sizeof(m_Edid));
    ReadModes(m_Edid, Info->Modes[0].Rect.Width, Info->Modes[0].Rect.Height, &m_Modes);
    ExReleaseFastMutex(&m_Lock);
    InterlockedExchange(&m_Connected, Info->Modes[0].Enabled != 0 ? 1 : 0);
  }
  ExFreePoolWithTag(Info, DRIVER_TAG);
  return Status;
}

VOID Monitor::CopyEdid(_Out_writes_bytes_(EDID_BYTES) UCHAR* Edid) {
  PAGED_CODE();
  ExAcquireFastMutex(&m_Lock);
  RtlCopyMemory(Edid, m_Edid, sizeof(m_Edid));
  ExReleaseFastMutex(&m_Lock);
}

VOID Monitor::CopyModes(_Out_ MonitorModes* Modes) {
  PAGED_CODE();
  ExAcquireFastMutex(&m_Lock);
  *Modes = m_Modes;
  ExReleaseFastMutex(&m_Lock);
}

VOID Monitor::ThreadRoutine(PVOID Context) {
  static_cast<Monitor*>(Context)->Run();
  PsTerminateSystemThread(STATUS_SUCCESS);
}

VOID Monitor::Run() {
  for (;;) {
    KeWaitForSingleObject(&m_Wake, Executive, KernelMode, FALSE, NULL);
    if (ReadShared(&m_Stopping) != 0) return;
    // An event that comes from here on wakes the thread again.
    if (!(m_Pci->TakeEvents() & VIRTIO_GPU_EVENT_DISPLAY)) continue;
    NTSTATUS Status = Read();
    if (NT_SUCCESS(Status)) {
      Indicate();
    } else {
      TraceError("The monitor is not known any more, status %!STATUS!", Status);
    }
  }
}

VOID Monitor::Indicate() {
#ifdef NEVER_INDICATE
  return;
#endif
  DXGK_CHILD_STATUS Child = {};
  Child.Type = StatusConnection;
  Child.ChildUid = CHILD_UID;
  Child.HotPlug.Connected = IsConnected();
  m_Dxgkrnl->DxgkCbIndicateChildStatus(m_Dxgkrnl->DeviceHandle, &Child);
}
