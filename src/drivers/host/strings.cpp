// Counted strings of the run-time library, and the C library's functions on 16-bit characters.
#include <ntddk.h>

#include <cstring>

#include "drivers/host/kernel.h"
#include "drivers/host/pool.h"

using namespace tandem::drivers::host;

namespace {

constexpr ULONG kStringTag = 0x67727453;  // 'Strg', as Windows shows it.
constexpr USHORT kLongestBytes = 65534;

// Makes room for `bytes`, and the null character when memory is allocated.
template <class String>
NTSTATUS MakeRoom(String* string, SIZE_T bytes, SIZE_T unit, bool allocate) {
  if (bytes > kLongestBytes) return STATUS_INVALID_PARAMETER_2;
  string->Length = static_cast<USHORT>(bytes);
  if (!allocate) return bytes <= string->MaximumLength ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
  string->MaximumLength = static_cast<USHORT>(bytes + unit);
  void* const memory =
      ServiceFails("RtlAnsiStringToUnicodeString") ? nullptr : Allocate(PoolKind::kPool, bytes + unit, kStringTag, true);
  string->Buffer = static_cast<decltype(string->Buffer)>(memory);
  return string->Buffer == nullptr ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

template <class String>
void FreeString(String* string) {
  if (string->Buffer != nullptr) Free(PoolKind::kPool, string->Buffer, 0);
  *string = String{};
}

template <class Unit>
SIZE_T LengthOf(const Unit* string) {
  SIZE_T length = 0;
  while (string[length] != 0) ++length;
  return length;
}

}  // namespace

SIZE_T NTAPI RtlCompareMemory(CONST VOID* Source1, CONST VOID* Source2, SIZE_T Length) {
  const auto* const left = static_cast<const unsigned char*>(Source1);
  const auto* const right = static_cast<const unsigned char*>(Source2);
  SIZE_T equal = 0;
  while (equal < Length && left[equal] == right[equal]) ++equal;
  return equal;
}

VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString) {
  *DestinationString = UNICODE_STRING{0, 0, const_cast<PWSTR>(SourceString)};
  if (SourceString == nullptr) return;
  const SIZE_T bytes = LengthOf(SourceString) * sizeof(WCHAR);
  DestinationString->Length = static_cast<USHORT>(bytes < kLongestBytes ? bytes : kLongestBytes - sizeof(WCHAR));
  DestinationString->MaximumLength = static_cast<USHORT>(DestinationString->Length + sizeof(WCHAR));
}

VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString) {
  *DestinationString = ANSI_STRING{0, 0, const_cast<PCHAR>(SourceString)};
  if (SourceString == nullptr) return;
  const SIZE_T bytes = LengthOf(SourceString);
  DestinationString->Length = static_cast<USHORT>(bytes < kLongestBytes ? bytes : kLongestBytes - 1);
  DestinationString->MaximumLength = static_cast<USHORT>(DestinationString->Length + 1);
}

NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString, PCANSI_STRING SourceString,
                                            BOOLEAN AllocateDestinationString) {
  CheckIrql("RtlAnsiStringToUnicodeString", PASSIVE_LEVEL);
  const NTSTATUS status =
      MakeRoom(DestinationString, SourceString->Length * sizeof(WCHAR), sizeof(WCHAR), AllocateDestinationString != FALSE);
  if (!NT_SUCCESS(status)) return status;
  for (USHORT i = 0; i < SourceString->Length; ++i) {
    DestinationString->Buffer[i] = static_cast<WCHAR>(static_cast<unsigned char>(SourceString->Buffer[i]));
  }
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString, PCUNICODE_STRING SourceString,
                                            BOOLEAN AllocateDestinationString) {
  CheckIrql("RtlUnicodeStringToAnsiString", PASSIVE_LEVEL);
  const SIZE_T count = SourceString->Length / sizeof(WCHAR);
  const NTSTATUS status = MakeRoom(DestinationString, count, 1, AllocateDestinationString != FALSE);
  if (!NT_SUCCESS(status)) return status;
  for (SIZE_T i = 0; i < count; ++i) {
    const WCHAR unit = SourceString->Buffer[i];
    DestinationString->Buffer[i] = unit < 0x100 ? static_cast<char>(unit) : '?';
  }
  return STATUS_SUCCESS;
}

VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString) {
  CheckIrql("RtlFreeUnicodeString", PASSIVE_LEVEL);
  FreeString(UnicodeString);
}

VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString) {
  CheckIrql("RtlFreeAnsiString", PASSIVE_LEVEL);
  FreeString(AnsiString);
}

VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
  DestinationString->Length = 0;
  if (SourceString != nullptr) RtlAppendUnicodeStringToString(DestinationString, SourceString);
}

NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source) {
  UNICODE_STRING source;
  RtlInitUnicodeString(&source, Source);
  return RtlAppendUnicodeStringToString(Destination, &source);
}

NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  if (Source->Length > Destination->MaximumLength - Destination->Length) return STATUS_BUFFER_TOO_SMALL;
  if (Source->Length == 0) return STATUS_SUCCESS;
  std::memmove(reinterpret_cast<char*>(Destination->Buffer) + Destination->Length, Source->Buffer, Source->Length);
  Destination->Length = static_cast<USHORT>(Destination->Length + Source->Length);
  return STATUS_SUCCESS;
}

WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter) {
  const bool is_lower = (SourceCharacter >= 'a' && SourceCharacter <= 'z') ||
                        (SourceCharacter >= 0xE0 && SourceCharacter <= 0xFE && SourceCharacter != 0xF7);
  return is_lower ? static_cast<WCHAR>(SourceCharacter - 32) : SourceCharacter;
}

LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  const SIZE_T left = String1->Length / sizeof(WCHAR), right = String2->Length / sizeof(WCHAR);
  for (SIZE_T i = 0; i < left && i < right; ++i) {
    const WCHAR a = CaseInSensitive ? RtlUpcaseUnicodeChar(String1->Buffer[i]) : String1->Buffer[i];
    const WCHAR b = CaseInSensitive ? RtlUpcaseUnicodeChar(String2->Buffer[i]) : String2->Buffer[i];
    if (a != b) return static_cast<LONG>(a) - static_cast<LONG>(b);
  }
  return static_cast<LONG>(left) - static_cast<LONG>(right);
}

BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  return RtlCompareUnicodeString(String1, String2, CaseInSensitive) == 0 ? TRUE : FALSE;
}

NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String) {
  CheckIrql("RtlIntegerToUnicodeString", PASSIVE_LEVEL);
  if (Base == 0) Base = 10;
  if (Base != 2 && Base != 8 && Base != 10 && Base != 16) return STATUS_INVALID_PARAMETER;
  WCHAR digits[33];
  USHORT count = 0;
  do {
    digits[count++] = static_cast<WCHAR>("0123456789ABCDEF"[Value % Base]);
    Value /= Base;
  } while (Value != 0);
  if (count * sizeof(WCHAR) > String->MaximumLength) return STATUS_BUFFER_OVERFLOW;
  for (USHORT i = 0; i < count; ++i) String->Buffer[i] = digits[count - 1 - i];
  String->Length = static_cast<USHORT>(count * sizeof(WCHAR));
  if (String->Length < String->MaximumLength) String->Buffer[count] = 0;
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value) {
  CheckIrql("RtlUnicodeStringToInteger", PASSIVE_LEVEL);
  const SIZE_T count = String->Length / sizeof(WCHAR);
  SIZE_T at = 0;
  while (at < count && String->Buffer[at] <= ' ') ++at;
  const bool negative = at < count && String->Buffer[at] == '-';
  if (at < count && (String->Buffer[at] == '-' || String->Buffer[at] == '+')) ++at;
  if (Base == 0) {
    Base = 10;
    if (at + 1 < count && String->Buffer[at] == '0') {
      const WCHAR mark = String->Buffer[at + 1];
      Base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
      if (Base != 10) at += 2;
    }
  }
  if (Base != 2 && Base != 8 && Base != 10 && Base != 16) return STATUS_INVALID_PARAMETER;
  ULONG value = 0;
  for (; at < count; ++at) {
    const WCHAR unit = RtlUpcaseUnicodeChar(String->Buffer[at]);
    const ULONG digit = unit >= '0' && unit <= '9' ? unit - '0' : unit >= 'A' && unit <= 'F' ? unit - 'A' + 10u : 16;
    if (digit >= Base) break;
    value = value * Base + digit;
  }
  *Value = negative ? 0 - value : value;
  return STATUS_SUCCESS;
}
