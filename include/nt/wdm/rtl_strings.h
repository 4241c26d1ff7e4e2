// Further functions on counted strings and GUIDs. Part of wdm.h. Public page: wdm.h. PASSIVE_LEVEL where said.
#pragma once

#include "wdm/guid.h"
#include "wdm/rtl.h"

// Any IRQL.
EXTERN_C LONG NTAPI RtlCompareString(CONST STRING* String1, CONST STRING* String2, BOOLEAN CaseInSensitive);
EXTERN_C BOOLEAN NTAPI RtlEqualString(CONST STRING* String1, CONST STRING* String2, BOOLEAN CaseInSensitive);
EXTERN_C VOID NTAPI RtlCopyString(PSTRING DestinationString, CONST STRING* SourceString);
EXTERN_C CHAR NTAPI RtlUpperChar(CHAR Character);

// PASSIVE_LEVEL.
EXTERN_C BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive);
EXTERN_C WCHAR NTAPI RtlDowncaseUnicodeChar(WCHAR SourceCharacter);
EXTERN_C NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString,
                                               BOOLEAN AllocateDestinationString);
#define HASH_STRING_ALGORITHM_DEFAULT 0
#define HASH_STRING_ALGORITHM_X65599 1
EXTERN_C NTSTATUS NTAPI RtlHashUnicodeString(CONST UNICODE_STRING* String, BOOLEAN CaseInSensitive, ULONG HashAlgorithm,
                                             PULONG HashValue);
EXTERN_C NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base, PUNICODE_STRING String);
EXTERN_C NTSTATUS NTAPI RtlCharToInteger(PCSZ String, ULONG Base, PULONG Value);
// "{00000000-0000-0000-0000-000000000000}"; the text's memory comes from the pool and goes by RtlFreeUnicodeString.
EXTERN_C NTSTATUS NTAPI RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString);
EXTERN_C NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID* Guid);

#define RtlUshortByteSwap(Source) __builtin_bswap16(Source)
#define RtlUlongByteSwap(Source) __builtin_bswap32(Source)
#define RtlUlonglongByteSwap(Source) __builtin_bswap64(Source)
