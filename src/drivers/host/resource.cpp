// Lengths of memory and port resources. See wdm/resource.h.
#include <ntddk.h>

namespace {

struct Encoding {
  USHORT flag;
  unsigned shift;  // The length is a multiple of 2^shift, and fits 32 bits after it.
};

constexpr Encoding kLargeEncodings[] = {
    {CM_RESOURCE_MEMORY_LARGE_40, 8}, {CM_RESOURCE_MEMORY_LARGE_48, 16}, {CM_RESOURCE_MEMORY_LARGE_64, 32}};

}  // namespace

ULONGLONG NTAPI RtlCmDecodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor, PULONGLONG Start) {
  if (Start != nullptr) *Start = static_cast<ULONGLONG>(Descriptor->u.Generic.Start.QuadPart);
  if (Descriptor->Type == CmResourceTypeMemory || Descriptor->Type == CmResourceTypePort) return Descriptor->u.Generic.Length;
  if (Descriptor->Type != CmResourceTypeMemoryLarge) return 0;
  for (const Encoding& encoding : kLargeEncodings) {
    if ((Descriptor->Flags & CM_RESOURCE_MEMORY_LARGE) != encoding.flag) continue;
    return static_cast<ULONGLONG>(Descriptor->u.Memory40.Length40) << encoding.shift;
  }
  return 0;
}

NTSTATUS NTAPI RtlCmEncodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor, UCHAR Type, ULONGLONG Length,
                                        ULONGLONG Start) {
  const auto encode = [&](ULONG length, USHORT flag) {
    Descriptor->Type = Type;
    Descriptor->Flags = static_cast<USHORT>((Descriptor->Flags & ~CM_RESOURCE_MEMORY_LARGE) | flag);
    Descriptor->u.Generic.Start.QuadPart = static_cast<LONGLONG>(Start);
    Descriptor->u.Generic.Length = length;
    return STATUS_SUCCESS;
  };
  if (Type == CmResourceTypeMemory || Type == CmResourceTypePort) {
    return Length <= MAXULONG ? encode(static_cast<ULONG>(Length), 0) : STATUS_UNSUCCESSFUL;
  }
  if (Type != CmResourceTypeMemoryLarge) return STATUS_INVALID_PARAMETER;
  for (const Encoding& encoding : kLargeEncodings) {
    const ULONGLONG units = Length >> encoding.shift;
    if (units <= MAXULONG && units << encoding.shift == Length) return encode(static_cast<ULONG>(units), encoding.flag);
  }
  return STATUS_UNSUCCESSFUL;
}
