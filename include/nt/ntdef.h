// Base types of the NT kernel beyond those of the driver contract. Public page: ntdef.h.
#pragma once

#include <stdarg.h>
#include <string.h>

#include "sal.h"
#include "wddm_types.h"

#ifndef FORCEINLINE
#ifdef __cplusplus
#define FORCEINLINE inline __attribute__((always_inline))
#else
#define FORCEINLINE static __inline __attribute__((always_inline, unused))
#endif
#endif
#define CFORCEINLINE FORCEINLINE
#define DECLSPEC_ALIGN(x) __attribute__((aligned(x)))
#define DECLSPEC_NORETURN __attribute__((noreturn))
#define DECLSPEC_NOINLINE __attribute__((noinline))
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(64)
#define DECLSPEC_IMPORT
#define DECLSPEC_EXPORT
#define NTKERNELAPI
#define NTSYSAPI
#define NTHALAPI
#define NTSYSCALLAPI
#define FASTCALL
#define UNALIGNED
#define RESTRICTED_POINTER
#ifndef FAR
#define FAR
#define NEAR
#endif

typedef char CCHAR;
typedef SHORT CSHORT;
typedef CHAR* PSTR;
typedef CHAR* LPSTR;
typedef CONST CHAR* LPCSTR;
typedef CHAR* PSZ;
typedef CONST CHAR* PCSZ;
typedef WCHAR* PWCHAR;
typedef WCHAR* PWCH;
typedef CONST WCHAR* PCWCH;
typedef WCHAR* LPWSTR;
typedef CONST WCHAR* LPCWSTR;
typedef CONST WCHAR* LPCWCH;
typedef SHORT* PSHORT;
typedef BYTE* PBYTE;
typedef BYTE* LPBYTE;
typedef DWORD* PDWORD;
typedef DWORD* LPDWORD;
typedef WORD* PWORD;
typedef BOOL* PBOOL;
typedef INT* PINT;
typedef VOID* LPVOID;
typedef CONST VOID* LPCVOID;
typedef LONGLONG* PLONGLONG;
typedef UINT8* PUINT8;
typedef UINT16* PUINT16;
typedef UINT32* PUINT32;
typedef UINT64* PUINT64;
typedef INT32* PINT32;
typedef INT64* PINT64;
typedef LONGLONG LONG64;
typedef LONG64* PLONG64;
typedef ULONG64* PULONG64;
typedef ULONG ULONG32;
typedef LONG LONG32;
typedef UINT64 DWORD64;
typedef UINT64 DWORDLONG;
typedef ULONG_PTR* PULONG_PTR;
typedef LONG_PTR* PLONG_PTR;
typedef UINT_PTR* PUINT_PTR;
typedef intptr_t INT_PTR;
typedef ULONG_PTR DWORD_PTR;
typedef LONG_PTR SSIZE_T;
typedef LONG KPRIORITY;
typedef NTSTATUS* PNTSTATUS;
typedef ULARGE_INTEGER* PULARGE_INTEGER;
typedef ULONG_PTR KSPIN_LOCK;
typedef KSPIN_LOCK* PKSPIN_LOCK;
typedef CONST UNICODE_STRING* PCUNICODE_STRING;
typedef POINT* PPOINT;
typedef RECT* PRECT;
typedef RECT* LPRECT;
typedef CONST RECT* LPCRECT;
typedef SIZE* PSIZE;
typedef ULONG DEVICE_TYPE;
typedef ULONG LCID;
#define LOCALE_NEUTRAL 0
typedef UCHAR KPROCESSOR_MODE;

// Drivers use these as macros of two arguments of any types; headers of the C++ library have members of these names.
#ifdef TANDEM_NT_DRIVER
#ifdef __cplusplus
extern "C++" {
template <class Left, class Right>
constexpr auto min(Left left, Right right) {
  return left < right ? left : right;
}
template <class Left, class Right>
constexpr auto max(Left left, Right right) {
  return left > right ? left : right;
}
}
#else
#define min(left, right) ((left) < (right) ? (left) : (right))
#define max(left, right) ((left) > (right) ? (left) : (right))
#endif
#endif

