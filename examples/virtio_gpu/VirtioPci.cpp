// The modern transport: capabilities, BARs, features and queues.
#include "VirtioPci.h"

#include "VirtioPci.tmh"

#define VIRTIO_VENDOR 0x1AF4
#define VIRTIO_GPU_DEVICE 0x1050
#define VIRTIO_STATUS_ACKNOWLEDGE 1
#define VIRTIO_STATUS_DRIVER 2
#define VIRTIO_STATUS_DRIVER_OK 4
#define VIRTIO_STATUS_FEATURES_OK 8
#define VIRTIO_STATUS_NEEDS_RESET 0x40
#define VIRTIO_PCI_CAP_COMMON_CFG 1
#define VIRTIO_PCI_CAP_NOTIFY_CFG 2
#define VIRTIO_PCI_CAP_ISR_CFG 3
#define VIRTIO_PCI_CAP_DEVICE_CFG 4
#define CONFIG_BYTES 256
#define RESET_TRIES 1000

// virtio_pci_common_cfg.
enum {
  DEVICE_FEATURE_SELECT = 0,
  DEVICE_FEATURE = 4,
  DRIVER_FEATURE_SELECT = 8,
  DRIVER_FEATURE = 12,
  CONFIG_MSIX_VECTOR = 16,
  DEVICE_STATUS = 20,
  QUEUE_SELECT = 22,
  QUEUE_SIZE = 24,
  QUEUE_MSIX_VECTOR = 26,
  QUEUE_ENABLE = 28,
  QUEUE_NOTIFY_OFF = 30,
  QUEUE_DESC = 32,
  QUEUE_DRIVER = 40,
  QUEUE_DEVICE = 48,
  COMMON_BYTES = 56,
};

// virtio_gpu_config.
enum { EVENTS_READ = 0, EVENTS_CLEAR = 4, DEVICE_BYTES = 8 };

// virtio_pci_cap, behind the capability's id and link.
enum { CAP_LENGTH = 2, CAP_TYPE = 3, CAP_BAR = 4, CAP_OFFSET = 8, CAP_BYTES = 12, CAP_NOTIFY_MULTIPLIER = 16 };

static ULONG Read32(_In_ CONST UCHAR* From) {
  ULONG Value;
  RtlCopyMemory(&Value, From, sizeof(Value));
  return Value;
}

VirtioPci::VirtioPci() : m_Dxgkrnl(NULL), m_HasLine(FALSE), m_NotifyMultiplier(0) {
  RtlZeroMemory(m_Parts, sizeof(m_Parts));
  RtlZeroMemory(m_NotifyOffsets, sizeof(m_NotifyOffsets));
}

NTSTATUS VirtioPci::Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ ULONG64 Wanted, _Out_ ULONG64* Accepted) {
  PAGED_CODE();
  m_Dxgkrnl = Dxgkrnl;
  NTSTATUS Status = MapParts();
  if (NT_SUCCESS(Status)) Status = FindInterrupts();
  if (!NT_SUCCESS(Status)) return Status;
  Reset();
  AddStatus(VIRTIO_STATUS_ACKNOWLEDGE);
  AddStatus(VIRTIO_STATUS_DRIVER);
  return Negotiate(Wanted, Accepted);
}

VOID VirtioPci::Stop() {
  if (m_Parts[CommonPart] != NULL) Reset();
  for (int i = 0; i < PartCount; i++) {
    if (m_Parts[i] != NULL) m_Dxgkrnl->DxgkCbUnmapMemory(m_Dxgkrnl->DeviceHandle, m_Parts[i]);
    m_Parts[i] = NULL;
  }
}

