#include "Edid.h"

#include "Edid.tmh"

#define DETAILED_TIMING 54
#define ESTABLISHED_TIMINGS 35
#define STANDARD_MILLIHZ 60000

static VOID AddSize(_In_ UINT Width, _In_ UINT Height, _Inout_ MonitorModes* Modes) {
  if (Width == 0 || Height == 0 || Modes->Count == EDID_MOST_SIZES) return;
  for (ULONG i = 0; i < Modes->Count; i++) {
    if (Modes->Sizes[i].cx == Width && Modes->Sizes[i].cy == Height) return;
  }
  Modes->Sizes[Modes->Count].cx = Width;
  Modes->Sizes[Modes->Count++].cy = Height;
}

static BOOLEAN IsEdid(_In_reads_(EDID_BYTES) CONST UCHAR* Edid) {
  static CONST UCHAR Header[8] = {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00};
  UCHAR Sum = 0;
  for (int i = 0; i < EDID_BYTES; i++) Sum = (UCHAR)(Sum + Edid[i]);
  return Sum == 0 && RtlCompareMemory(Edid, Header, sizeof(Header)) == sizeof(Header);
}

VOID ReadModes(_In_reads_(EDID_BYTES) CONST UCHAR* Edid, _In_ ULONG Width, _In_ ULONG Height, _Out_ MonitorModes* Modes) {
  static CONST struct {
    UINT Width, Height;
    int Byte;
    UCHAR Bit;
  } Established[] = {{640, 480, 0, 0x20}, {800, 600, 0, 0x01}, {1024, 768, 1, 0x08}};
  RtlZeroMemory(Modes, sizeof(*Modes));
  Modes->RefreshMilliHz = STANDARD_MILLIHZ;
  CONST BOOLEAN IsKnown = IsEdid(Edid);
  CONST UCHAR* Timing = Edid + DETAILED_TIMING;
  CONST ULONG Clock = IsKnown ? Timing[0] | Timing[1] << 8 : 0;  // in units of 10 kHz; 0: the descriptor is no timing
  if (Clock != 0) {
    CONST ULONG Columns = Timing[2] | (Timing[4] & 0xF0) << 4, BlankColumns = Timing[3] | (Timing[4] & 0x0F) << 8;
    CONST ULONG Rows = Timing[5] | (Timing[7] & 0xF0) << 4, BlankRows = Timing[6] | (Timing[7] & 0x0F) << 8;
    AddSize(Columns, Rows, Modes);
    CONST ULONG64 Total = (ULONG64)(Columns + BlankColumns) * (Rows + BlankRows);
    if (Total != 0) Modes->RefreshMilliHz = (ULONG)((Clock * 10000000ull + Total / 2) / Total);
  }
  AddSize(Width, Height, Modes);
  for (int i = 0; IsKnown && i < (int)ARRAYSIZE(Established); i++) {
    if (Edid[ESTABLISHED_TIMINGS + Established[i].Byte] & Established[i].Bit) {
      AddSize(Established[i].Width, Established[i].Height, Modes);
    }
  }
  if (Modes->RefreshMilliHz == 0) Modes->RefreshMilliHz = STANDARD_MILLIHZ;
}
