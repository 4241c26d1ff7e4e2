// Requests to other drivers, files and I/O ports: the process has none. See wdm/io.h.
#include <ntddk.h>

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
  Report(Rule::kPort, "%s accesses port 0x%zx; the device has no ports.", function, reinterpret_cast<std::size_t>(port));
}

}  // namespace

NTSTATUS NTAPI ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK /*DesiredAccess*/, POBJECT_ATTRIBUTES /*ObjectAttributes*/,
                            PIO_STATUS_BLOCK IoStatusBlock, PLARGE_INTEGER /*AllocationSize*/, ULONG /*FileAttributes*/,
                            ULONG /*ShareAccess*/, ULONG /*CreateDisposition*/, ULONG /*CreateOptions*/, PVOID /*EaBuffer*/,
                            ULONG /*EaLength*/) {
  CheckIrql("ZwCreateFile", PASSIVE_LEVEL);
  *FileHandle = nullptr;
  IoStatusBlock->Information = 0;
  return IoStatusBlock->Status = STATUS_OBJECT_NAME_NOT_FOUND;
}

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

// Completes the request, which frees it, as the I/O manager does for requests that a driver built.
NTSTATUS NTAPI IofCallDriver(PDEVICE_OBJECT /*DeviceObject*/, PIRP Irp) {
  CheckIrql("IoCallDriver", DISPATCH_LEVEL);
  if (Irp == nullptr) return STATUS_INVALID_PARAMETER;
  if (Irp->UserIosb != nullptr) {
    Irp->UserIosb->Status = STATUS_NO_SUCH_DEVICE;
    Irp->UserIosb->Information = 0;
  }
  if (Irp->UserEvent != nullptr) KeSetEvent(Irp->UserEvent, IO_NO_INCREMENT, FALSE);
  std::free(CONTAINING_RECORD(Irp, Request, irp));
  return STATUS_NO_SUCH_DEVICE;
}

UCHAR NTAPI READ_PORT_UCHAR(PUCHAR Port) {
  ReportPort("READ_PORT_UCHAR", Port);
  return 0xFF;
}
USHORT NTAPI READ_PORT_USHORT(PUSHORT Port) {
  ReportPort("READ_PORT_USHORT", Port);
  return 0xFFFF;
}
ULONG NTAPI READ_PORT_ULONG(PULONG Port) {
  ReportPort("READ_PORT_ULONG", Port);
  return 0xFFFFFFFF;
}
VOID NTAPI WRITE_PORT_UCHAR(PUCHAR Port, UCHAR /*Value*/) { ReportPort("WRITE_PORT_UCHAR", Port); }
VOID NTAPI WRITE_PORT_USHORT(PUSHORT Port, USHORT /*Value*/) { ReportPort("WRITE_PORT_USHORT", Port); }
VOID NTAPI WRITE_PORT_ULONG(PULONG Port, ULONG /*Value*/) { ReportPort("WRITE_PORT_ULONG", Port); }
VOID NTAPI WRITE_PORT_BUFFER_UCHAR(PUCHAR Port, PUCHAR /*Buffer*/, ULONG /*Count*/) {
  ReportPort("WRITE_PORT_BUFFER_UCHAR", Port);
}
