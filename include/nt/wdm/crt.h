// The C library's functions that the NT kernel has beyond those of the standard. Part of wdm.h. Public page: "Security Features
// in the CRT". Texts in formats are as DbgPrint's. tandem_prefix.h renames the standard's own.
#pragma once

#include "ntdef.h"

typedef int errno_t;
typedef size_t rsize_t;  // as clang's stddef.h declares it in C++20
#define _TRUNCATE ((SIZE_T)-1)
#define STRUNCATE 80

// At most Count characters, without a null character where there is no room for it; -1 then, if characters were left out.
EXTERN_C int _snprintf(CHAR* Text, SIZE_T Count, CONST CHAR* Format, ...);
EXTERN_C int _vsnprintf(CHAR* Text, SIZE_T Count, CONST CHAR* Format, va_list Arguments);
EXTERN_C int _snwprintf(WCHAR* Text, SIZE_T Count, CONST WCHAR* Format, ...);
EXTERN_C int _vsnwprintf(WCHAR* Text, SIZE_T Count, CONST WCHAR* Format, va_list Arguments);

// A text that does not fit is an empty one, and -1. Count: the most characters; _TRUNCATE: those that fit.
EXTERN_C int sprintf_s(CHAR* Text, SIZE_T Size, CONST CHAR* Format, ...);
EXTERN_C int vsprintf_s(CHAR* Text, SIZE_T Size, CONST CHAR* Format, va_list Arguments);
EXTERN_C int swprintf_s(WCHAR* Text, SIZE_T Size, CONST WCHAR* Format, ...);
EXTERN_C int vswprintf_s(WCHAR* Text, SIZE_T Size, CONST WCHAR* Format, va_list Arguments);
EXTERN_C int _snprintf_s(CHAR* Text, SIZE_T Size, SIZE_T Count, CONST CHAR* Format, ...);
EXTERN_C int _vsnprintf_s(CHAR* Text, SIZE_T Size, SIZE_T Count, CONST CHAR* Format, va_list Arguments);
EXTERN_C int _snwprintf_s(WCHAR* Text, SIZE_T Size, SIZE_T Count, CONST WCHAR* Format, ...);
EXTERN_C int _vsnwprintf_s(WCHAR* Text, SIZE_T Size, SIZE_T Count, CONST WCHAR* Format, va_list Arguments);

// 0, or EINVAL, or ERANGE: the destination is empty. STRUNCATE: _TRUNCATE cut the text.
EXTERN_C errno_t strcpy_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source);
EXTERN_C errno_t strcat_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source);
EXTERN_C errno_t strncpy_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source, rsize_t Count);
EXTERN_C errno_t strncat_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source, rsize_t Count);
EXTERN_C errno_t wcscpy_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source);
EXTERN_C errno_t wcscat_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source);
EXTERN_C errno_t wcsncpy_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source, rsize_t Count);
EXTERN_C errno_t wcsncat_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source, rsize_t Count);
EXTERN_C errno_t memcpy_s(VOID* Destination, rsize_t Size, CONST VOID* Source, rsize_t Count);
EXTERN_C errno_t memmove_s(VOID* Destination, rsize_t Size, CONST VOID* Source, rsize_t Count);

// Letters of ASCII without regard to their case.
EXTERN_C int _stricmp(CONST CHAR* Left, CONST CHAR* Right);
EXTERN_C int _strnicmp(CONST CHAR* Left, CONST CHAR* Right, SIZE_T Count);
EXTERN_C int _wcsicmp(CONST WCHAR* Left, CONST WCHAR* Right);
EXTERN_C int _wcsnicmp(CONST WCHAR* Left, CONST WCHAR* Right, SIZE_T Count);
#define _strcmpi(Left, Right) _stricmp(Left, Right)
EXTERN_C CHAR* _strupr(CHAR* String);
EXTERN_C CHAR* _strlwr(CHAR* String);
EXTERN_C WCHAR* _wcsupr(WCHAR* String);
EXTERN_C WCHAR* _wcslwr(WCHAR* String);
EXTERN_C int _wtoi(CONST WCHAR* String);
EXTERN_C LONG _wtol(CONST WCHAR* String);

// With the array's own length, as in C++ on Windows.
#if defined(TANDEM_NT_DRIVER) && defined(__cplusplus)
extern "C++" {
template <SIZE_T Size, class... Values>
inline int sprintf_s(CHAR (&Text)[Size], CONST CHAR* Format, Values... values) {
  return sprintf_s(Text, Size, Format, values...);
}
template <SIZE_T Size, class... Values>
inline int swprintf_s(WCHAR (&Text)[Size], CONST WCHAR* Format, Values... values) {
  return swprintf_s(Text, Size, Format, values...);
}
template <SIZE_T Size>
inline errno_t strcpy_s(CHAR (&Destination)[Size], CONST CHAR* Source) {
  return strcpy_s(Destination, Size, Source);
}
template <SIZE_T Size>
inline errno_t strcat_s(CHAR (&Destination)[Size], CONST CHAR* Source) {
  return strcat_s(Destination, Size, Source);
}
template <SIZE_T Size>
inline errno_t wcscpy_s(WCHAR (&Destination)[Size], CONST WCHAR* Source) {
  return wcscpy_s(Destination, Size, Source);
}
template <SIZE_T Size>
inline errno_t wcscat_s(WCHAR (&Destination)[Size], CONST WCHAR* Source) {
  return wcscat_s(Destination, Size, Source);
}
}
#endif
