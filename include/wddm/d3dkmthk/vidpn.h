// The active VidPN as programs change it: gamma ramps, and another VidPN that the driver recommends.
#pragma once

#include "d3dkmdt_path.h"
#include "d3dkmthk/adapter.h"

// D3DKMT_SETGAMMARAMP, d3dkmthk.h. Size in bytes; a ramp of the default type has none. The device owns the source, or nobody
// does.
typedef struct _D3DKMT_SETGAMMARAMP {
  D3DKMT_HANDLE hDevice;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_GAMMARAMP_TYPE Type;
  union {
    D3DDDI_GAMMA_RAMP_RGB256x3x16* pGammaRampRgb256x3x16;
    D3DDDI_GAMMA_RAMP_DXGI_1* pGammaRampDXGI1;
  };
  UINT Size;
} D3DKMT_SETGAMMARAMP;

// D3DKMT_INVALIDATEACTIVEVIDPN, d3dkmthk.h. The driver gets the private data with the question what it recommends.
typedef struct _D3DKMT_INVALIDATEACTIVEVIDPN {
  D3DKMT_HANDLE hAdapter;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
} D3DKMT_INVALIDATEACTIVEVIDPN;

// Waits until the adapter is idle. The next mode of the source has the default ramp again.
EXTERN_C NTSTATUS APIENTRY D3DKMTSetGammaRamp(CONST D3DKMT_SETGAMMARAMP* pData);
// Waits until the adapter is idle. Changes which targets show each source.
EXTERN_C NTSTATUS APIENTRY D3DKMTInvalidateActiveVidPn(CONST D3DKMT_INVALIDATEACTIVEVIDPN* pData);
