// The legacy video BIOS, which this machine lacks. See wdm/x86bios.h.
#include <ntddk.h>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

// The driver declares this one, with a structure of its own.
EXTERN_C BOOLEAN NTAPI x86BiosCall(ULONG /*Interrupt*/, PVOID /*Registers*/) {
  CheckIrql("x86BiosCall", PASSIVE_LEVEL);
  return FALSE;
}

NTSTATUS NTAPI x86BiosAllocateBuffer(ULONG* /*Size*/, USHORT* /*Segment*/, USHORT* /*Offset*/) {
  CheckIrql("x86BiosAllocateBuffer", PASSIVE_LEVEL);
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS NTAPI x86BiosFreeBuffer(USHORT /*Segment*/, USHORT /*Offset*/) {
  CheckIrql("x86BiosFreeBuffer", PASSIVE_LEVEL);
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS NTAPI x86BiosReadMemory(USHORT /*Segment*/, USHORT /*Offset*/, PVOID /*Buffer*/, ULONG /*Size*/) {
  CheckIrql("x86BiosReadMemory", PASSIVE_LEVEL);
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS NTAPI x86BiosWriteMemory(USHORT /*Segment*/, USHORT /*Offset*/, PVOID /*Buffer*/, ULONG /*Size*/) {
  CheckIrql("x86BiosWriteMemory", PASSIVE_LEVEL);
  return STATUS_NOT_SUPPORTED;
}
