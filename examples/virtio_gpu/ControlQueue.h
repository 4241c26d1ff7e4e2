// The control queue: one command at a time, answered before the next one.
#pragma once

#include "GpuProtocol.h"
#include "VirtioPci.h"

// A resource that the device has, and the part of it that is shown.
struct ScanOut {
  ULONG ResourceId;
  ULONG Width;   // pixels
  ULONG Height;  // pixels
};

// PASSIVE_LEVEL unless a function says otherwise; any thread.
class ControlQueue {
 public:
  ControlQueue();
  ~ControlQueue() { Stop(); }

  NTSTATUS Start(_In_ VirtioPci* Pci);
  // The device must be reset before.
  VOID Stop();
  // The device raised its interrupt. DISPATCH_LEVEL.
  VOID OnInterrupt();

  NTSTATUS GetDisplayInfo(_Out_ GPU_DISPLAY_INFO* Info);
  // Copies at most Bytes of scan-out 0's description; the rest is zero.
  NTSTATUS GetEdid(_Out_writes_bytes_(Bytes) UCHAR* Edid, _In_ ULONG Bytes);
  NTSTATUS CreateResource(_In_ ULONG Format, _In_ ULONG Width, _In_ ULONG Height, _Out_ ULONG* ResourceId);
  NTSTATUS DestroyResource(_In_ ULONG ResourceId);
  NTSTATUS Attach(_In_ ULONG ResourceId, _In_reads_(Count) CONST GPU_MEMORY_ENTRY* Entries, _In_ ULONG Count);
  NTSTATUS Detach(_In_ ULONG ResourceId);
  // Resource 0 switches the scan-out off.
  NTSTATUS SetScanOut(_In_ CONST ScanOut* Shown);
  // The device reads the picture out of the backing, and shows it.
  NTSTATUS Show(_In_ CONST ScanOut* Shown);

 private:
  // Copies the command into the queue's memory, and the answer out of it. An extra part lies behind the command, by its physical
  // address.
  NTSTATUS Execute(_In_reads_bytes_(CommandBytes) CONST VOID* Command, _In_ ULONG CommandBytes, _In_ PHYSICAL_ADDRESS Extra,
                   _In_ ULONG ExtraBytes, _Out_writes_bytes_(AnswerBytes) VOID* Answer, _In_ ULONG AnswerBytes, _In_ ULONG Due);
  NTSTATUS Execute(_In_reads_bytes_(CommandBytes) CONST VOID* Command, _In_ ULONG CommandBytes);
  USHORT Used() const;

  VirtioPci* m_Pci;
  PUCHAR m_Memory;   // rings, command and answer; contiguous. NULL: not started
  USHORT m_Size;     // descriptors
  USHORT m_Next;     // of the available ring; counts on, under m_MemoryLock
  BOOLEAN m_Broken;  // a command was not answered
  LONG m_LastResource;
  FAST_MUTEX m_Lock;
  KSPIN_LOCK m_MemoryLock;  // m_Memory and m_Next stay while the DPC looks at them
  KEVENT m_Answered;
};
