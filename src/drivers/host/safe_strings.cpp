// The functions of ntstrsafe.h.
#include <ntddk.h>
#include <ntstrsafe.h>

#include "drivers/host/format.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

template <class Unit>
NTSTATUS Print(Unit* destination, SIZE_T count, const Unit* format, va_list list) {
  if (destination == nullptr || count == 0 || count > NTSTRSAFE_MAX_CCH) return STATUS_INVALID_PARAMETER;
  Arguments arguments;
  va_copy(arguments.list, list);
  TextBuffer text(destination, count);
  Format(text, format, arguments);
  va_end(arguments.list);
  return text.End() ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

template <class Unit>
SIZE_T LengthOf(const Unit* string, SIZE_T limit) {
  SIZE_T length = 0;
  while (length < limit && string[length] != 0) ++length;
  return length;
}

template <class Unit>
NTSTATUS Append(Unit* destination, SIZE_T count, SIZE_T start, const Unit* source) {
  if (destination == nullptr || count == 0 || start >= count) return STATUS_INVALID_PARAMETER;
  SIZE_T at = start;
  for (; *source != 0 && at + 1 < count; ++source) destination[at++] = *source;
  destination[at] = 0;
  return *source == 0 ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

template <class Unit>
NTSTATUS Measure(const Unit* string, SIZE_T limit, SIZE_T unit_bytes, PSIZE_T result) {
  const SIZE_T length = string == nullptr ? limit : LengthOf(string, limit);
  if (result != nullptr) *result = length < limit ? length * unit_bytes : 0;
  return length < limit ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace

NTSTATUS RtlStringCbVPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format, va_list Arguments) {
  CheckIrql("RtlStringCbVPrintfA", PASSIVE_LEVEL);
  return Print(Destination, Bytes, Format, Arguments);
}

NTSTATUS RtlStringCbVPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format, va_list Arguments) {
  CheckIrql("RtlStringCbVPrintfW", PASSIVE_LEVEL);
  return Print(Destination, Bytes / sizeof(WCHAR), Format, Arguments);
}

NTSTATUS RtlStringCbPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const NTSTATUS status = RtlStringCbVPrintfA(Destination, Bytes, Format, arguments);
  va_end(arguments);
  return status;
}

NTSTATUS RtlStringCbPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const NTSTATUS status = RtlStringCbVPrintfW(Destination, Bytes, Format, arguments);
  va_end(arguments);
  return status;
}

NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...) {
  CheckIrql("RtlUnicodeStringPrintf", PASSIVE_LEVEL);
  if (Destination == nullptr || Destination->Buffer == nullptr) return STATUS_INVALID_PARAMETER;
  // The string has no null character: a character more is counted and not written.
  const SIZE_T capacity = Destination->MaximumLength / sizeof(WCHAR);
  Arguments arguments;
  va_start(arguments.list, Format);
  TextBuffer text(Destination->Buffer, capacity + 1);
  tandem::drivers::host::Format(text, Format, arguments);
  va_end(arguments.list);
  const SIZE_T count = text.count() < capacity ? text.count() : capacity;
  Destination->Length = static_cast<USHORT>(count * sizeof(WCHAR));
  return text.count() <= capacity ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING Destination, PCWSTR Source) {
  RtlInitUnicodeString(Destination, Source);
  return STATUS_SUCCESS;
}

NTSTATUS RtlStringCbCopyA(PSTR Destination, SIZE_T Bytes, PCSTR Source) { return Append(Destination, Bytes, 0, Source); }

NTSTATUS RtlStringCbCopyW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source) {
  return Append(Destination, Bytes / sizeof(WCHAR), 0, Source);
}

NTSTATUS RtlStringCbCatA(PSTR Destination, SIZE_T Bytes, PCSTR Source) {
  return Append(Destination, Bytes, LengthOf(Destination, Bytes), Source);
}

NTSTATUS RtlStringCbCatW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source) {
  const SIZE_T count = Bytes / sizeof(WCHAR);
  return Append(Destination, count, LengthOf(Destination, count), Source);
}

NTSTATUS RtlStringCbLengthA(PCSTR String, SIZE_T MaximumBytes, PSIZE_T Bytes) { return Measure(String, MaximumBytes, 1, Bytes); }

NTSTATUS RtlStringCbLengthW(PCWSTR String, SIZE_T MaximumBytes, PSIZE_T Bytes) {
  return Measure(String, MaximumBytes / sizeof(WCHAR), sizeof(WCHAR), Bytes);
}

NTSTATUS RtlStringCchLengthW(PCWSTR String, SIZE_T Maximum, PSIZE_T Count) { return Measure(String, Maximum, 1, Count); }
