// The registers of a modern virtio device (virtio 1.2, section 4.1.4), which the capabilities of its configuration space name.
#pragma once

#include "Pool.h"

// Also the number of an interrupt by the line.
#define EVENT_MESSAGE 0

enum { INTERRUPT_QUEUE = 1, INTERRUPT_CONFIG = 2 };

// Where a queue lies; physical addresses.
struct QueuePlace {
  USHORT Size;  // descriptors
  PHYSICAL_ADDRESS Descriptors;
  PHYSICAL_ADDRESS Available;
  PHYSICAL_ADDRESS Used;
};

class VirtioPci {
 public:
  VirtioPci();
  ~VirtioPci() { Stop(); }

  // Finds and maps the registers of PCI device 1AF4:1050, resets it and accepts those of the wanted features that it offers.
  // PASSIVE_LEVEL. STATUS_NO_SUCH_DEVICE for another device.
  NTSTATUS Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ ULONG64 Wanted, _Out_ ULONG64* Accepted);
  // Resets the device and unmaps its registers. PASSIVE_LEVEL.
  VOID Stop();

  // Descriptors that a queue may have; 0: there is no such queue.
  USHORT QueueSize(_In_ USHORT Queue);
  // STATUS_DEVICE_CONFIGURATION_ERROR when the device takes no interrupt message of that number.
  NTSTATUS EnableQueue(_In_ USHORT Queue, _In_ USHORT Message, _In_ CONST QueuePlace* Place);
  // The device works from now on.
  VOID Go();
  // The device looks at the queue. IRQL <= DISPATCH_LEVEL.
  VOID Notify(_In_ USHORT Queue);
  // The device tells of changes of its configuration by EVENT_MESSAGE. STATUS_DEVICE_CONFIGURATION_ERROR when it does not take
  // it.
  NTSTATUS EnableEvents();
  // What has changed; forgotten by the device.
  ULONG TakeEvents();
  // TRUE: the system gave the device its interrupt line, and no messages.
  BOOLEAN HasLine() const { return m_HasLine; }
  // Reasons of an interrupt by the line, INTERRUPT_...; the device takes the line back. 0: the interrupt is another device's.
  UCHAR TakeInterrupt();
  // TRUE when the device says that it is broken.
  BOOLEAN NeedsReset();

 private:
  enum Part { CommonPart, NotifyPart, DevicePart, InterruptPart, PartCount };

  NTSTATUS FindResources(_Out_ CONST CM_PARTIAL_RESOURCE_LIST** List);
  NTSTATUS FindInterrupts();
  NTSTATUS MapParts();
  NTSTATUS MapPart(_In_ Part Which, _In_ CONST UCHAR* Config, _In_ UCHAR Capability);
  VOID Reset();
  NTSTATUS Negotiate(_In_ ULONG64 Wanted, _Out_ ULONG64* Accepted);
  PUCHAR Common(_In_ ULONG Offset) const { return m_Parts[CommonPart] + Offset; }
  VOID Write64(_In_ ULONG Offset, _In_ ULONG64 Value);
  VOID AddStatus(_In_ UCHAR Bits);

  DXGKRNL_INTERFACE* m_Dxgkrnl;
  PUCHAR m_Parts[PartCount];  // NULL: not mapped
  BOOLEAN m_HasLine;
  ULONG m_NotifyMultiplier;  // bytes between the notification registers of two queues
  ULONG m_NotifyOffsets[2];  // of the queues that are enabled, in bytes
};
