// C++ objects of the driver live in non-paged pool memory.
#pragma once

extern "C" {
#include <dispmprt.h>
#include <ntddk.h>
#include <ntstrsafe.h>
}

#include "Shared\Trace.H"

#define DRIVER_TAG 'GpiV'

// A value that another thread writes.
inline LONG ReadShared(_In_ volatile LONG* Value) { return InterlockedCompareExchange(Value, 0, 0); }

enum class PoolKind { NonPaged };
void* __cdecl operator new(size_t Size, PoolKind Kind);
void __cdecl operator delete(void* Object);
void __cdecl operator delete(void* Object, size_t Size);
