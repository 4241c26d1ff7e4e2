// String functions with bounds. Public page: ntstrsafe.h. PASSIVE_LEVEL. STATUS_BUFFER_OVERFLOW: the text was cut; it ends with a
// null character all the same.
#pragma once

#include "ntdef.h"
#include "wdm/rtl.h"

#define NTSTRSAFE_MAX_CCH 2147483647
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH 32767
#define NTSTRSAFE_MAX_LENGTH (NTSTRSAFE_MAX_CCH - 1)
#define STRSAFE_MAX_CCH NTSTRSAFE_MAX_CCH
typedef CHAR* NTSTRSAFE_PSTR;
typedef CONST CHAR* NTSTRSAFE_PCSTR;
typedef WCHAR* NTSTRSAFE_PWSTR;
typedef CONST WCHAR* NTSTRSAFE_PCWSTR;

// Flags of the functions with Ex. The low byte is the one that fills.
#define STRSAFE_FILL_BYTE(byte) ((ULONG)(((byte)&0xFF) | STRSAFE_FILL_BEHIND_NULL))
#define STRSAFE_FAILURE_BYTE(byte) ((ULONG)(((byte)&0xFF) | STRSAFE_FILL_ON_FAILURE))
#define STRSAFE_IGNORE_NULLS 0x00000100
#define STRSAFE_FILL_BEHIND_NULL 0x00000200
#define STRSAFE_FILL_ON_FAILURE 0x00000400
#define STRSAFE_NULL_ON_FAILURE 0x00000800
#define STRSAFE_NO_TRUNCATION 0x00001000
#define STRSAFE_ZERO_LENGTH_ON_FAILURE STRSAFE_NULL_ON_FAILURE

// Kind Cb: sizes in bytes; Cch: in characters. Width A: CHAR; W: WCHAR. Remaining counts the null character, too.
#define TANDEM_STRSAFE(Kind, Width, Unit)                                                                                        \
  EXTERN_C NTSTATUS RtlString##Kind##Copy##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source);                            \
  EXTERN_C NTSTATUS RtlString##Kind##CopyEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, Unit** End,               \
                                                   SIZE_T* Remaining, ULONG Flags);                                              \
  EXTERN_C NTSTATUS RtlString##Kind##CopyN##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most);              \
  EXTERN_C NTSTATUS RtlString##Kind##CopyNEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most, Unit** End, \
                                                    SIZE_T* Remaining, ULONG Flags);                                             \
  EXTERN_C NTSTATUS RtlString##Kind##Cat##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source);                             \
  EXTERN_C NTSTATUS RtlString##Kind##CatEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, Unit** End,                \
                                                  SIZE_T* Remaining, ULONG Flags);                                               \
  EXTERN_C NTSTATUS RtlString##Kind##CatN##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most);               \
  EXTERN_C NTSTATUS RtlString##Kind##CatNEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most, Unit** End,  \
                                                   SIZE_T* Remaining, ULONG Flags);                                              \
  EXTERN_C NTSTATUS RtlString##Kind##Printf##Width(Unit* Destination, SIZE_T Size, CONST Unit* Format, ...);                     \
  EXTERN_C NTSTATUS RtlString##Kind##PrintfEx##Width(Unit* Destination, SIZE_T Size, Unit** End, SIZE_T* Remaining, ULONG Flags, \
                                                     CONST Unit* Format, ...);                                                   \
  EXTERN_C NTSTATUS RtlString##Kind##VPrintf##Width(Unit* Destination, SIZE_T Size, CONST Unit* Format, va_list Arguments);      \
  EXTERN_C NTSTATUS RtlString##Kind##VPrintfEx##Width(Unit* Destination, SIZE_T Size, Unit** End, SIZE_T* Remaining,             \
                                                      ULONG Flags, CONST Unit* Format, va_list Arguments);                       \
  EXTERN_C NTSTATUS RtlString##Kind##Length##Width(CONST Unit* String, SIZE_T Maximum, SIZE_T* Length);
