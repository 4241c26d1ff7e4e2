// Interlocked operations: sequentially consistent, any IRQL. Part of wdm.h. Public page: "InterlockedXxx routines".
#pragma once

#include "ntdef.h"

#define TANDEM_INTERLOCKED(suffix, type)                                                                   \
  FORCEINLINE type InterlockedIncrement##suffix(type volatile* Addend) {                                   \
    return __atomic_add_fetch(Addend, 1, __ATOMIC_SEQ_CST);                                                \
  }                                                                                                        \
  FORCEINLINE type InterlockedDecrement##suffix(type volatile* Addend) {                                   \
    return __atomic_sub_fetch(Addend, 1, __ATOMIC_SEQ_CST);                                                \
  }                                                                                                        \
  FORCEINLINE type InterlockedExchange##suffix(type volatile* Target, type Value) {                        \
    return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);                                           \
  }                                                                                                        \
  FORCEINLINE type InterlockedExchangeAdd##suffix(type volatile* Addend, type Value) {                     \
    return __atomic_fetch_add(Addend, Value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                        \
  FORCEINLINE type InterlockedAdd##suffix(type volatile* Addend, type Value) {                             \
    return __atomic_add_fetch(Addend, Value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                        \
  FORCEINLINE type InterlockedOr##suffix(type volatile* Target, type Value) {                              \
    return __atomic_fetch_or(Target, Value, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                        \
  FORCEINLINE type InterlockedAnd##suffix(type volatile* Target, type Value) {                             \
    return __atomic_fetch_and(Target, Value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                        \
  FORCEINLINE type InterlockedXor##suffix(type volatile* Target, type Value) {                             \
    return __atomic_fetch_xor(Target, Value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                        \
  FORCEINLINE type InterlockedCompareExchange##suffix(type volatile* Target, type Value, type Comparand) { \
    __atomic_compare_exchange_n(Target, &Comparand, Value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
    return Comparand;                                                                                      \
  }

TANDEM_INTERLOCKED(, LONG)
TANDEM_INTERLOCKED(64, LONG64)
TANDEM_INTERLOCKED(16, SHORT)
TANDEM_INTERLOCKED(8, CHAR)
#undef TANDEM_INTERLOCKED

FORCEINLINE PVOID InterlockedExchangePointer(PVOID volatile* Target, PVOID Value) {
  return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
FORCEINLINE PVOID InterlockedCompareExchangePointer(PVOID volatile* Target, PVOID Value, PVOID Comparand) {
  __atomic_compare_exchange_n(Target, &Comparand, Value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return Comparand;
}

FORCEINLINE BOOLEAN InterlockedBitTestAndSet(LONG volatile* Base, LONG Bit) {
  return (InterlockedOr(Base + Bit / 32, (LONG)(1u << (Bit & 31))) >> (Bit & 31)) & 1;
}
FORCEINLINE BOOLEAN InterlockedBitTestAndReset(LONG volatile* Base, LONG Bit) {
  return (InterlockedAnd(Base + Bit / 32, (LONG) ~(1u << (Bit & 31))) >> (Bit & 31)) & 1;
}

// Names of the compiler's intrinsics, and those that ask for less order than all operations have here.
#define _InterlockedIncrement InterlockedIncrement
#define _InterlockedIncrement16 InterlockedIncrement16
#define _InterlockedIncrement64 InterlockedIncrement64
#define _InterlockedDecrement InterlockedDecrement
#define _InterlockedDecrement16 InterlockedDecrement16
#define _InterlockedDecrement64 InterlockedDecrement64
#define _InterlockedExchange InterlockedExchange
#define _InterlockedExchange16 InterlockedExchange16
#define _InterlockedExchange64 InterlockedExchange64
#define _InterlockedExchangeAdd InterlockedExchangeAdd
#define _InterlockedExchangeAdd16 InterlockedExchangeAdd16
#define _InterlockedExchangeAdd64 InterlockedExchangeAdd64
#define _InterlockedOr InterlockedOr
#define _InterlockedOr16 InterlockedOr16
#define _InterlockedOr64 InterlockedOr64
#define _InterlockedAnd InterlockedAnd
#define _InterlockedAnd16 InterlockedAnd16
#define _InterlockedAnd64 InterlockedAnd64
#define _InterlockedXor InterlockedXor
#define _InterlockedXor16 InterlockedXor16
#define _InterlockedXor64 InterlockedXor64
#define _InterlockedCompareExchange InterlockedCompareExchange
#define _InterlockedCompareExchange16 InterlockedCompareExchange16
#define _InterlockedCompareExchange64 InterlockedCompareExchange64
#define _InterlockedExchangePointer InterlockedExchangePointer
#define _InterlockedCompareExchangePointer InterlockedCompareExchangePointer
#define InterlockedIncrementNoFence InterlockedIncrement
#define InterlockedIncrementAcquire InterlockedIncrement
#define InterlockedIncrementRelease InterlockedIncrement
#define InterlockedDecrementNoFence InterlockedDecrement
#define InterlockedDecrementAcquire InterlockedDecrement
#define InterlockedDecrementRelease InterlockedDecrement
#define InterlockedExchangeNoFence InterlockedExchange
#define InterlockedExchangeAcquire InterlockedExchange
#define InterlockedExchangeRelease InterlockedExchange
#define InterlockedExchangeAddNoFence InterlockedExchangeAdd
#define InterlockedExchangeAddAcquire InterlockedExchangeAdd
#define InterlockedExchangeAddRelease InterlockedExchangeAdd
#define InterlockedCompareExchangeNoFence InterlockedCompareExchange
#define InterlockedCompareExchangeAcquire InterlockedCompareExchange
#define InterlockedCompareExchangeRelease InterlockedCompareExchange
#define InterlockedOrNoFence InterlockedOr
#define InterlockedOrAcquire InterlockedOr
#define InterlockedOrRelease InterlockedOr
#define InterlockedAndNoFence InterlockedAnd
#define InterlockedAndAcquire InterlockedAnd
#define InterlockedAndRelease InterlockedAnd
#define InterlockedCompareExchangePointerNoFence InterlockedCompareExchangePointer
#define InterlockedExchangePointerNoFence InterlockedExchangePointer
#define InterlockedExchangeSubtract(Addend, Value) InterlockedExchangeAdd(Addend, 0 - (Value))
#define InterlockedAddNoFence InterlockedAdd
#define InterlockedAddNoFence64 InterlockedAdd64
#define InterlockedIncrementSizeT(Addend) InterlockedIncrement64((LONG64 volatile*)(Addend))
#define InterlockedDecrementSizeT(Addend) InterlockedDecrement64((LONG64 volatile*)(Addend))
#define InterlockedExchangeAddSizeT(Addend, Value) InterlockedExchangeAdd64((LONG64 volatile*)(Addend), (LONG64)(Value))

FORCEINLINE VOID KeMemoryBarrier(VOID) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#define MemoryBarrier() KeMemoryBarrier()
#define KeMemoryBarrierWithoutFence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define YieldProcessor() ((void)0)

FORCEINLINE LONG ReadAcquire(LONG CONST volatile* Source) { return __atomic_load_n(Source, __ATOMIC_ACQUIRE); }
FORCEINLINE LONG ReadNoFence(LONG CONST volatile* Source) { return __atomic_load_n(Source, __ATOMIC_RELAXED); }
FORCEINLINE VOID WriteRelease(LONG volatile* Target, LONG Value) { __atomic_store_n(Target, Value, __ATOMIC_RELEASE); }
FORCEINLINE VOID WriteNoFence(LONG volatile* Target, LONG Value) { __atomic_store_n(Target, Value, __ATOMIC_RELAXED); }
