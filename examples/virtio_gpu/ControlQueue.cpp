// A split virtqueue (virtio 1.2, section 2.7) with one chain of three descriptors at most.
#include "ControlQueue.h"

#include "ControlQueue.tmh"

#define CONTROL_QUEUE 0
#define CONTROL_MESSAGE 1
#define QUEUE_DESCRIPTORS 16
#define DESC_NEXT 1
#define DESC_WRITE 2
#define ANSWER_SECONDS 5

struct Descriptor {
  ULONG64 Address;
  ULONG Length;
  USHORT Flags;
  USHORT Next;
};

// Offsets in the queue's memory.
#define AVAILABLE_AT (QUEUE_DESCRIPTORS * sizeof(Descriptor))
#define USED_AT 512
#define COMMAND_AT 1024
#define COMMAND_BYTES 512
#define ANSWER_AT (COMMAND_AT + COMMAND_BYTES)
#define MEMORY_BYTES PAGE_SIZE
C_ASSERT(AVAILABLE_AT + 6 + 2 * QUEUE_DESCRIPTORS <= USED_AT);
C_ASSERT(USED_AT + 6 + 8 * QUEUE_DESCRIPTORS <= COMMAND_AT);
C_ASSERT(ANSWER_AT + sizeof(GPU_EDID) <= MEMORY_BYTES);

static CONST PHYSICAL_ADDRESS Nowhere = {};

ControlQueue::ControlQueue() : m_Pci(NULL), m_Memory(NULL), m_Size(0), m_Next(0), m_Broken(FALSE), m_LastResource(0) {
  ExInitializeFastMutex(&m_Lock);
  KeInitializeSpinLock(&m_MemoryLock);
  KeInitializeEvent(&m_Answered, SynchronizationEvent, FALSE);
}

NTSTATUS ControlQueue::Start(_In_ VirtioPci* Pci) {
  PAGED_CODE();
  m_Pci = Pci;
  m_Next = 0;
  m_Broken = FALSE;
  m_LastResource = 0;
  m_Size = min(Pci->QueueSize(CONTROL_QUEUE), (USHORT)QUEUE_DESCRIPTORS);
  if (m_Size < 4) return STATUS_DEVICE_CONFIGURATION_ERROR;
  PHYSICAL_ADDRESS Highest;
  Highest.QuadPart = -1;
  m_Memory = static_cast<PUCHAR>(MmAllocateContiguousMemory(MEMORY_BYTES, Highest));
  if (m_Memory == NULL) return STATUS_NO_MEMORY;
  RtlZeroMemory(m_Memory, MEMORY_BYTES);
  QueuePlace Place;
  Place.Size = m_Size;
  Place.Descriptors = MmGetPhysicalAddress(m_Memory);
  Place.Available = MmGetPhysicalAddress(m_Memory + AVAILABLE_AT);
  Place.Used = MmGetPhysicalAddress(m_Memory + USED_AT);
  return Pci->EnableQueue(CONTROL_QUEUE, CONTROL_MESSAGE, &Place);
}

VOID ControlQueue::Stop() {
  KIRQL Irql;
  KeAcquireSpinLock(&m_MemoryLock, &Irql);
  PVOID Memory = m_Memory;
  m_Memory = NULL;
  KeReleaseSpinLock(&m_MemoryLock, Irql);
#ifndef LEAK
  if (Memory != NULL) MmFreeContiguousMemory(Memory);
#endif
}

// The device writes the index; the compiler may not keep it.
USHORT ControlQueue::Used() const { return *reinterpret_cast<CONST volatile USHORT*>(m_Memory + USED_AT + 2); }

VOID ControlQueue::OnInterrupt() {
  KeAcquireSpinLockAtDpcLevel(&m_MemoryLock);
  if (m_Memory != NULL && Used() == m_Next) KeSetEvent(&m_Answered, IO_NO_INCREMENT, FALSE);
  KeReleaseSpinLockFromDpcLevel(&m_MemoryLock);
}

