// Debugger output, assertions and bug checks. Part of wdm.h. Public page: wdm.h. Any IRQL.
#pragma once

#include "bugcodes.h"
#include "ntdef.h"

#define DPFLTR_ERROR_LEVEL 0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL 2
#define DPFLTR_INFO_LEVEL 3
#define DPFLTR_MASK 0x80000000
#define DPFLTR_DEFAULT_ID 101
#define DPFLTR_IHVDRIVER_ID 77
#define DPFLTR_IHVVIDEO_ID 78
#define DPFLTR_VIDEO_ID 6

// Text goes to standard error when the environment variable TANDEM_DRIVER_DEBUG is set.
EXTERN_C ULONG DbgPrint(PCSTR Format, ...);
EXTERN_C ULONG DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...);
EXTERN_C ULONG NTAPI vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments);
EXTERN_C ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments);
EXTERN_C ULONG NTAPI DbgPrompt(PCSTR Prompt, PSTR Response, ULONG Length);
EXTERN_C VOID NTAPI DbgBreakPoint(VOID);
#define DbgBreakPointWithStatus(Status) DbgBreakPoint()
#define __debugbreak() DbgBreakPoint()
#define KdBreakPoint() DbgBreakPoint()
// FALSE, and TRUE: no debugger is attached.
EXTERN_C PBOOLEAN KdDebuggerEnabled;
EXTERN_C PBOOLEAN KdDebuggerNotPresent;
#define KD_DEBUGGER_ENABLED (*KdDebuggerEnabled)
#define KD_DEBUGGER_NOT_PRESENT (*KdDebuggerNotPresent)
#define KdRefreshDebuggerNotPresent() TRUE
#if DBG
#define KdPrint(arguments) DbgPrint arguments
#define KdPrintEx(arguments) DbgPrintEx arguments
#define NT_ASSERT(expression) ((expression) ? (void)0 : TandemNtAssertionFailed(#expression, __FILE__, __LINE__))
#else
#define KdPrint(arguments) ((void)0)
#define KdPrintEx(arguments) ((void)0)
#define NT_ASSERT(expression) ((void)0)
#endif
#define ASSERT(expression) NT_ASSERT(expression)
#define ASSERTMSG(message, expression) NT_ASSERT(expression)
#define NT_ASSERTMSG(message, expression) NT_ASSERT(expression)
#define NT_VERIFY(expression) ((void)(expression))
#define NT_FRE_ASSERT(expression) ((expression) ? (void)0 : TandemNtAssertionFailed(#expression, __FILE__, __LINE__))
#define RTL_SOFT_ASSERT(expression) NT_ASSERT(expression)
#ifndef __assume
#define __assume(expression) ((void)0)
#endif
// Reports the rule Nt.Assertion and goes on.
EXTERN_C VOID TandemNtAssertionFailed(CONST char* Expression, CONST char* File, int Line);

// Reports the rule Nt.BugCheck and aborts the process.
EXTERN_C DECLSPEC_NORETURN VOID NTAPI KeBugCheck(ULONG BugCheckCode);
EXTERN_C DECLSPEC_NORETURN VOID NTAPI KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1, ULONG_PTR BugCheckParameter2,
                                                   ULONG_PTR BugCheckParameter3, ULONG_PTR BugCheckParameter4);

// PAGED_CODE reports the rule Nt.PagedCode above APC_LEVEL.
EXTERN_C VOID TandemNtPagedCode(CONST char* Function);
#ifdef TANDEM_NT_DRIVER
#undef PAGED_CODE
#define PAGED_CODE() TandemNtPagedCode(__FUNCTION__)
#endif
#define PAGED_CODE_LOCKED() ((void)0)