// Walks the list of capabilities. The first one of each kind counts.
NTSTATUS VirtioPci::MapParts() {
  PAGED_CODE();
  UCHAR Config[CONFIG_BYTES];
  ULONG Read = 0;
  NTSTATUS Status =
      m_Dxgkrnl->DxgkCbReadDeviceSpace(m_Dxgkrnl->DeviceHandle, DXGK_WHICHSPACE_CONFIG, Config, 0, sizeof(Config), &Read);
  if (!NT_SUCCESS(Status)) return Status;
  CONST PCI_COMMON_HEADER* Header = reinterpret_cast<CONST PCI_COMMON_HEADER*>(Config);
  if (Read != sizeof(Config) || Header->VendorID != VIRTIO_VENDOR || Header->DeviceID != VIRTIO_GPU_DEVICE ||
      !(Header->Status & PCI_STATUS_CAPABILITIES_LIST)) {
    return STATUS_NO_SUCH_DEVICE;
  }
  UCHAR At = Header->u.type0.CapabilitiesPtr;
  for (int i = 0; At != 0 && At <= CONFIG_BYTES - CAP_NOTIFY_MULTIPLIER - sizeof(ULONG) && i < CONFIG_BYTES / 4; i++) {
    if (Config[At] == PCI_CAPABILITY_ID_VENDOR_SPECIFIC) {
      CONST UCHAR Type = Config[At + CAP_TYPE];
      CONST Part Which = Type == VIRTIO_PCI_CAP_COMMON_CFG   ? CommonPart
                         : Type == VIRTIO_PCI_CAP_NOTIFY_CFG ? NotifyPart
                         : Type == VIRTIO_PCI_CAP_DEVICE_CFG ? DevicePart
                         : Type == VIRTIO_PCI_CAP_ISR_CFG    ? InterruptPart
                                                             : PartCount;
      if (Which != PartCount && m_Parts[Which] == NULL) Status = MapPart(Which, Config, At);
      if (!NT_SUCCESS(Status)) return Status;
    }
    At = Config[At + 1] & ~3;
  }
  return m_Parts[CommonPart] != NULL && m_Parts[NotifyPart] != NULL ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

NTSTATUS VirtioPci::FindResources(_Out_ CONST CM_PARTIAL_RESOURCE_LIST** List) {
  PAGED_CODE();
  DXGK_DEVICE_INFO Info;
  CONST NTSTATUS Status = m_Dxgkrnl->DxgkCbGetDeviceInformation(m_Dxgkrnl->DeviceHandle, &Info);
  if (!NT_SUCCESS(Status)) return Status;
  if (Info.TranslatedResourceList == NULL) return STATUS_DEVICE_CONFIGURATION_ERROR;
  *List = &Info.TranslatedResourceList->List[0].PartialResourceList;
  return STATUS_SUCCESS;
}

// A device with a line needs the register that takes it back.
NTSTATUS VirtioPci::FindInterrupts() {
  PAGED_CODE();
  CONST CM_PARTIAL_RESOURCE_LIST* List = NULL;
  CONST NTSTATUS Status = FindResources(&List);
  if (!NT_SUCCESS(Status)) return Status;
  for (ULONG i = 0; i < List->Count; i++) {
    CONST CM_PARTIAL_RESOURCE_DESCRIPTOR* Resource = &List->PartialDescriptors[i];
    if (Resource->Type != CmResourceTypeInterrupt) continue;
    m_HasLine = (Resource->Flags & CM_RESOURCE_INTERRUPT_MESSAGE) == 0;
    return m_HasLine && m_Parts[InterruptPart] == NULL ? STATUS_DEVICE_CONFIGURATION_ERROR : STATUS_SUCCESS;
  }
  return STATUS_DEVICE_CONFIGURATION_ERROR;
}

// The capability names a BAR and a range in it; the BAR is one of the device's resources.
NTSTATUS VirtioPci::MapPart(_In_ Part Which, _In_ CONST UCHAR* Config, _In_ UCHAR Capability) {
  PAGED_CODE();
  CONST UCHAR Bar = Config[Capability + CAP_BAR];
  CONST ULONG Offset = Read32(Config + Capability + CAP_OFFSET), Bytes = Read32(Config + Capability + CAP_BYTES);
  CONST ULONG Least = Which == CommonPart ? COMMON_BYTES : Which == DevicePart ? DEVICE_BYTES : 1;
  if (Bar >= PCI_TYPE0_ADDRESSES || Bytes < Least) return STATUS_DEVICE_CONFIGURATION_ERROR;
  CONST ULONG* Bars = reinterpret_cast<CONST PCI_COMMON_HEADER*>(Config)->u.type0.BaseAddresses;
  PHYSICAL_ADDRESS Address;
  Address.QuadPart = Bars[Bar] & PCI_ADDRESS_MEMORY_ADDRESS_MASK;
  if ((Bars[Bar] & PCI_ADDRESS_MEMORY_TYPE_MASK) == PCI_TYPE_64BIT && Bar + 1 < PCI_TYPE0_ADDRESSES) {
    Address.QuadPart |= (LONGLONG)((ULONG64)Bars[Bar + 1] << 32);
  }
  CONST CM_PARTIAL_RESOURCE_LIST* List = NULL;
  NTSTATUS Status = FindResources(&List);
  if (!NT_SUCCESS(Status)) return Status;
  for (ULONG i = 0; i < List->Count; i++) {
    CONST CM_PARTIAL_RESOURCE_DESCRIPTOR* Resource = &List->PartialDescriptors[i];
    if (Resource->Type != CmResourceTypeMemory || Resource->u.Memory.Start.QuadPart != Address.QuadPart) continue;
    if (Offset >= Resource->u.Memory.Length || Bytes > Resource->u.Memory.Length - Offset) break;
    Address.QuadPart += Offset;
    PVOID Mapped = NULL;
    Status = m_Dxgkrnl->DxgkCbMapMemory(m_Dxgkrnl->DeviceHandle, Address, Bytes, FALSE, FALSE, MmNonCached, &Mapped);
    if (!NT_SUCCESS(Status)) return Status;
    m_Parts[Which] = static_cast<PUCHAR>(Mapped);
    if (Which == NotifyPart) m_NotifyMultiplier = Read32(Config + Capability + CAP_NOTIFY_MULTIPLIER);
    return STATUS_SUCCESS;
  }
  return STATUS_DEVICE_CONFIGURATION_ERROR;
}

// The device has done so when the status reads zero.
VOID VirtioPci::Reset() {
  WRITE_REGISTER_UCHAR(Common(DEVICE_STATUS), 0);
  LARGE_INTEGER Delay;
  Delay.QuadPart = -10000;  // 1 ms
  for (int i = 0; i < RESET_TRIES && READ_REGISTER_UCHAR(Common(DEVICE_STATUS)) != 0; i++) {
    KeDelayExecutionThread(KernelMode, FALSE, &Delay);
  }
}

VOID VirtioPci::AddStatus(_In_ UCHAR Bits) {
  WRITE_REGISTER_UCHAR(Common(DEVICE_STATUS), READ_REGISTER_UCHAR(Common(DEVICE_STATUS)) | Bits);
}

NTSTATUS VirtioPci::Negotiate(_In_ ULONG64 Wanted, _Out_ ULONG64* Accepted) {
  ULONG64 Offered = 0;
  for (ULONG i = 0; i < 2; i++) {
    WRITE_REGISTER_ULONG(reinterpret_cast<PULONG>(Common(DEVICE_FEATURE_SELECT)), i);
    Offered |= (ULONG64)READ_REGISTER_ULONG(reinterpret_cast<PULONG>(Common(DEVICE_FEATURE))) << (32 * i);
  }
  *Accepted = Offered & Wanted;
  for (ULONG i = 0; i < 2; i++) {
    WRITE_REGISTER_ULONG(reinterpret_cast<PULONG>(Common(DRIVER_FEATURE_SELECT)), i);
    WRITE_REGISTER_ULONG(reinterpret_cast<PULONG>(Common(DRIVER_FEATURE)), (ULONG)(*Accepted >> (32 * i)));
  }
  AddStatus(VIRTIO_STATUS_FEATURES_OK);
  CONST BOOLEAN Agreed = (READ_REGISTER_UCHAR(Common(DEVICE_STATUS)) & VIRTIO_STATUS_FEATURES_OK) != 0;
  return Agreed ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

USHORT VirtioPci::QueueSize(_In_ USHORT Queue) {
  WRITE_REGISTER_USHORT(reinterpret_cast<PUSHORT>(Common(QUEUE_SELECT)), Queue);
  return READ_REGISTER_USHORT(reinterpret_cast<PUSHORT>(Common(QUEUE_SIZE)));
}

VOID VirtioPci::Write64(_In_ ULONG Offset, _In_ ULONG64 Value) {
  WRITE_REGISTER_ULONG(reinterpret_cast<PULONG>(Common(Offset)), (ULONG)Value);
  WRITE_REGISTER_ULONG(reinterpret_cast<PULONG>(Common(Offset + 4)), (ULONG)(Value >> 32));
}

NTSTATUS VirtioPci::EnableQueue(_In_ USHORT Queue, _In_ USHORT Message, _In_ CONST QueuePlace* Place) {
  if (Queue >= ARRAYSIZE(m_NotifyOffsets) || QueueSize(Queue) < Place->Size) return STATUS_DEVICE_CONFIGURATION_ERROR;
  PUSHORT Vector = reinterpret_cast<PUSHORT>(Common(QUEUE_MSIX_VECTOR));
  WRITE_REGISTER_USHORT(reinterpret_cast<PUSHORT>(Common(QUEUE_SIZE)), Place->Size);
  WRITE_REGISTER_USHORT(Vector, Message);
  if (READ_REGISTER_USHORT(Vector) != Message) return STATUS_DEVICE_CONFIGURATION_ERROR;
  Write64(QUEUE_DESC, Place->Descriptors.QuadPart);
  Write64(QUEUE_DRIVER, Place->Available.QuadPart);
  Write64(QUEUE_DEVICE, Place->Used.QuadPart);
  m_NotifyOffsets[Queue] = READ_REGISTER_USHORT(reinterpret_cast<PUSHORT>(Common(QUEUE_NOTIFY_OFF))) * m_NotifyMultiplier;
  WRITE_REGISTER_USHORT(reinterpret_cast<PUSHORT>(Common(QUEUE_ENABLE)), 1);
  return STATUS_SUCCESS;
}

VOID VirtioPci::Go() { AddStatus(VIRTIO_STATUS_DRIVER_OK); }

VOID VirtioPci::Notify(_In_ USHORT Queue) {
  WRITE_REGISTER_USHORT(reinterpret_cast<PUSHORT>(m_Parts[NotifyPart] + m_NotifyOffsets[Queue]), Queue);
}

NTSTATUS VirtioPci::EnableEvents() {
  PUSHORT Vector = reinterpret_cast<PUSHORT>(Common(CONFIG_MSIX_VECTOR));
  WRITE_REGISTER_USHORT(Vector, EVENT_MESSAGE);
  return READ_REGISTER_USHORT(Vector) == EVENT_MESSAGE ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

UCHAR VirtioPci::TakeInterrupt() { return READ_REGISTER_UCHAR(m_Parts[InterruptPart]); }

ULONG VirtioPci::TakeEvents() {
  PUCHAR Device = m_Parts[DevicePart];
  if (Device == NULL) return 0;
  CONST ULONG Events = READ_REGISTER_ULONG(reinterpret_cast<PULONG>(Device + EVENTS_READ));
  WRITE_REGISTER_ULONG(reinterpret_cast<PULONG>(Device + EVENTS_CLEAR), Events);
  return Events;
}

BOOLEAN VirtioPci::NeedsReset() {
#ifdef PLAIN_ACCESS
  return (*Common(DEVICE_STATUS) & VIRTIO_STATUS_NEEDS_RESET) != 0;
#else
  return (READ_REGISTER_UCHAR(Common(DEVICE_STATUS)) & VIRTIO_STATUS_NEEDS_RESET) != 0;
#endif
}