#define NOTHING
#define ARGUMENT_PRESENT(Argument) ((Argument) != 0)
#define DUMMYUNIONNAME
#define DUMMYUNIONNAME2
#define DUMMYUNIONNAME3
#define DUMMYSTRUCTNAME
#define DUMMYSTRUCTNAME2
#define Int32x32To64(left, right) ((LONGLONG)(LONG)(left) * (LONGLONG)(LONG)(right))
#define UInt32x32To64(left, right) ((ULONGLONG)(ULONG)(left) * (ULONGLONG)(ULONG)(right))
#define ANYSIZE_ARRAY 1
#define MAXUCHAR 0xFF
#define MAXUSHORT 0xFFFF
#define MAXULONG 0xFFFFFFFFu
#define MAXULONG32 0xFFFFFFFFu
#define MAXULONG64 0xFFFFFFFFFFFFFFFFull
#define MAXULONGLONG 0xFFFFFFFFFFFFFFFFull
#define MAXLONG 0x7FFFFFFF
#define MINLONG ((LONG)0x80000000)
#define MAXLONGLONG 0x7FFFFFFFFFFFFFFFll
#define MAXSIZE_T 0xFFFFFFFFFFFFFFFFull
#define MAXDWORD 0xFFFFFFFFu
#define UNICODE_NULL ((WCHAR)0)
#define ANSI_NULL ((CHAR)0)
#define UNICODE_STRING_MAX_BYTES ((USHORT)65534)
#define UNICODE_STRING_MAX_CHARS 32767

// STRING, ntdef.h. Length and MaximumLength count bytes.
typedef struct _STRING {
  USHORT Length;
  USHORT MaximumLength;
  PCHAR Buffer;
} STRING;
typedef STRING* PSTRING;
typedef STRING ANSI_STRING;
typedef PSTRING PANSI_STRING;
typedef CONST STRING* PCANSI_STRING;

// LIST_ENTRY and SINGLE_LIST_ENTRY, ntdef.h.
typedef struct _LIST_ENTRY {
  struct _LIST_ENTRY* Flink;
  struct _LIST_ENTRY* Blink;
} LIST_ENTRY;
typedef LIST_ENTRY* PLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
  struct _SINGLE_LIST_ENTRY* Next;
} SINGLE_LIST_ENTRY;
typedef SINGLE_LIST_ENTRY* PSINGLE_LIST_ENTRY;

#define CONTAINING_RECORD(address, type, field) ((type*)((char*)(address)-offsetof(type, field)))
#define FIELD_OFFSET(type, field) ((LONG)offsetof(type, field))
#define UFIELD_OFFSET(type, field) ((ULONG)offsetof(type, field))
#define RTL_FIELD_SIZE(type, field) (sizeof(((type*)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) (offsetof(type, field) + RTL_FIELD_SIZE(type, field))
#define RTL_CONTAINS_FIELD(object, size, field) \
  (((PCHAR)(&(object)->field) + sizeof((object)->field)) <= ((PCHAR)(object) + (size)))
#ifndef ARRAYSIZE
#define ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif
#define _ARRAYSIZE(array) ARRAYSIZE(array)
#define RTL_NUMBER_OF(array) ARRAYSIZE(array)
#define RTL_NUMBER_OF_V1(array) ARRAYSIZE(array)
#define RTL_CONSTANT_STRING(text) \
  { sizeof(text) - sizeof((text)[0]), sizeof(text), (PWSTR)(text) }
#define DECLARE_UNICODE_STRING_SIZE(name, count) \
  WCHAR name##_buffer[count];                    \
  UNICODE_STRING name = {0, (count) * sizeof(WCHAR), name##_buffer}
#define DECLARE_CONST_UNICODE_STRING(name, text) \
  const WCHAR name##_buffer[] = text;            \
  const UNICODE_STRING name = {sizeof(text) - sizeof(WCHAR), sizeof(text), (PWSTR)name##_buffer}
#define ALIGN_DOWN_BY(length, alignment) ((ULONG_PTR)(length) & ~((ULONG_PTR)(alignment)-1))
#define ALIGN_UP_BY(length, alignment) ALIGN_DOWN_BY((ULONG_PTR)(length) + (alignment)-1, alignment)
#define ALIGN_DOWN(length, type) ALIGN_DOWN_BY(length, sizeof(type))
#define ALIGN_UP(length, type) ALIGN_UP_BY(length, sizeof(type))
#ifdef __cplusplus
#define C_ASSERT(expression) static_assert(expression, #expression)
#else
#define C_ASSERT(expression) _Static_assert(expression, #expression)
#endif
#define DBG_UNREFERENCED_PARAMETER(P) ((void)(P))
#define UNREFERENCED_LOCAL_VARIABLE(V) ((void)(V))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(V) ((void)(V))

#define OBJ_INHERIT 0x00000002L
#define OBJ_PERMANENT 0x00000010L
#define OBJ_EXCLUSIVE 0x00000020L
#define OBJ_CASE_INSENSITIVE 0x00000040L
#define OBJ_OPENIF 0x00000080L
#define OBJ_KERNEL_HANDLE 0x00000200L
#define InitializeObjectAttributes(p, name, attributes, root, security) \
  do {                                                                  \
    (p)->Length = sizeof(OBJECT_ATTRIBUTES);                            \
    (p)->RootDirectory = (root);                                        \
    (p)->Attributes = (attributes);                                     \
    (p)->ObjectName = (name);                                           \
    (p)->SecurityDescriptor = (security);                               \
    (p)->SecurityQualityOfService = 0;                                  \
  } while (0)
