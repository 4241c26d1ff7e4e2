#include "Pool.h"

#include "Pool.tmh"

void* __cdecl operator new(size_t Size, PoolKind Kind) {
  UNREFERENCED_PARAMETER(Kind);
  return ExAllocatePool2(POOL_FLAG_NON_PAGED, Size, DRIVER_TAG);
}

void __cdecl operator delete(void* Object) {
  if (Object != NULL) ExFreePoolWithTag(Object, DRIVER_TAG);
}

void __cdecl operator delete(void* Object, size_t Size) {
  UNREFERENCED_PARAMETER(Size);
  operator delete(Object);
}
