// What stands in a DMA buffer: operations of one size. The kernel-mode half writes them, and the engine trusts them.
#pragma once

#include "Pool.h"

enum Operation : ULONG { OperationBlt, OperationFill, OperationMap, OperationUnmap, OperationTransfer, OperationFillBytes };

#define COMMAND_SWAPS_RED_AND_BLUE 1u
#define COMMAND_SKIPS_SOURCE_KEY 2u  // pixels of the colour Color are not copied
#define COMMAND_OVER_KEY 4u          // only pixels of the colour Color are written over

struct GpuCommand {
  ULONG64 Source;       // aperture address of a surface or a range; of a mapping and of system memory the system's address
  ULONG64 Destination;  // the same; of a mapping the first page
  Operation What;
  ULONG Flags;
  ULONG SourcePitch, DestinationPitch;  // bytes
  ULONG Color;                          // in the destination's format; of a fill of bytes the pattern
  RECT From, To;                        // From is stretched to To
  RECT Part;                            // of the destination, what is written
  ULONG64 Count;                        // bytes, or pages of a mapping
  PFN_NUMBER Frame;
  BOOLEAN SourceIsSystem, DestinationIsSystem;
};

// Private data of a DMA buffer: where the processor finds it, for a submission names the physical address alone.
struct BufferData {
  PUCHAR Begin;      // NULL in a buffer that nobody wrote to
  BOOLEAN IsPaging;  // Begin is the first command, wherever a submission starts
};
