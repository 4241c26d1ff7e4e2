// Intrinsics of Microsoft's compiler for x64 that clang has no header for on Linux. Public page: "x64 (amd64) Intrinsics List".
#pragma once

// Without _mm_malloc, whose memory is the C library's.
#ifndef __MM_MALLOC_H
#define __MM_MALLOC_H
#endif
#include <immintrin.h>

#include "wdm/interlocked.h"

FORCEINLINE UCHAR TandemNtBitScanForward(ULONG* Index, ULONG Mask) {
  if (Mask == 0) return 0;
  *Index = (ULONG)__builtin_ctz(Mask);
  return 1;
}
FORCEINLINE UCHAR TandemNtBitScanReverse(ULONG* Index, ULONG Mask) {
  if (Mask == 0) return 0;
  *Index = 31u - (ULONG)__builtin_clz(Mask);
  return 1;
}
FORCEINLINE UCHAR TandemNtBitScanForward64(ULONG* Index, UINT64 Mask) {
  if (Mask == 0) return 0;
  *Index = (ULONG)__builtin_ctzll(Mask);
  return 1;
}
FORCEINLINE UCHAR TandemNtBitScanReverse64(ULONG* Index, UINT64 Mask) {
  if (Mask == 0) return 0;
  *Index = 63u - (ULONG)__builtin_clzll(Mask);
  return 1;
}
#define _BitScanForward TandemNtBitScanForward
#define _BitScanReverse TandemNtBitScanReverse
#define _BitScanForward64 TandemNtBitScanForward64
#define _BitScanReverse64 TandemNtBitScanReverse64

FORCEINLINE VOID TandemNtCpuidEx(INT Registers[4], INT Leaf, INT Subleaf) {
  __asm__ volatile("cpuid"
                   : "=a"(Registers[0]), "=b"(Registers[1]), "=c"(Registers[2]), "=d"(Registers[3])
                   : "a"(Leaf), "c"(Subleaf));
}
#undef __cpuid
#undef __cpuidex
#define __cpuid(Registers, Leaf) TandemNtCpuidEx((INT*)(Registers), (INT)(Leaf), 0)
#define __cpuidex(Registers, Leaf, Subleaf) TandemNtCpuidEx((INT*)(Registers), (INT)(Leaf), (INT)(Subleaf))

FORCEINLINE UINT64 TandemNtMultiply128(UINT64 Left, UINT64 Right, UINT64* High) {
  const unsigned __int128 product = (unsigned __int128)Left * Right;
  *High = (UINT64)(product >> 64);
  return (UINT64)product;
}
#define _umul128 TandemNtMultiply128
#define __umulh(Left, Right) ((UINT64)(((unsigned __int128)(Left) * (Right)) >> 64))

FORCEINLINE VOID TandemNtStoreUlongs(ULONG* Destination, ULONG Value, SIZE_T Count) {
  while (Count-- != 0) *Destination++ = Value;
}
FORCEINLINE VOID TandemNtStoreUlong64s(UINT64* Destination, UINT64 Value, SIZE_T Count) {
  while (Count-- != 0) *Destination++ = Value;
}
#define __stosb(Destination, Value, Count) ((void)memset((Destination), (Value), (Count)))
#define __stosd(Destination, Value, Count) TandemNtStoreUlongs((ULONG*)(Destination), (Value), (Count))
#define __stosq(Destination, Value, Count) TandemNtStoreUlong64s((UINT64*)(Destination), (Value), (Count))
#define __movsb(Destination, Source, Count) ((void)memmove((Destination), (Source), (Count)))
#define __movsd(Destination, Source, Count) ((void)memmove((Destination), (Source), 4 * (SIZE_T)(Count)))
#define __movsq(Destination, Source, Count) ((void)memmove((Destination), (Source), 8 * (SIZE_T)(Count)))

#define _byteswap_ushort(Value) __builtin_bswap16(Value)
#define _byteswap_ulong(Value) __builtin_bswap32(Value)
#define _byteswap_uint64(Value) __builtin_bswap64(Value)
#define __popcnt(Value) ((UINT)__builtin_popcount(Value))
#define __popcnt64(Value) ((UINT64)__builtin_popcountll(Value))
#define __lzcnt(Value) ((Value) == 0 ? 32u : (UINT)__builtin_clz(Value))
#define _ReadWriteBarrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define _ReadBarrier() __atomic_signal_fence(__ATOMIC_ACQUIRE)
#define _WriteBarrier() __atomic_signal_fence(__ATOMIC_RELEASE)
#define __faststorefence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __rdtscp(Processor) ((UINT64)__builtin_ia32_rdtscp(Processor))
#define __nop() __asm__ volatile("nop")

// Ports, as the functions with longer names.
#define __inbyte(Port) READ_PORT_UCHAR((PUCHAR)(ULONG_PTR)(Port))
#define __inword(Port) READ_PORT_USHORT((PUSHORT)(ULONG_PTR)(Port))
#define __indword(Port) READ_PORT_ULONG((PULONG)(ULONG_PTR)(Port))
#define __outbyte(Port, Value) WRITE_PORT_UCHAR((PUCHAR)(ULONG_PTR)(Port), (Value))
#define __outword(Port, Value) WRITE_PORT_USHORT((PUSHORT)(ULONG_PTR)(Port), (Value))
#define __outdword(Port, Value) WRITE_PORT_ULONG((PULONG)(ULONG_PTR)(Port), (Value))
