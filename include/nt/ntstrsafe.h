// String functions with bounds. Public page: ntstrsafe.h. PASSIVE_LEVEL. STATUS_BUFFER_OVERFLOW: the text was cut; it ends with a
// null character all the same.
#pragma once

#include "ntdef.h"
#include "wdm/rtl.h"

#define NTSTRSAFE_MAX_CCH 2147483647
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH 32767
#define STRSAFE_MAX_CCH NTSTRSAFE_MAX_CCH
typedef CHAR* NTSTRSAFE_PSTR;
typedef CONST CHAR* NTSTRSAFE_PCSTR;
typedef WCHAR* NTSTRSAFE_PWSTR;
typedef CONST WCHAR* NTSTRSAFE_PCWSTR;

// Sizes in bytes.
EXTERN_C NTSTATUS RtlStringCbPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format, ...);
EXTERN_C NTSTATUS RtlStringCbPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format, ...);
EXTERN_C NTSTATUS RtlStringCbVPrintfA(PSTR Destination, SIZE_T Bytes, PCSTR Format, va_list Arguments);
EXTERN_C NTSTATUS RtlStringCbVPrintfW(PWSTR Destination, SIZE_T Bytes, PCWSTR Format, va_list Arguments);
EXTERN_C NTSTATUS RtlStringCbCopyA(PSTR Destination, SIZE_T Bytes, PCSTR Source);
EXTERN_C NTSTATUS RtlStringCbCopyW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source);
EXTERN_C NTSTATUS RtlStringCbCatA(PSTR Destination, SIZE_T Bytes, PCSTR Source);
EXTERN_C NTSTATUS RtlStringCbCatW(PWSTR Destination, SIZE_T Bytes, PCWSTR Source);
EXTERN_C NTSTATUS RtlStringCbLengthA(PCSTR String, SIZE_T MaximumBytes, PSIZE_T Bytes);
EXTERN_C NTSTATUS RtlStringCbLengthW(PCWSTR String, SIZE_T MaximumBytes, PSIZE_T Bytes);
// Sizes in characters.
#define RtlStringCchPrintfA(Destination, Count, ...) RtlStringCbPrintfA(Destination, Count, __VA_ARGS__)
#define RtlStringCchPrintfW(Destination, Count, ...) RtlStringCbPrintfW(Destination, (Count) * sizeof(WCHAR), __VA_ARGS__)
#define RtlStringCchVPrintfA(Destination, Count, Format, Arguments) RtlStringCbVPrintfA(Destination, Count, Format, Arguments)
#define RtlStringCchVPrintfW(Destination, Count, Format, Arguments) \
  RtlStringCbVPrintfW(Destination, (Count) * sizeof(WCHAR), Format, Arguments)
#define RtlStringCchCopyA(Destination, Count, Source) RtlStringCbCopyA(Destination, Count, Source)
#define RtlStringCchCopyW(Destination, Count, Source) RtlStringCbCopyW(Destination, (Count) * sizeof(WCHAR), Source)
#define RtlStringCchCatA(Destination, Count, Source) RtlStringCbCatA(Destination, Count, Source)
#define RtlStringCchCatW(Destination, Count, Source) RtlStringCbCatW(Destination, (Count) * sizeof(WCHAR), Source)
#define RtlStringCchLengthA(String, Maximum, Count) RtlStringCbLengthA(String, Maximum, Count)
EXTERN_C NTSTATUS RtlStringCchLengthW(PCWSTR String, SIZE_T Maximum, PSIZE_T Count);

EXTERN_C NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...);
EXTERN_C NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING Destination, PCWSTR Source);