NTSTATUS ControlQueue::Execute(_In_reads_bytes_(CommandBytes) CONST VOID* Command, _In_ ULONG CommandBytes,
                               _In_ PHYSICAL_ADDRESS Extra, _In_ ULONG ExtraBytes, _Out_writes_bytes_(AnswerBytes) VOID* Answer,
                               _In_ ULONG AnswerBytes, _In_ ULONG Due) {
  ExAcquireFastMutex(&m_Lock);
  if (m_Memory == NULL || m_Broken) {
    ExReleaseFastMutex(&m_Lock);
    return STATUS_DEVICE_NOT_READY;
  }
  RtlCopyMemory(m_Memory + COMMAND_AT, Command, CommandBytes);
  RtlZeroMemory(m_Memory + ANSWER_AT, AnswerBytes);
  Descriptor* Chain = reinterpret_cast<Descriptor*>(m_Memory);
  USHORT Count = 0;
  Chain[Count].Address = MmGetPhysicalAddress(m_Memory + COMMAND_AT).QuadPart;
  Chain[Count++].Length = CommandBytes;
  if (ExtraBytes != 0) {
    Chain[Count].Address = Extra.QuadPart;
    Chain[Count++].Length = ExtraBytes;
  }
  Chain[Count].Address = MmGetPhysicalAddress(m_Memory + ANSWER_AT).QuadPart;
  Chain[Count].Length = AnswerBytes;
  for (USHORT i = 0; i < Count; i++) {
    Chain[i].Flags = DESC_NEXT;
    Chain[i].Next = i + 1;
  }
  Chain[Count].Flags = DESC_WRITE;

  volatile USHORT* Ring = reinterpret_cast<volatile USHORT*>(m_Memory + AVAILABLE_AT);
  Ring[2 + m_Next % m_Size] = 0;  // The head of every chain.
#ifndef UNLOCKED
  KIRQL Irql;
  KeAcquireSpinLock(&m_MemoryLock, &Irql);  // A DPC that is late tells of the command before.
#endif
  KeClearEvent(&m_Answered);
  m_Next++;
#ifndef UNLOCKED
  KeReleaseSpinLock(&m_MemoryLock, Irql);
#endif
  Ring[1] = m_Next;
  KeMemoryBarrier();
  m_Pci->Notify(CONTROL_QUEUE);
  LARGE_INTEGER Limit;
  Limit.QuadPart = -10000000ll * ANSWER_SECONDS;
  NTSTATUS Status = KeWaitForSingleObject(&m_Answered, Executive, KernelMode, FALSE, &Limit);
  if (Status != STATUS_SUCCESS || m_Pci->NeedsReset()) {
    TraceError("Command 0x%x is not answered", static_cast<CONST GPU_HEADER*>(Command)->Type);
    m_Broken = TRUE;  // The device may still write the answer, so that its memory is left alone.
    Status = STATUS_IO_TIMEOUT;
  } else {
    RtlCopyMemory(Answer, m_Memory + ANSWER_AT, AnswerBytes);
    if (static_cast<CONST GPU_HEADER*>(Answer)->Type != Due) Status = STATUS_IO_DEVICE_ERROR;
  }
  ExReleaseFastMutex(&m_Lock);
  return Status;
}

NTSTATUS ControlQueue::Execute(_In_reads_bytes_(CommandBytes) CONST VOID* Command, _In_ ULONG CommandBytes) {
  GPU_HEADER Answer;
  return Execute(Command, CommandBytes, Nowhere, 0, &Answer, sizeof(Answer), VIRTIO_GPU_RESP_OK_NODATA);
}

NTSTATUS ControlQueue::GetDisplayInfo(_Out_ GPU_DISPLAY_INFO* Info) {
  GPU_HEADER Command = {VIRTIO_GPU_CMD_GET_DISPLAY_INFO};
  return Execute(&Command, sizeof(Command), Nowhere, 0, Info, sizeof(*Info), VIRTIO_GPU_RESP_OK_DISPLAY_INFO);
}

