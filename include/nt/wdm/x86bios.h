// The HAL's door to a legacy video BIOS, which display drivers for VGA declare themselves. The frame buffer has one with the VBE
// functions 4F00 to 4F03; others answer AX = 0100. On a machine without, as one that starts by UEFI alone, x86BiosCall answers
// FALSE, and there is no memory for its buffers. Memory of the BIOS is the buffer alone. Part of ntddk.h.
#pragma once

#include "ntdef.h"

EXTERN_C NTSTATUS NTAPI x86BiosAllocateBuffer(ULONG* Size, USHORT* Segment, USHORT* Offset);
EXTERN_C NTSTATUS NTAPI x86BiosFreeBuffer(USHORT Segment, USHORT Offset);
EXTERN_C NTSTATUS NTAPI x86BiosReadMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size);
EXTERN_C NTSTATUS NTAPI x86BiosWriteMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size);

// A literal may stand for the buffer, as with Microsoft's compiler.
#if defined(TANDEM_NT_DRIVER) && defined(__cplusplus)
extern "C++" {
inline NTSTATUS x86BiosWriteMemory(USHORT Segment, USHORT Offset, CONST CHAR* Text, ULONG Size) {
  return x86BiosWriteMemory(Segment, Offset, (PVOID)Text, Size);
}
}
#endif
