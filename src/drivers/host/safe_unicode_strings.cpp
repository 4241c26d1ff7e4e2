// The functions of ntstrsafe.h on counted strings.
#include <ntddk.h>
#include <ntstrsafe.h>

#include <cstring>

#include "drivers/host/format.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr SIZE_T kMostBytes = SIZE_T{NTSTRSAFE_UNICODE_STRING_MAX_CCH} * sizeof(WCHAR);

// Puts units behind the first `bytes` of the destination.
NTSTATUS Append(PUNICODE_STRING destination, SIZE_T bytes, PCWSTR source, SIZE_T source_bytes) {
  const NTSTATUS valid = RtlUnicodeStringValidate(destination);
  if (!NT_SUCCESS(valid)) return valid;
  const SIZE_T room = destination->MaximumLength / sizeof(WCHAR) * sizeof(WCHAR) - bytes;
  const SIZE_T copied = source_bytes < room ? source_bytes : room;
  if (copied != 0) std::memmove(reinterpret_cast<char*>(destination->Buffer) + bytes, source, copied);
  destination->Length = static_cast<USHORT>(bytes + copied);
  return copied == source_bytes ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

SIZE_T BytesOf(PCWSTR source) {
  SIZE_T count = 0;
  while (source[count] != 0) ++count;
  return count * sizeof(WCHAR);
}

}  // namespace

NTSTATUS RtlUnicodeStringVPrintf(PUNICODE_STRING Destination, PCWSTR Format, va_list Arguments) {
  CheckIrql("RtlUnicodeStringVPrintf", PASSIVE_LEVEL);
  if (Destination == nullptr || Destination->Buffer == nullptr) return STATUS_INVALID_PARAMETER;
  // The string has no null character: a character more is counted and not written.
  const SIZE_T capacity = Destination->MaximumLength / sizeof(WCHAR);
  tandem::drivers::host::Arguments arguments;
  va_copy(arguments.list, Arguments);
  TextBuffer text(Destination->Buffer, capacity + 1);
  tandem::drivers::host::Format(text, Format, arguments);
  va_end(arguments.list);
  const SIZE_T count = text.count() < capacity ? text.count() : capacity;
  Destination->Length = static_cast<USHORT>(count * sizeof(WCHAR));
  return text.count() <= capacity ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const NTSTATUS status = RtlUnicodeStringVPrintf(Destination, Format, arguments);
  va_end(arguments);
  return status;
}

NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING Destination, PCWSTR Source) {
  if (Destination == nullptr) return STATUS_INVALID_PARAMETER;
  *Destination = UNICODE_STRING{0, 0, nullptr};
  if (Source != nullptr && BytesOf(Source) > kMostBytes) return STATUS_INVALID_PARAMETER;
  RtlInitUnicodeString(Destination, Source);
  return STATUS_SUCCESS;
}

NTSTATUS RtlUnicodeStringValidate(PCUNICODE_STRING String) {
  if (String == nullptr) return STATUS_INVALID_PARAMETER;
  const bool whole = String->Length % sizeof(WCHAR) == 0 && String->MaximumLength % sizeof(WCHAR) == 0;
  const bool fits = String->Length <= String->MaximumLength && String->MaximumLength <= kMostBytes;
  const bool has_buffer = String->Buffer != nullptr || String->MaximumLength == 0;
  return whole && fits && has_buffer ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  const NTSTATUS valid = RtlUnicodeStringValidate(Source);
  return NT_SUCCESS(valid) ? Append(Destination, 0, Source->Buffer, Source->Length) : valid;
}

NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING Destination, PCWSTR Source) {
  return Append(Destination, 0, Source, BytesOf(Source));
}

NTSTATUS RtlUnicodeStringCat(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  const NTSTATUS valid = RtlUnicodeStringValidate(Source);
  if (!NT_SUCCESS(valid) || Destination == nullptr) return STATUS_INVALID_PARAMETER;
  return Append(Destination, Destination->Length, Source->Buffer, Source->Length);
}

NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING Destination, PCWSTR Source) {
  if (Destination == nullptr) return STATUS_INVALID_PARAMETER;
  return Append(Destination, Destination->Length, Source, BytesOf(Source));
}
