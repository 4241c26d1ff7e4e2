// Surfaces, as both halves of the driver describe them.
#pragma once

#include "Pool.h"
#include "Shared\Surface.h"

// An allocation of the adapter. A device that opens it gets the same object.
struct Allocation {
  SURFACE_DATA Surface;
  // Of the device, once the surface was shown; the display's thread alone uses them.
  ULONG ResourceId;     // 0: none
  ULONG64 AttachedAt;   // aperture address of the backing
  LONG AttachedChange;  // Aperture::Changes() when it was listed
};

// The virtio format of a D3DDDIFORMAT; 0: the driver has no such surface.
ULONG VirtioFormat(_In_ ULONG Format);
// TRUE when red and blue stand in each other's place in the two formats.
BOOLEAN SwapsRedAndBlue(_In_ ULONG One, _In_ ULONG Other);
ULONG64 SurfaceBytes(_In_ CONST SURFACE_DATA* Surface);
// Pitch 0: the least one.
VOID LayOut(_Inout_ SURFACE_DATA* Surface);
BOOLEAN IsValidSurface(_In_ CONST SURFACE_DATA* Surface);
inline BOOLEAN IsHeap(_In_ CONST SURFACE_DATA* Surface) { return Surface->Format == D3DDDIFMT_UNKNOWN; }

NTSTATUS CreateAllocations(_Inout_ DXGKARG_CREATEALLOCATION* Create);
NTSTATUS DescribeAllocation(_Inout_ DXGKARG_DESCRIBEALLOCATION* Describe);
NTSTATUS DescribeStandardAllocation(_Inout_ DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* Standard);
NTSTATUS OpenAllocations(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ CONST DXGKARG_OPENALLOCATION* Open);
