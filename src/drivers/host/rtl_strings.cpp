// Further functions on counted strings and GUIDs. See wdm/rtl_strings.h.
#include <ntddk.h>
#include <ntstrsafe.h>

#include <cstring>

#include "drivers/host/kernel.h"
#include "drivers/host/pool.h"

using namespace tandem::drivers::host;

namespace {

constexpr ULONG kStringTag = 0x67727453;  // 'Strg', as Windows shows it.
constexpr SIZE_T kGuidUnits = 38;

// 16 and more: no digit.
ULONG DigitOf(unsigned unit) {
  if (unit >= '0' && unit <= '9') return unit - '0';
  if (unit >= 'a' && unit <= 'f') return unit - 'a' + 10;
  return unit >= 'A' && unit <= 'F' ? unit - 'A' + 10 : 16;
}

// Two digits of a GUID's text at `at`; false: one is no digit.
bool ReadByte(const WCHAR* at, unsigned char* byte) {
  const ULONG high = DigitOf(at[0]), low = DigitOf(at[1]);
  *byte = static_cast<unsigned char>(high * 16 + low);
  return high < 16 && low < 16;
}

}  // namespace

LONG NTAPI RtlCompareString(CONST STRING* String1, CONST STRING* String2, BOOLEAN CaseInSensitive) {
  const USHORT shorter = String1->Length < String2->Length ? String1->Length : String2->Length;
  for (USHORT i = 0; i < shorter; ++i) {
    const CHAR left = CaseInSensitive != FALSE ? RtlUpperChar(String1->Buffer[i]) : String1->Buffer[i];
    const CHAR right = CaseInSensitive != FALSE ? RtlUpperChar(String2->Buffer[i]) : String2->Buffer[i];
    if (left != right) return static_cast<unsigned char>(left) - static_cast<unsigned char>(right);
  }
  return String1->Length - String2->Length;
}

BOOLEAN NTAPI RtlEqualString(CONST STRING* String1, CONST STRING* String2, BOOLEAN CaseInSensitive) {
  return RtlCompareString(String1, String2, CaseInSensitive) == 0 ? TRUE : FALSE;
}

VOID NTAPI RtlCopyString(PSTRING DestinationString, CONST STRING* SourceString) {
  DestinationString->Length = 0;
  if (SourceString == nullptr) return;
  const USHORT most = DestinationString->MaximumLength;
  DestinationString->Length = SourceString->Length < most ? SourceString->Length : most;
  std::memcpy(DestinationString->Buffer, SourceString->Buffer, DestinationString->Length);
}

CHAR NTAPI RtlUpperChar(CHAR Character) {
  return Character >= 'a' && Character <= 'z' ? static_cast<CHAR>(Character - 32) : Character;
}

BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  CheckIrql("RtlPrefixUnicodeString", PASSIVE_LEVEL);
  if (String1->Length > String2->Length) return FALSE;
  const UNICODE_STRING begin{String1->Length, String1->Length, String2->Buffer};
  return RtlEqualUnicodeString(String1, &begin, CaseInSensitive);
}

WCHAR NTAPI RtlDowncaseUnicodeChar(WCHAR SourceCharacter) {
  CheckIrql("RtlDowncaseUnicodeChar", PASSIVE_LEVEL);
  const bool latin = SourceCharacter >= 0xC0 && SourceCharacter <= 0xDE && SourceCharacter != 0xD7;
  const bool ascii = SourceCharacter >= 'A' && SourceCharacter <= 'Z';
  return ascii || latin ? static_cast<WCHAR>(SourceCharacter + 32) : SourceCharacter;
}

NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString,
                                      BOOLEAN AllocateDestinationString) {
  CheckIrql("RtlUpcaseUnicodeString", PASSIVE_LEVEL);
  if (AllocateDestinationString != FALSE) {
    DestinationString->MaximumLength = SourceString->Length;
    DestinationString->Buffer = ServiceFails("RtlUpcaseUnicodeString")
                                    ? nullptr
                                    : static_cast<PWSTR>(Allocate(PoolKind::kPool, SourceString->Length, kStringTag, true));
    if (DestinationString->Buffer == nullptr) return STATUS_NO_MEMORY;
  } else if (SourceString->Length > DestinationString->MaximumLength) {
    return STATUS_BUFFER_OVERFLOW;
  }
  DestinationString->Length = SourceString->Length;
  for (SIZE_T i = 0; i < SourceString->Length / sizeof(WCHAR); ++i) {
    DestinationString->Buffer[i] = RtlUpcaseUnicodeChar(SourceString->Buffer[i]);
  }
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlHashUnicodeString(CONST UNICODE_STRING* String, BOOLEAN CaseInSensitive, ULONG HashAlgorithm,
                                    PULONG HashValue) {
  CheckIrql("RtlHashUnicodeString", PASSIVE_LEVEL);
  if (String == nullptr || HashValue == nullptr || HashAlgorithm > HASH_STRING_ALGORITHM_X65599) return STATUS_INVALID_PARAMETER;
  ULONG hash = 0;
  for (SIZE_T i = 0; i < String->Length / sizeof(WCHAR); ++i) {
    hash = hash * 65599 + (CaseInSensitive != FALSE ? RtlUpcaseUnicodeChar(String->Buffer[i]) : String->Buffer[i]);
  }
  *HashValue = hash;
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base, PUNICODE_STRING String) {
  CheckIrql("RtlInt64ToUnicodeString", PASSIVE_LEVEL);
  if (Base == 0) Base = 10;
  if (Base != 2 && Base != 8 && Base != 10 && Base != 16) return STATUS_INVALID_PARAMETER;
  WCHAR digits[64];
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

NTSTATUS NTAPI RtlCharToInteger(PCSZ String, ULONG Base, PULONG Value) {
  CheckIrql("RtlCharToInteger", PASSIVE_LEVEL);
  WCHAR units[64];
  USHORT count = 0;
  while (String[count] != '\0' && count < 64) {
    units[count] = static_cast<unsigned char>(String[count]);
    ++count;
  }
  const auto bytes = static_cast<USHORT>(count * sizeof(WCHAR));
  const UNICODE_STRING text{bytes, bytes, units};
  return RtlUnicodeStringToInteger(&text, Base, Value);
}

NTSTATUS NTAPI RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString) {
  CheckIrql("RtlStringFromGUID", PASSIVE_LEVEL);
  constexpr USHORT kBytes = (kGuidUnits + 1) * sizeof(WCHAR);
  void* const memory = ServiceFails("RtlStringFromGUID") ? nullptr : Allocate(PoolKind::kPool, kBytes, kStringTag, true);
  if (memory == nullptr) return STATUS_NO_MEMORY;
  *GuidString = UNICODE_STRING{kBytes - sizeof(WCHAR), kBytes, static_cast<PWSTR>(memory)};
  const UCHAR* const rest = Guid.Data4;
  return RtlStringCbPrintfW(GuidString->Buffer, kBytes, u"{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}", Guid.Data1,
                            Guid.Data2, Guid.Data3, rest[0], rest[1], rest[2], rest[3], rest[4], rest[5], rest[6], rest[7]);
}

NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID* Guid) {
  CheckIrql("RtlGUIDFromString", PASSIVE_LEVEL);
  static constexpr unsigned char kPlaces[] = {1, 3, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27, 29, 31, 33, 35};
  const WCHAR* const text = GuidString->Buffer;
  if (GuidString->Length < kGuidUnits * sizeof(WCHAR)) return STATUS_INVALID_PARAMETER;
  const bool marks = text[0] == '{' && text[9] == '-' && text[14] == '-' && text[19] == '-' && text[24] == '-' && text[37] == '}';
  unsigned char bytes[16];
  bool digits = true;
  for (int i = 0; i < 16; ++i) digits = ReadByte(text + kPlaces[i], &bytes[i]) && digits;
  if (!marks || !digits) return STATUS_INVALID_PARAMETER;
  Guid->Data1 = ULONG{bytes[0]} << 24 | ULONG{bytes[1]} << 16 | ULONG{bytes[2]} << 8 | bytes[3];
  Guid->Data2 = static_cast<USHORT>(bytes[4] << 8 | bytes[5]);
  Guid->Data3 = static_cast<USHORT>(bytes[6] << 8 | bytes[7]);
  std::memcpy(Guid->Data4, bytes + 8, sizeof(Guid->Data4));
  return STATUS_SUCCESS;
}
