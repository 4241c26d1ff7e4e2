// Checked integer arithmetic and conversions: STATUS_INTEGER_OVERFLOW when the result does not fit. Public page: ntintsafe.h.
#pragma once

#include "limits.h"
#include "ntdef.h"

#define SHORT_MIN (-32768)
#define SHORT_MAX 32767
#define LONGLONG_MIN (-9223372036854775807ll - 1)
#define LONGLONG_MAX 9223372036854775807ll
#define LONG64_MIN LONGLONG_MIN
#define LONG64_MAX LONGLONG_MAX
#define INT_PTR_MIN LONGLONG_MIN
#define INT_PTR_MAX LONGLONG_MAX
#define LONG_PTR_MIN LONGLONG_MIN
#define LONG_PTR_MAX LONGLONG_MAX
#define BYTE_MAX 0xff
#define USHORT_MAX 0xffff
#define WORD_MAX USHORT_MAX
#define DWORD_MAX 0xffffffffu
#define ULONGLONG_MAX 0xffffffffffffffffull
#define ULONG64_MAX ULONGLONG_MAX
#define DWORD64_MAX ULONGLONG_MAX
#define UINT_PTR_MAX ULONGLONG_MAX
#define ULONG_PTR_MAX ULONGLONG_MAX
#define DWORD_PTR_MAX ULONGLONG_MAX
#define SIZE_T_MAX ULONGLONG_MAX

#define INTSAFE_E_ARITHMETIC_OVERFLOW STATUS_INTEGER_OVERFLOW
#define TANDEM_INTSAFE(name, type)                                                         \
  FORCEINLINE NTSTATUS Rtl##name##Add(type Augend, type Addend, type* Result) {            \
    if (!__builtin_add_overflow(Augend, Addend, Result)) return STATUS_SUCCESS;            \
    *Result = (type)~0ull;                                                                 \
    return STATUS_INTEGER_OVERFLOW;                                                        \
  }                                                                                        \
  FORCEINLINE NTSTATUS Rtl##name##Sub(type Minuend, type Subtrahend, type* Result) {       \
    if (!__builtin_sub_overflow(Minuend, Subtrahend, Result)) return STATUS_SUCCESS;       \
    *Result = (type)~0ull;                                                                 \
    return STATUS_INTEGER_OVERFLOW;                                                        \
  }                                                                                        \
  FORCEINLINE NTSTATUS Rtl##name##Mult(type Multiplicand, type Multiplier, type* Result) { \
    if (!__builtin_mul_overflow(Multiplicand, Multiplier, Result)) return STATUS_SUCCESS;  \
    *Result = (type)~0ull;                                                                 \
    return STATUS_INTEGER_OVERFLOW;                                                        \
  }
TANDEM_INTSAFE(UInt, UINT)
TANDEM_INTSAFE(ULong, ULONG)
TANDEM_INTSAFE(SizeT, SIZE_T)
TANDEM_INTSAFE(ULongLong, ULONGLONG)
TANDEM_INTSAFE(UShort, USHORT)
TANDEM_INTSAFE(UInt32, UINT32)
TANDEM_INTSAFE(UInt64, UINT64)
TANDEM_INTSAFE(Long, LONG)
TANDEM_INTSAFE(Int, INT)
TANDEM_INTSAFE(LongLong, LONGLONG)
TANDEM_INTSAFE(UIntPtr, UINT_PTR)
TANDEM_INTSAFE(ULongPtr, ULONG_PTR)
#undef TANDEM_INTSAFE

#define TANDEM_INTSAFE_TO(name, from, to)                                   \
  FORCEINLINE NTSTATUS Rtl##name(from Operand, to* Result) {                \
    if (!__builtin_add_overflow(Operand, 0, Result)) return STATUS_SUCCESS; \
    *Result = (to)~0ull;                                                    \
    return STATUS_INTEGER_OVERFLOW;                                         \
  }
TANDEM_INTSAFE_TO(SizeTToULong, SIZE_T, ULONG)
TANDEM_INTSAFE_TO(SizeTToUInt, SIZE_T, UINT)
TANDEM_INTSAFE_TO(SizeTToUShort, SIZE_T, USHORT)
TANDEM_INTSAFE_TO(SizeTToUInt32, SIZE_T, UINT32)
TANDEM_INTSAFE_TO(ULongLongToULong, ULONGLONG, ULONG)
TANDEM_INTSAFE_TO(ULongLongToUInt, ULONGLONG, UINT)
TANDEM_INTSAFE_TO(ULongLongToSizeT, ULONGLONG, SIZE_T)
TANDEM_INTSAFE_TO(ULongLongToULongPtr, ULONGLONG, ULONG_PTR)
TANDEM_INTSAFE_TO(LongLongToULong, LONGLONG, ULONG)
TANDEM_INTSAFE_TO(LongLongToUInt, LONGLONG, UINT)
TANDEM_INTSAFE_TO(ULongToUShort, ULONG, USHORT)
TANDEM_INTSAFE_TO(ULongToUChar, ULONG, UCHAR)
TANDEM_INTSAFE_TO(ULongToLong, ULONG, LONG)
TANDEM_INTSAFE_TO(LongToULong, LONG, ULONG)
TANDEM_INTSAFE_TO(UIntToInt, UINT, INT)
TANDEM_INTSAFE_TO(IntToUInt, INT, UINT)
TANDEM_INTSAFE_TO(UIntToUShort, UINT, USHORT)
TANDEM_INTSAFE_TO(UInt64ToUInt32, UINT64, UINT32)
TANDEM_INTSAFE_TO(UInt64ToUInt, UINT64, UINT)
TANDEM_INTSAFE_TO(ULongPtrToULong, ULONG_PTR, ULONG)
#undef TANDEM_INTSAFE_TO
