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

FORCEINLINE VOID KeMemoryBarrier(VOID) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#define MemoryBarrier() KeMemoryBarrier()
#define KeMemoryBarrierWithoutFence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define YieldProcessor() ((void)0)

FORCEINLINE LONG ReadAcquire(LONG CONST volatile* Source) { return __atomic_load_n(Source, __ATOMIC_ACQUIRE); }
FORCEINLINE LONG ReadNoFence(LONG CONST volatile* Source) { return __atomic_load_n(Source, __ATOMIC_RELAXED); }
FORCEINLINE VOID WriteRelease(LONG volatile* Target, LONG Value) { __atomic_store_n(Target, Value, __ATOMIC_RELEASE); }
FORCEINLINE VOID WriteNoFence(LONG volatile* Target, LONG Value) { __atomic_store_n(Target, Value, __ATOMIC_RELAXED); }
