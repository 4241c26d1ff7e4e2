// Mode sets of a video present network: sizes that the driver offers, and what they are as modes.
#pragma once

#include "Adapter.h"

#define MOST_SIZES 64

struct SizeList {
  D3DKMDT_2DREGION Sizes[MOST_SIZES];
  ULONG Count;

  VOID Add(_In_ D3DKMDT_2DREGION Size) {
    if (Size.cx == 0 || Size.cy == 0 || Size.cx > SURFACE_MAX_EXTENT || Size.cy > SURFACE_MAX_EXTENT) return;
    for (ULONG i = 0; i < Count; i++) {
      if (Sizes[i].cx == Size.cx && Sizes[i].cy == Size.cy) return;
    }
    if (Count < MOST_SIZES) Sizes[Count++] = Size;
  }
};

// A network in one of the kernel's hands.
struct Network {
  D3DKMDT_HVIDPN Handle;
  CONST DXGK_VIDPN_INTERFACE* Functions;
};

VOID DescribeSignal(_In_ D3DKMDT_2DREGION Size, _In_ ULONG RefreshMilliHz, _Out_ D3DKMDT_VIDEO_SIGNAL_INFO* Signal);

// Replace the set of the source or of the target. PinFirst: the first size is chosen. PASSIVE_LEVEL.
NTSTATUS OfferSourceModes(_In_ CONST Network* Net, _In_ CONST SizeList* Sizes, _In_ BOOLEAN PinFirst);
NTSTATUS OfferTargetModes(_In_ CONST Network* Net, _In_ CONST SizeList* Sizes, _In_ ULONG RefreshMilliHz, _In_ BOOLEAN PinFirst);
