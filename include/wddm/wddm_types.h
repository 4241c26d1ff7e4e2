// The Windows base types that the WDDM headers use, in the x64 layout of Windows (LLP64: LONG and
// ULONG are 32 bits wide, pointers 64). Public pages: "Windows Data Types", ntdef.h, minwindef.h.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wddm_sal.h"

#ifdef __cplusplus
#define EXTERN_C extern "C"
// Enumerations have the underlying type int, as with Microsoft's compiler, so a value that a driver
// or a program passes beyond the named ones is still well defined.
#define WDDM_ENUM : int
#else
#define EXTERN_C extern
#define WDDM_ENUM
#endif

#define CONST const

typedef void VOID;
typedef void* PVOID;
typedef const void* PCVOID;
typedef void* HANDLE;
typedef HANDLE* PHANDLE;
typedef char CHAR;
typedef char* PCHAR;
typedef const char* PCSTR;
typedef unsigned char UCHAR;
typedef unsigned char* PUCHAR;
typedef unsigned char BYTE;
typedef unsigned char BOOLEAN;
typedef BOOLEAN* PBOOLEAN;
typedef int BOOL;
typedef int16_t SHORT;
typedef uint16_t USHORT;
typedef USHORT* PUSHORT;
typedef uint16_t WORD;
typedef int32_t INT;
typedef uint32_t UINT;
typedef UINT* PUINT;
typedef int32_t LONG;
typedef LONG* PLONG;
typedef uint32_t ULONG;
typedef ULONG* PULONG;
typedef uint32_t DWORD;
typedef int64_t LONGLONG;
typedef uint64_t ULONGLONG;
typedef ULONGLONG* PULONGLONG;
typedef float FLOAT;
typedef uint8_t UINT8;
typedef uint16_t UINT16;
typedef uint32_t UINT32;
typedef int8_t INT8;
typedef int16_t INT16;
typedef int32_t INT32;
typedef int64_t INT64;
typedef uint64_t UINT64;
typedef uint64_t ULONG64;
typedef int64_t LONG_PTR;
typedef uint64_t ULONG_PTR;
typedef uintptr_t UINT_PTR;
typedef ULONG_PTR SIZE_T;
typedef SIZE_T* PSIZE_T;
typedef HANDLE HWND;
typedef HANDLE HDC;
typedef HANDLE HMONITOR;
typedef ULONG ACCESS_MASK;

// WCHAR is a 16-bit UTF-16 unit. wchar_t serves where it is that narrow (-fshort-wchar), so that L"" literals fit. The literal's
// type stands for char16_t, which is no keyword under -fms-compatibility.
#if defined(__cplusplus) && __SIZEOF_WCHAR_T__ == 2
typedef wchar_t WCHAR;
#elif defined(__cplusplus)
typedef decltype(u'0') WCHAR;
#else
typedef uint_least16_t WCHAR;
#endif
typedef WCHAR* PWSTR;
typedef const WCHAR* PCWSTR;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#ifndef MAX_PATH
#define MAX_PATH 260
#endif

// GUID, guiddef.h.
typedef struct _GUID {
  ULONG Data1;
  USHORT Data2;
  USHORT Data3;
  UCHAR Data4[8];
} GUID;
typedef const GUID* LPCGUID;

// Declares a GUID constant of internal linkage; every translation unit may include it.
#define WDDM_DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
  static const GUID name __attribute__((unused)) = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}

// LUID, ntdef.h: unique on this machine until it restarts.
typedef struct _LUID {
  ULONG LowPart;
  LONG HighPart;
} LUID;
typedef LUID* PLUID;

// POINT, RECT, SIZE; windef.h. A RECT is half open: right and bottom lie outside.
typedef struct tagPOINT {
  LONG x;
  LONG y;
} POINT;

typedef struct tagRECT {
  LONG left;
  LONG top;
  LONG right;
  LONG bottom;
} RECT;

typedef struct tagSIZE {
  LONG cx;
  LONG cy;
} SIZE;

// LARGE_INTEGER and ULARGE_INTEGER, ntdef.h.
typedef union _LARGE_INTEGER {
  struct {
    ULONG LowPart;
    LONG HighPart;
  };
  struct {
    ULONG LowPart;
    LONG HighPart;
  } u;
  LONGLONG QuadPart;
} LARGE_INTEGER;
typedef LARGE_INTEGER* PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
  struct {
    ULONG LowPart;
    ULONG HighPart;
  };
  struct {
    ULONG LowPart;
    ULONG HighPart;
  } u;
  ULONGLONG QuadPart;
} ULARGE_INTEGER;

// PHYSICAL_ADDRESS, wdm.h: an address as the device sees it; here an offset inside a segment.
typedef LARGE_INTEGER PHYSICAL_ADDRESS;
typedef PHYSICAL_ADDRESS* PPHYSICAL_ADDRESS;

// UNICODE_STRING, ntdef.h. Length and MaximumLength count bytes, not characters.
typedef struct _UNICODE_STRING {
  USHORT Length;
  USHORT MaximumLength;
  PWSTR Buffer;
} UNICODE_STRING;
typedef UNICODE_STRING* PUNICODE_STRING;

// OBJECT_ATTRIBUTES, ntdef.h.
typedef struct _OBJECT_ATTRIBUTES {
  ULONG Length;
  HANDLE RootDirectory;
  PUNICODE_STRING ObjectName;
  ULONG Attributes;
  PVOID SecurityDescriptor;
  PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES;
typedef OBJECT_ATTRIBUTES* POBJECT_ATTRIBUTES;

// KIRQL, wdm.h: the interrupt request level of a calling context. On real hardware device levels
// range from 3 to 11 and differ for each device; Tandem gives every device the one level DIRQL.
typedef UCHAR KIRQL;
typedef KIRQL* PKIRQL;
#define PASSIVE_LEVEL 0
#define APC_LEVEL 1
#define DISPATCH_LEVEL 2
#define DIRQL 5

// Driver code marks its pageable functions with PAGED_CODE(); nothing is paged here.
#ifndef PAGED_CODE
#define PAGED_CODE() ((void)0)
#endif
#ifndef UNREFERENCED_PARAMETER
#define UNREFERENCED_PARAMETER(P) ((void)(P))
#endif

#include "wddm_status.h"
