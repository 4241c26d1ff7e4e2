#include "Aperture.h"

#include "Aperture.tmh"

Aperture::Aperture() : m_Pages(NULL), m_Changes(0) { ExInitializeFastMutex(&m_Lock); }

NTSTATUS Aperture::Start() {
  PAGED_CODE();
  m_Pages = static_cast<Page*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, APERTURE_PAGES * sizeof(Page), DRIVER_TAG));
  return m_Pages != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

VOID Aperture::Stop() {
  if (m_Pages != NULL) ExFreePoolWithTag(m_Pages, DRIVER_TAG);
  m_Pages = NULL;
}

VOID Aperture::Map(_In_ ULONG64 First, _In_ ULONG64 Count, _In_ PUCHAR Address, _In_ PFN_NUMBER Frame) {
  ExAcquireFastMutex(&m_Lock);
  for (ULONG64 i = 0; i < Count && First + i < APERTURE_PAGES; i++) {
    m_Pages[First + i].Address = Address + i * PAGE_SIZE;
    m_Pages[First + i].Frame = Frame + i;
  }
  ExReleaseFastMutex(&m_Lock);
  InterlockedIncrement(&m_Changes);
}

VOID Aperture::Unmap(_In_ ULONG64 First, _In_ ULONG64 Count) {
  ExAcquireFastMutex(&m_Lock);
  for (ULONG64 i = 0; i < Count && First + i < APERTURE_PAGES; i++) m_Pages[First + i].Address = NULL;
  ExReleaseFastMutex(&m_Lock);
  InterlockedIncrement(&m_Changes);
}

BOOLEAN Aperture::Read(_In_ ULONG64 Address, _Out_writes_bytes_(Bytes) VOID* To, _In_ ULONG Bytes) {
  PUCHAR Next = static_cast<PUCHAR>(To);
  while (Bytes != 0) {
    CONST ULONG64 Offset = Address - APERTURE_BASE;
    CONST ULONG Part = min(Bytes, (ULONG)(PAGE_SIZE - Offset % PAGE_SIZE));
    if (Offset >= APERTURE_BYTES || m_Pages[Offset / PAGE_SIZE].Address == NULL) return FALSE;
    RtlCopyMemory(Next, m_Pages[Offset / PAGE_SIZE].Address + Offset % PAGE_SIZE, Part);
    Next += Part;
    Address += Part;
    Bytes -= Part;
  }
  return TRUE;
}

BOOLEAN Aperture::Write(_In_ ULONG64 Address, _In_reads_bytes_(Bytes) CONST VOID* From, _In_ ULONG Bytes) {
  CONST UCHAR* Next = static_cast<CONST UCHAR*>(From);
  while (Bytes != 0) {
    CONST ULONG64 Offset = Address - APERTURE_BASE;
    CONST ULONG Part = min(Bytes, (ULONG)(PAGE_SIZE - Offset % PAGE_SIZE));
    if (Offset >= APERTURE_BYTES || m_Pages[Offset / PAGE_SIZE].Address == NULL) return FALSE;
    RtlCopyMemory(m_Pages[Offset / PAGE_SIZE].Address + Offset % PAGE_SIZE, Next, Part);
    Next += Part;
    Address += Part;
    Bytes -= Part;
  }
  return TRUE;
}

// Pages that follow each other become one entry.
NTSTATUS Aperture::Describe(_In_ ULONG64 Address, _In_ ULONG64 Bytes, _Out_ GPU_MEMORY_ENTRY** Entries, _Out_ ULONG* Count) {
  PAGED_CODE();
  CONST ULONG64 First = (Address - APERTURE_BASE) / PAGE_SIZE, Pages = (Bytes + PAGE_SIZE - 1) / PAGE_SIZE;
  *Entries = NULL;
  *Count = 0;
  if (First >= APERTURE_PAGES || Pages == 0 || Pages > APERTURE_PAGES - First) return STATUS_INVALID_PARAMETER;
  GPU_MEMORY_ENTRY* List =
      static_cast<GPU_MEMORY_ENTRY*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, Pages * sizeof(GPU_MEMORY_ENTRY), DRIVER_TAG));
  if (List == NULL) return STATUS_NO_MEMORY;
  NTSTATUS Status = STATUS_SUCCESS;
  ExAcquireFastMutex(&m_Lock);
  for (ULONG64 i = First; i < First + Pages; i++) {
    if (m_Pages[i].Address == NULL) Status = STATUS_INVALID_PARAMETER;
    if (i != First && m_Pages[i].Frame == m_Pages[i - 1].Frame + 1) {
      List[*Count - 1].Length += PAGE_SIZE;
      continue;
    }
    List[*Count].Address = (ULONG64)m_Pages[i].Frame << PAGE_SHIFT;
    List[*Count].Length = PAGE_SIZE;
    ++*Count;
  }
  ExReleaseFastMutex(&m_Lock);
  if (NT_SUCCESS(Status)) {
    *Entries = List;
  } else {
    ExFreePoolWithTag(List, DRIVER_TAG);
    *Count = 0;
  }
  return Status;
}
