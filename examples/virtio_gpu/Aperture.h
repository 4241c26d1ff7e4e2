// The one memory segment: addresses that the kernel maps pages of system memory to. virtio-gpu's 2D commands know no memory of
// the device that a driver could address, so surfaces stay in system memory and the device is given their pages.
#pragma once

#include "GpuProtocol.h"
#include "Pool.h"

#define APERTURE_SEGMENT 1
#define APERTURE_BASE 0x100000000ull
#define APERTURE_PAGES 0x40000ull  // 1 GiB
#define APERTURE_BYTES (APERTURE_PAGES * PAGE_SIZE)

// The engine's thread maps, unmaps and accesses; Describe() may come from another.
class Aperture {
 public:
  Aperture();
  ~Aperture() { Stop(); }
  NTSTATUS Start();
  VOID Stop();

  // First is counted in pages from the segment's begin. Address is the system's, of pages that are physically contiguous.
  VOID Map(_In_ ULONG64 First, _In_ ULONG64 Count, _In_ PUCHAR Address, _In_ PFN_NUMBER Frame);
  VOID Unmap(_In_ ULONG64 First, _In_ ULONG64 Count);

  // FALSE when a part of the range is not mapped; the rest of it is accessed.
  BOOLEAN Read(_In_ ULONG64 Address, _Out_writes_bytes_(Bytes) VOID* To, _In_ ULONG Bytes);
  BOOLEAN Write(_In_ ULONG64 Address, _In_reads_bytes_(Bytes) CONST VOID* From, _In_ ULONG Bytes);

  // Lists the range's physical memory. The caller frees the list with DRIVER_TAG. STATUS_INVALID_PARAMETER when a page is not
  // mapped. PASSIVE_LEVEL.
  NTSTATUS Describe(_In_ ULONG64 Address, _In_ ULONG64 Bytes, _Out_ GPU_MEMORY_ENTRY** Entries, _Out_ ULONG* Count);
  // Counts maps and unmaps: a list is out of date when the count has changed.
  LONG Changes() { return ReadShared(&m_Changes); }

 private:
  struct Page {
    PUCHAR Address;  // NULL: not mapped
    PFN_NUMBER Frame;
  };

  Page* m_Pages;
  volatile LONG m_Changes;
  FAST_MUTEX m_Lock;
};
