// What a driver's shared object may export beside DriverEntry and OpenAdapter10_2, so that `tandem conform`
// can try what only the driver's own user-mode half knows how to ask for. Tandem's addition to the contract.
#pragma once

#include "d3dukmdt.h"

// Sizes are in and out, in bytes: what the buffer holds, what was written.
typedef struct _TANDEM_CONFORM_INTERFACE {
  ULONG Size;  // Of this structure, in bytes.
  // Private data of an allocation of 4 bytes a pixel whose backing store is shared with the kernel-mode half
  // (DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD), and the bytes from row to row.
  NTSTATUS (*DescribeSharedSurface)(UINT Width, UINT Height, VOID* Data, UINT* DataSize, UINT* Pitch);
  // Private data of an escape by which the kernel-mode half reads, or writes, four bytes of such a backing
  // store; where in the data the value stands once the driver has answered.
  NTSTATUS(*DescribeAccess)
  (D3DKMT_HANDLE Allocation, UINT64 Offset, BOOL Write, UINT Value, VOID* Data, UINT* DataSize, UINT* ValueOffset);
} TANDEM_CONFORM_INTERFACE;

// The name of the exported object, of type const TANDEM_CONFORM_INTERFACE.
#define TANDEM_CONFORM_EXPORT "TandemConform"
