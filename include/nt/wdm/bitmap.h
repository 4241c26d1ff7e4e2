// Bitmaps of the run-time library. Part of wdm.h. Public page: "RTL_BITMAP". Any IRQL.
#pragma once

#include "ntdef.h"

typedef struct _RTL_BITMAP {
  ULONG SizeOfBitMap;  // In bits.
  PULONG Buffer;
} RTL_BITMAP;
typedef RTL_BITMAP* PRTL_BITMAP;

typedef struct _RTL_BITMAP_RUN {
  ULONG StartingIndex;
  ULONG NumberOfBits;
} RTL_BITMAP_RUN;
typedef RTL_BITMAP_RUN* PRTL_BITMAP_RUN;

EXTERN_C VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap);
EXTERN_C VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
EXTERN_C VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
EXTERN_C BOOLEAN NTAPI RtlTestBit(RTL_BITMAP* BitMapHeader, ULONG BitNumber);
#define RtlCheckBit(BitMapHeader, BitNumber) ((((BitMapHeader)->Buffer[(BitNumber) / 32]) >> ((BitNumber) % 32)) & 1)
EXTERN_C VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader);
EXTERN_C VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader);
EXTERN_C VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet);
EXTERN_C VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear);
// FALSE, too, for no bits and for bits past the end.
EXTERN_C BOOLEAN NTAPI RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
EXTERN_C BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
EXTERN_C ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader);
EXTERN_C ULONG NTAPI RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader);

// The first bit of a run of NumberToFind bits, from HintIndex on, then from the start; 0xFFFFFFFF: there is none.
EXTERN_C ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
EXTERN_C ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
EXTERN_C ULONG NTAPI RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
EXTERN_C ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);

// Lengths of runs; 0: there is none.
EXTERN_C ULONG NTAPI RtlFindNextForwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex, PULONG StartingRunIndex);
EXTERN_C ULONG NTAPI RtlFindLastBackwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex, PULONG StartingRunIndex);
EXTERN_C ULONG NTAPI RtlFindFirstRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
EXTERN_C ULONG NTAPI RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
// Number of runs found; the longest ones, longest first, if LocateLongestRuns.
EXTERN_C ULONG NTAPI RtlFindClearRuns(PRTL_BITMAP BitMapHeader, PRTL_BITMAP_RUN RunArray, ULONG SizeOfRunArray,
                                      BOOLEAN LocateLongestRuns);

// Index of a bit that is set in a number; -1: none is.
EXTERN_C CCHAR NTAPI RtlFindMostSignificantBit(ULONGLONG Set);
EXTERN_C CCHAR NTAPI RtlFindLeastSignificantBit(ULONGLONG Set);