NTSTATUS ControlQueue::GetEdid(_Out_writes_bytes_(Bytes) UCHAR* Edid, _In_ ULONG Bytes) {
  GPU_GET_EDID Command = {{VIRTIO_GPU_CMD_GET_EDID}};
  GPU_EDID* Answer = static_cast<GPU_EDID*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(GPU_EDID), DRIVER_TAG));
  if (Answer == NULL) return STATUS_NO_MEMORY;
  NTSTATUS Status = Execute(&Command, sizeof(Command), Nowhere, 0, Answer, sizeof(*Answer), VIRTIO_GPU_RESP_OK_EDID);
  RtlZeroMemory(Edid, Bytes);
  if (NT_SUCCESS(Status)) RtlCopyMemory(Edid, Answer->Edid, min(Bytes, min(Answer->Size, (ULONG)sizeof(Answer->Edid))));
  ExFreePoolWithTag(Answer, DRIVER_TAG);
  return Status;
}

NTSTATUS ControlQueue::CreateResource(_In_ ULONG Format, _In_ ULONG Width, _In_ ULONG Height, _Out_ ULONG* ResourceId) {
  *ResourceId = InterlockedIncrement(&m_LastResource);
  GPU_CREATE_2D Command = {{VIRTIO_GPU_CMD_RESOURCE_CREATE_2D}, *ResourceId, Format, Width, Height};
  CONST NTSTATUS Status = Execute(&Command, sizeof(Command));
  if (!NT_SUCCESS(Status)) *ResourceId = 0;
  return Status;
}

NTSTATUS ControlQueue::DestroyResource(_In_ ULONG ResourceId) {
  GPU_RESOURCE_UNREF Command = {{VIRTIO_GPU_CMD_RESOURCE_UNREF}, ResourceId};
  return Execute(&Command, sizeof(Command));
}

NTSTATUS ControlQueue::Attach(_In_ ULONG ResourceId, _In_reads_(Count) CONST GPU_MEMORY_ENTRY* Entries, _In_ ULONG Count) {
  GPU_ATTACH_BACKING Command = {{VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING}, ResourceId, Count};
  PHYSICAL_ADDRESS Highest;
  Highest.QuadPart = -1;
  CONST ULONG Bytes = Count * sizeof(GPU_MEMORY_ENTRY);
  PVOID List = MmAllocateContiguousMemory(Bytes, Highest);
  if (List == NULL) return STATUS_NO_MEMORY;
  RtlCopyMemory(List, Entries, Bytes);
  GPU_HEADER Answer;
  NTSTATUS Status =
      Execute(&Command, sizeof(Command), MmGetPhysicalAddress(List), Bytes, &Answer, sizeof(Answer), VIRTIO_GPU_RESP_OK_NODATA);
  MmFreeContiguousMemory(List);
  return Status;
}

NTSTATUS ControlQueue::Detach(_In_ ULONG ResourceId) {
  GPU_RESOURCE_UNREF Command = {{VIRTIO_GPU_CMD_RESOURCE_DETACH_BACKING}, ResourceId};
  return Execute(&Command, sizeof(Command));
}

NTSTATUS ControlQueue::SetScanOut(_In_ CONST ScanOut* Shown) {
  GPU_SET_SCANOUT Command = {{VIRTIO_GPU_CMD_SET_SCANOUT}, {0, 0, Shown->Width, Shown->Height}, 0, Shown->ResourceId};
  return Execute(&Command, sizeof(Command));
}

NTSTATUS ControlQueue::Show(_In_ CONST ScanOut* Shown) {
  GPU_TRANSFER Transfer = {{VIRTIO_GPU_CMD_TRANSFER_TO_HOST_2D}, {0, 0, Shown->Width, Shown->Height}, 0, Shown->ResourceId};
  NTSTATUS Status = Execute(&Transfer, sizeof(Transfer));
  if (!NT_SUCCESS(Status)) return Status;
  GPU_FLUSH Flush = {{VIRTIO_GPU_CMD_RESOURCE_FLUSH}, {0, 0, Shown->Width, Shown->Height}, Shown->ResourceId};
  return Execute(&Flush, sizeof(Flush));
}
