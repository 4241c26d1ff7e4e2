// What the two halves of the driver tell each other through the kernel: private data of allocations, and commands. It comes from
// user mode, so the kernel-mode half checks all of it.
#pragma once

#define SURFACE_MAGIC 0x46525356u  // "VSRF"
#define SURFACE_PRIMARY 1u
#define SURFACE_CROSS_ADAPTER 2u
#define SURFACE_MAX_EXTENT 16384u
#define SURFACE_PITCH_ALIGNMENT 128u  // D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT
#define SURFACE_HEIGHT_ALIGNMENT 4u   // D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT

// A linear surface with four bytes a pixel, or Width bytes in one row without a format (D3DDDIFMT_UNKNOWN).
typedef struct _SURFACE_DATA {
  ULONG Magic;
  ULONG Flags;
  ULONG Width;   // pixels
  ULONG Height;  // pixels
  ULONG Pitch;   // bytes from row to row
  ULONG Format;  // D3DDDIFORMAT
} SURFACE_DATA;

// The one command of user mode: a copy between two entries of the allocation list, without conversion.
#define USER_COPY_MAGIC 0x59504356u  // "VCPY"
typedef struct _USER_COPY {
  ULONG Magic;
  ULONG Source;       // index in the allocation list
  ULONG Destination;  // index in the allocation list
  LONG SourceLeft, SourceTop;
  RECT Rect;  // of the destination
} USER_COPY;
