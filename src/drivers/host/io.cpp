// Requests to other drivers, of which the process has none, and I/O ports, which the kernel dispatches. See wdm/io.h.
#include <ntddk.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

struct Request {
  IRP irp;
  IO_STACK_LOCATION stack;
};

PIRP CreateRequest(PDEVICE_OBJECT device, PKEVENT event, PIO_STATUS_BLOCK status) {
  if (device == nullptr) return nullptr;
  auto* const request = static_cast<Request*>(std::calloc(1, sizeof(Request)));
  if (request == nullptr) return nullptr;
  request->irp.UserEvent = event;
  request->irp.UserIosb = status;
  request->irp.Tail.Overlay.CurrentStackLocation = &request->stack;
  request->stack.DeviceObject = device;
  return &request->irp;
}

void ReportPort(const char* function, const void* port) {
  Report(Rule::kPort, "%s accesses port 0x%zx, which the device does not have.", function, reinterpret_cast<std::size_t>(port));
}

// Null: the driver is not attached, or its kernel knows no ports.
const TANDEM_DRIVER_KERNEL* PortKernel() {
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  constexpr std::size_t kSize = offsetof(TANDEM_DRIVER_KERNEL, WritePort) + sizeof(kernel->WritePort);
  return kernel != nullptr && kernel->Size >= kSize && kernel->ReadPort != nullptr ? kernel : nullptr;
}

ULONG NumberOf(const void* port) { return static_cast<ULONG>(reinterpret_cast<std::size_t>(port)); }

// All ones where no device answers.
template <class T>
T ReadPort(const T* port, const char* function) {
  const TANDEM_DRIVER_KERNEL* const kernel = PortKernel();
  ULONG value = 0;
  if (kernel != nullptr && kernel->ReadPort(NumberOf(port), sizeof(T), &value) != FALSE) return static_cast<T>(value);
  ReportPort(function, port);
  return static_cast<T>(~T{0});
}

template <class T>
void WritePort(const T* port, T value, const char* function) {
  const TANDEM_DRIVER_KERNEL* const kernel = PortKernel();
  if (kernel != nullptr && kernel->WritePort(NumberOf(port), sizeof(T), value) != FALSE) return;
  ReportPort(function, port);
}

}  // namespace

PDEVICE_OBJECT NTAPI IoGetRelatedDeviceObject(PFILE_OBJECT FileObject) {
  CheckIrql("IoGetRelatedDeviceObject", DISPATCH_LEVEL);
  return FileObject == nullptr ? nullptr : FileObject->DeviceObject;
}

PIRP NTAPI IoBuildSynchronousFsdRequest(ULONG MajorFunction, PDEVICE_OBJECT DeviceObject, PVOID Buffer, ULONG Length,
                                        PLARGE_INTEGER StartingOffset, PKEVENT Event, PIO_STATUS_BLOCK IoStatusBlock) {
  CheckIrql("IoBuildSynchronousFsdRequest", PASSIVE_LEVEL);
  const PIRP irp = CreateRequest(DeviceObject, Event, IoStatusBlock);
  if (irp == nullptr) return nullptr;
  irp->UserBuffer = Buffer;
  PIO_STACK_LOCATION const stack = IoGetNextIrpStackLocation(irp);
  stack->MajorFunction = static_cast<UCHAR>(MajorFunction);
  stack->Parameters.Read.Length = Length;
  if (StartingOffset != nullptr) stack->Parameters.Read.ByteOffset = *StartingOffset;
  return irp;
}