TANDEM_STRSAFE(Cb, A, CHAR)
TANDEM_STRSAFE(Cb, W, WCHAR)
TANDEM_STRSAFE(Cch, A, CHAR)
TANDEM_STRSAFE(Cch, W, WCHAR)
#undef TANDEM_STRSAFE

// SIZE_T is unsigned long long, size_t unsigned long: on Windows they are one type, and a driver points to either.
#if defined(TANDEM_NT_DRIVER) && defined(__cplusplus)
extern "C++" {
template <class Count>
struct TandemNtSizeStatus {};
template <>
struct TandemNtSizeStatus<size_t> {
  typedef NTSTATUS Status;
};
#define TANDEM_STRSAFE_SIZES(Kind, Width, Unit)                                                                           \
  template <class Count>                                                                                                  \
  inline typename TandemNtSizeStatus<Count>::Status RtlString##Kind##Length##Width(CONST Unit* String, SIZE_T Maximum,    \
                                                                                   Count* Length) {                       \
    return RtlString##Kind##Length##Width(String, Maximum, (SIZE_T*)Length);                                              \
  }                                                                                                                       \
  template <class Count>                                                                                                  \
  inline typename TandemNtSizeStatus<Count>::Status RtlString##Kind##CopyEx##Width(                                       \
      Unit* Destination, SIZE_T Size, CONST Unit* Source, Unit** End, Count* Remaining, ULONG Flags) {                    \
    return RtlString##Kind##CopyEx##Width(Destination, Size, Source, End, (SIZE_T*)Remaining, Flags);                     \
  }                                                                                                                       \
  template <class Count>                                                                                                  \
  inline typename TandemNtSizeStatus<Count>::Status RtlString##Kind##CatEx##Width(                                        \
      Unit* Destination, SIZE_T Size, CONST Unit* Source, Unit** End, Count* Remaining, ULONG Flags) {                    \
    return RtlString##Kind##CatEx##Width(Destination, Size, Source, End, (SIZE_T*)Remaining, Flags);                      \
  }                                                                                                                       \
  template <class Count>                                                                                                  \
  inline typename TandemNtSizeStatus<Count>::Status RtlString##Kind##VPrintfEx##Width(                                    \
      Unit* Destination, SIZE_T Size, Unit** End, Count* Remaining, ULONG Flags, CONST Unit* Format, va_list Arguments) { \
    return RtlString##Kind##VPrintfEx##Width(Destination, Size, End, (SIZE_T*)Remaining, Flags, Format, Arguments);       \
  }                                                                                                                       \
  template <class Count, class... Values>                                                                                 \
  inline typename TandemNtSizeStatus<Count>::Status RtlString##Kind##PrintfEx##Width(                                     \
      Unit* Destination, SIZE_T Size, Unit** End, Count* Remaining, ULONG Flags, CONST Unit* Format, Values... values) {  \
    return RtlString##Kind##PrintfEx##Width(Destination, Size, End, (SIZE_T*)Remaining, Flags, Format, values...);        \
  }
TANDEM_STRSAFE_SIZES(Cb, A, CHAR)
TANDEM_STRSAFE_SIZES(Cb, W, WCHAR)
TANDEM_STRSAFE_SIZES(Cch, A, CHAR)
TANDEM_STRSAFE_SIZES(Cch, W, WCHAR)
#undef TANDEM_STRSAFE_SIZES
}
#endif

// Counted strings, without a null character.
EXTERN_C NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING Destination, PCWSTR Format, ...);
EXTERN_C NTSTATUS RtlUnicodeStringVPrintf(PUNICODE_STRING Destination, PCWSTR Format, va_list Arguments);
EXTERN_C NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING Destination, PCWSTR Source);
EXTERN_C NTSTATUS RtlUnicodeStringValidate(PCUNICODE_STRING String);
EXTERN_C NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
EXTERN_C NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING Destination, PCWSTR Source);
EXTERN_C NTSTATUS RtlUnicodeStringCat(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
EXTERN_C NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING Destination, PCWSTR Source);
