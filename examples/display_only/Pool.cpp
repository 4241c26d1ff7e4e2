// C++ objects live in pool memory.
#include "device.h"

#include "Pool.tmh"

void* __cdecl operator new(size_t Size, PoolKind Kind) {
  return ExAllocatePool2(Kind == PoolKind::Paged ? POOL_FLAG_PAGED : POOL_FLAG_NON_PAGED, Size, DEVICE_TAG);
}

void __cdecl operator delete(void* Object) {
  if (Object != NULL) ExFreePoolWithTag(Object, DEVICE_TAG);
}

void __cdecl operator delete(void* Object, size_t Size) {
  UNREFERENCED_PARAMETER(Size);
  operator delete(Object);
}
