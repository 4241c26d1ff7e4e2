// Run-time library: memory, strings, conversions. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "ntdef.h"
#include "wdm/crt.h"

#define RtlCopyMemory(Destination, Source, Length) memcpy((Destination), (Source), (Length))
#define RtlMoveMemory(Destination, Source, Length) memmove((Destination), (Source), (Length))
#define RtlFillMemory(Destination, Length, Fill) memset((Destination), (Fill), (Length))
#define RtlZeroMemory(Destination, Length) memset((Destination), 0, (Length))
#define RtlSecureZeroMemory(Destination, Length) memset((Destination), 0, (Length))
#define RtlEqualMemory(Left, Right, Length) (memcmp((Left), (Right), (Length)) == 0)
#define RtlCopyBytes RtlCopyMemory
#define RtlZeroBytes RtlZeroMemory
#define CopyMemory RtlCopyMemory
#define MoveMemory RtlMoveMemory
#define FillMemory RtlFillMemory
#define ZeroMemory RtlZeroMemory
EXTERN_C SIZE_T NTAPI RtlCompareMemory(CONST VOID* Source1, CONST VOID* Source2, SIZE_T Length);

EXTERN_C VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString);
EXTERN_C VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString);
#define RtlInitString(DestinationString, SourceString) RtlInitAnsiString(DestinationString, SourceString)
#define RtlInitEmptyUnicodeString(String, Memory, Bytes) \
  ((String)->Buffer = (Memory), (String)->Length = 0, (String)->MaximumLength = (USHORT)(Bytes))
#define RtlInitEmptyAnsiString(String, Memory, Bytes) \
  ((String)->Buffer = (Memory), (String)->Length = 0, (String)->MaximumLength = (USHORT)(Bytes))

// PASSIVE_LEVEL. Characters beyond Latin 1 become '?' in a conversion to ANSI.
EXTERN_C NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString, PCANSI_STRING SourceString,
                                                     BOOLEAN AllocateDestinationString);
EXTERN_C NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString, PCUNICODE_STRING SourceString,
                                                     BOOLEAN AllocateDestinationString);
EXTERN_C VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString);
EXTERN_C VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString);
EXTERN_C VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
EXTERN_C NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source);
EXTERN_C NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
EXTERN_C LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive);
EXTERN_C BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive);
EXTERN_C WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter);
EXTERN_C NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String);
EXTERN_C NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value);
EXTERN_C ULONG NTAPI RtlRandomEx(PULONG Seed);

#ifndef TANDEM_NT_DRIVER
EXTERN_C SIZE_T TandemNtWcslen(CONST WCHAR* String);
#else
#include <wchar.h>
#endif

typedef struct _OSVERSIONINFOW {
  ULONG dwOSVersionInfoSize;
  ULONG dwMajorVersion;
  ULONG dwMinorVersion;
  ULONG dwBuildNumber;
  ULONG dwPlatformId;
  WCHAR szCSDVersion[128];
} OSVERSIONINFOW, RTL_OSVERSIONINFOW;
typedef RTL_OSVERSIONINFOW* PRTL_OSVERSIONINFOW;
EXTERN_C NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW lpVersionInformation);
// TRUE: a checked build. Each argument may be NULL.
EXTERN_C BOOLEAN NTAPI PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber, PUNICODE_STRING CSDVersion);
