// An interface that a driver's shared object may export beside DriverEntry and OpenAdapter10_2. With it `tandem conform` tries
// requests that otherwise only the driver's own user-mode half can make. Tandem's addition to the contract.
#pragma once

#include "d3dukmdt.h"

// Sizes in bytes: on entry the buffer's size, on return the bytes written.
typedef struct _TANDEM_CONFORM_INTERFACE {
  ULONG Size;  // Bytes of this structure.
  // Writes the private data of an allocation with 4 bytes a pixel that shares its backing store with the kernel-mode half
  // (DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD). Pitch returns the bytes from row to row.
  NTSTATUS (*DescribeSharedSurface)(UINT Width, UINT Height, VOID* Data, UINT* DataSize, UINT* Pitch);
  // Writes the private data of an escape that makes the kernel-mode half read or write four bytes of such a backing store.
  // ValueOffset returns the value's position in the data after the driver's answer.
  NTSTATUS(*DescribeAccess)
  (D3DKMT_HANDLE Allocation, UINT64 Offset, BOOL Write, UINT Value, VOID* Data, UINT* DataSize, UINT* ValueOffset);
} TANDEM_CONFORM_INTERFACE;

// The name of the exported object, of type const TANDEM_CONFORM_INTERFACE.
#define TANDEM_CONFORM_EXPORT "TandemConform"
