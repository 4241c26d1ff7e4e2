// The entry point and the adapter's functions of a Direct3D 9 user-mode driver; part of d3dumddi.h.
#pragma once

#include "d3dumddi_device.h"

// D3DDDI_CREATEDEVICEFLAGS and D3DDDIARG_CREATEDEVICE, d3dumddi.h. hDevice is the runtime's handle on input, the driver's on
// output. Buffers and lists are those of a context that the driver creates.
typedef struct _D3DDDI_CREATEDEVICEFLAGS {
  union {
    struct {
      UINT AllowMultithreading : 1;  // 0x00000001
      UINT AllowFlipBatching : 1;    // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DDDI_CREATEDEVICEFLAGS;

typedef struct _D3DDDIARG_CREATEDEVICE {
  HANDLE hDevice;
  UINT Interface;
  UINT Version;
  CONST D3DDDI_DEVICECALLBACKS* pCallbacks;
  VOID* pCommandBuffer;
  UINT CommandBufferSize;
  D3DDDI_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  D3DDDI_DEVICEFUNCS* pDeviceFuncs;
  D3DDDI_CREATEDEVICEFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS CommandBuffer;
} D3DDDIARG_CREATEDEVICE;

// D3DDDICAPS_TYPE, d3dumddi.h: the questions about formats.
typedef enum _D3DDDICAPS_TYPE WDDM_ENUM {
  D3DDDICAPS_GETFORMATCOUNT = 3,
  D3DDDICAPS_GETFORMATDATA = 4,
} D3DDDICAPS_TYPE;

// D3DDDIARG_GETCAPS, d3dumddi.h.
typedef struct _D3DDDIARG_GETCAPS {
  D3DDDICAPS_TYPE Type;
  VOID* pInfo;
  VOID* pData;
  UINT DataSize;
} D3DDDIARG_GETCAPS;

// FORMATOP, d3dumddi.h: an element of D3DDDICAPS_GETFORMATDATA's answer.
typedef struct _FORMATOP {
  D3DDDIFORMAT Format;
  UINT Operations;
  UINT FlipMsTypes;
  UINT BltMsTypes;
  UINT PrivateFormatBitCount;
} FORMATOP;

#define FORMATOP_TEXTURE 0x00000001
#define FORMATOP_OFFSCREEN_RENDERTARGET 0x00000008
#define FORMATOP_SAME_FORMAT_RENDERTARGET 0x00000010
#define FORMATOP_DISPLAYMODE 0x00000400
#define FORMATOP_OFFSCREENPLAIN 0x00004000

typedef HRESULT(APIENTRY* PFND3DDDI_GETCAPS)(HANDLE hAdapter, CONST D3DDDIARG_GETCAPS*);
typedef HRESULT(APIENTRY* PFND3DDDI_CREATEDEVICE)(HANDLE hAdapter, D3DDDIARG_CREATEDEVICE*);
typedef HRESULT(APIENTRY* PFND3DDDI_CLOSEADAPTER)(HANDLE hAdapter);

// D3DDDI_ADAPTERFUNCS, d3dumddi.h.
typedef struct _D3DDDI_ADAPTERFUNCS {
  PFND3DDDI_GETCAPS pfnGetCaps;
  PFND3DDDI_CREATEDEVICE pfnCreateDevice;
  PFND3DDDI_CLOSEADAPTER pfnCloseAdapter;
} D3DDDI_ADAPTERFUNCS;

// D3DDDIARG_OPENADAPTER, d3dumddi.h. hAdapter is the runtime's handle on input, the driver's on output; Interface is 9 for
// Direct3D 9.
typedef struct _D3DDDIARG_OPENADAPTER {
  HANDLE hAdapter;
  UINT Interface;
  UINT Version;
  CONST D3DDDI_ADAPTERCALLBACKS* pAdapterCallbacks;
  D3DDDI_ADAPTERFUNCS* pAdapterFuncs;
  UINT DriverVersion;
} D3DDDIARG_OPENADAPTER;

// The function that a user-mode driver exports as OpenAdapter.
typedef HRESULT(APIENTRY* PFND3DDDI_OPENADAPTER)(D3DDDIARG_OPENADAPTER* pOpenData);
