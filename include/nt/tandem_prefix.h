// Included before each source of a driver that `tandem driver build` compiles. The C library's functions on wide strings have
// 32-bit characters, and its formats a longer long; a driver's calls of these names reach functions of the driver host instead.
#pragma once

#define TANDEM_NT_DRIVER 1
// NULL may stand behind a pure virtual function and in an integer.
#define __null 0
// The C library's files of int64_t and the like, which stdint.h beside this file replaces.
#define _BITS_STDINT_INTN_H 1
#define _BITS_STDINT_UINTN_H 1
// Windows has no ssize_t; drivers declare it.
#define __ssize_t_defined 1
#define wcslen TandemNtWcslen
#define wcsnlen TandemNtWcsnlen
#define wcscpy TandemNtWcscpy
#define wcsncpy TandemNtWcsncpy
#define wcscat TandemNtWcscat
#define wcscmp TandemNtWcscmp
#define wcsncmp TandemNtWcsncmp
#define wcschr TandemNtWcschr
#define wcsrchr TandemNtWcsrchr
#define wcsstr TandemNtWcsstr
#define sprintf TandemNtSprintf
#define vsprintf TandemNtVsprintf
#define snprintf TandemNtSnprintf
#define vsnprintf TandemNtVsnprintf
#define swprintf TandemNtSwprintf
#define vswprintf TandemNtVswprintf

#include "stdint.h"

// Names of Microsoft's compiler of Visual Studio 2019.
#ifndef _WIN32
#define _WIN32 1
#endif
#ifndef _MSC_VER
#define _MSC_VER 1920
#endif
#ifndef _MSC_FULL_VER
#define _MSC_FULL_VER 192027508
#endif
// clang's file of _xgetbv and _xsetbv declares them for its own triple of Windows then.
#define __XSAVEINTRIN_H

#define _AMD64_ 1
#define _M_AMD64 100
#define _M_X64 100
#define AMD64 1
#define _WIN64 1
#define _KERNEL_MODE 1
#ifndef DBG
#define DBG 0
#endif
#ifndef NTDDI_VERSION
#define NTDDI_VERSION 0x0A00000C
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif
#ifndef WINVER
#define WINVER 0x0A00
#endif
