// What a monitor's description says about modes (VESA E-EDID 1.4): size and refresh rate of its preferred timing, and the sizes
// of its established ones.
#pragma once

#include "Pool.h"

#define EDID_BYTES 128
#define EDID_MOST_SIZES 8

struct MonitorModes {
  D3DKMDT_2DREGION Sizes[EDID_MOST_SIZES];  // the preferred one first
  ULONG Count;
  ULONG RefreshMilliHz;
};

// Modes of a block, or of a display of that size at 60 Hz when the block says nothing.
VOID ReadModes(_In_reads_(EDID_BYTES) CONST UCHAR* Edid, _In_ ULONG Width, _In_ ULONG Height, _Out_ MonitorModes* Modes);