PIRP NTAPI IoBuildDeviceIoControlRequest(ULONG IoControlCode, PDEVICE_OBJECT DeviceObject, PVOID InputBuffer,
                                         ULONG InputBufferLength, PVOID OutputBuffer, ULONG OutputBufferLength,
                                         BOOLEAN InternalDeviceIoControl, PKEVENT Event, PIO_STATUS_BLOCK IoStatusBlock) {
  CheckIrql("IoBuildDeviceIoControlRequest", PASSIVE_LEVEL);
  const PIRP irp = CreateRequest(DeviceObject, Event, IoStatusBlock);
  if (irp == nullptr) return nullptr;
  irp->UserBuffer = OutputBuffer;
  irp->AssociatedIrp.SystemBuffer = InputBuffer;
  PIO_STACK_LOCATION const stack = IoGetNextIrpStackLocation(irp);
  stack->MajorFunction = InternalDeviceIoControl ? IRP_MJ_INTERNAL_DEVICE_CONTROL : IRP_MJ_DEVICE_CONTROL;
  stack->Parameters.DeviceIoControl.IoControlCode = IoControlCode;
  stack->Parameters.DeviceIoControl.InputBufferLength = InputBufferLength;
  stack->Parameters.DeviceIoControl.OutputBufferLength = OutputBufferLength;
  return irp;
}

// Frees the request, as the I/O manager does for requests that a driver built.
VOID NTAPI IofCompleteRequest(PIRP Irp, CCHAR PriorityBoost) {
  CheckIrql("IoCompleteRequest", DISPATCH_LEVEL);
  if (Irp->UserIosb != nullptr) *Irp->UserIosb = Irp->IoStatus;
  if (Irp->UserEvent != nullptr) KeSetEvent(Irp->UserEvent, PriorityBoost, FALSE);
  std::free(CONTAINING_RECORD(Irp, Request, irp));
}

NTSTATUS NTAPI IofCallDriver(PDEVICE_OBJECT /*DeviceObject*/, PIRP Irp) {
  CheckIrql("IoCallDriver", DISPATCH_LEVEL);
  if (Irp == nullptr) return STATUS_INVALID_PARAMETER;
  Irp->IoStatus.Status = STATUS_NO_SUCH_DEVICE;
  Irp->IoStatus.Information = 0;
  IofCompleteRequest(Irp, IO_NO_INCREMENT);
  return STATUS_NO_SUCH_DEVICE;
}

UCHAR NTAPI READ_PORT_UCHAR(PUCHAR Port) { return ReadPort(Port, "READ_PORT_UCHAR"); }
USHORT NTAPI READ_PORT_USHORT(PUSHORT Port) { return ReadPort(Port, "READ_PORT_USHORT"); }
ULONG NTAPI READ_PORT_ULONG(PULONG Port) { return ReadPort(Port, "READ_PORT_ULONG"); }
VOID NTAPI WRITE_PORT_UCHAR(PUCHAR Port, UCHAR Value) { WritePort(Port, Value, "WRITE_PORT_UCHAR"); }
VOID NTAPI WRITE_PORT_USHORT(PUSHORT Port, USHORT Value) { WritePort(Port, Value, "WRITE_PORT_USHORT"); }
VOID NTAPI WRITE_PORT_ULONG(PULONG Port, ULONG Value) { WritePort(Port, Value, "WRITE_PORT_ULONG"); }

#define TANDEM_PORT_BUFFER(name, type)                                                        \
  VOID NTAPI READ_PORT_BUFFER_##name(type* Port, type* Buffer, ULONG Count) {                 \
    for (ULONG i = 0; i < Count; ++i) Buffer[i] = ReadPort(Port, "READ_PORT_BUFFER_" #name);  \
  }                                                                                           \
  VOID NTAPI WRITE_PORT_BUFFER_##name(type* Port, type* Buffer, ULONG Count) {                \
    for (ULONG i = 0; i < Count; ++i) WritePort(Port, Buffer[i], "WRITE_PORT_BUFFER_" #name); \
  }
TANDEM_PORT_BUFFER(UCHAR, UCHAR)
TANDEM_PORT_BUFFER(USHORT, USHORT)
TANDEM_PORT_BUFFER(ULONG, ULONG)
#undef TANDEM_PORT_BUFFER
