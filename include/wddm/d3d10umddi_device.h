// Adapter and device entry points of a Direct3D 10 or 11 user-mode driver; part of d3d10umddi.h.
#pragma once

#include "d3d10umddi.h"

// D3D11DDI_DEVICEFUNCS: A SUBSET, NOT LAYOUT-COMPATIBLE with the public table of this name. It has only
// the entries that presenting needs, in the public table's order.
typedef struct D3D11DDI_DEVICEFUNCS {
  // Writes all partly built command buffers out with pfnRenderCb.
  VOID(APIENTRY* pfnFlush)(D3D10DDI_HDEVICE hDevice);
  SIZE_T(APIENTRY* pfnCalcPrivateResourceSize)
  (D3D10DDI_HDEVICE hDevice, CONST D3D11DDIARG_CREATERESOURCE* pCreateResource);
  SIZE_T(APIENTRY* pfnCalcPrivateOpenedResourceSize)
  (D3D10DDI_HDEVICE hDevice, CONST D3D10DDIARG_OPENRESOURCE* pOpenResource);
  // Failures are reported with pfnSetErrorCb.
  VOID(APIENTRY* pfnCreateResource)
  (D3D10DDI_HDEVICE hDevice, CONST D3D11DDIARG_CREATERESOURCE* pCreateResource, D3D10DDI_HRESOURCE hResource,
   D3D10DDI_HRTRESOURCE hRTResource);
  VOID(APIENTRY* pfnOpenResource)
  (D3D10DDI_HDEVICE hDevice, CONST D3D10DDIARG_OPENRESOURCE* pOpenResource, D3D10DDI_HRESOURCE hResource,
   D3D10DDI_HRTRESOURCE hRTResource);
  VOID(APIENTRY* pfnDestroyResource)(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource);
  VOID(APIENTRY* pfnDestroyDevice)(D3D10DDI_HDEVICE hDevice);
} D3D11DDI_DEVICEFUNCS;

// D3D11DDI_CORELAYER_DEVICECALLBACKS: A SUBSET, NOT LAYOUT-COMPATIBLE, as above.
typedef struct D3D11DDI_CORELAYER_DEVICECALLBACKS {
  VOID(APIENTRY CALLBACK* pfnSetErrorCb)(D3D10DDI_HRTCORELAYER hRTCoreLayer, HRESULT hr);
} D3D11DDI_CORELAYER_DEVICECALLBACKS;

// D3D10DDIARG_CREATEDEVICE, d3d10umddi.h. pDrvPrivate of hDrvDevice has the size that
// pfnCalcPrivateDeviceSize returned.
typedef struct D3D10DDIARG_CREATEDEVICE {
  D3D10DDI_HRTDEVICE hRTDevice;
  UINT Interface;
  UINT Version;
  CONST D3DDDI_DEVICECALLBACKS* pKTCallbacks;
  union {
    VOID* pDeviceFuncs;
    D3D11DDI_DEVICEFUNCS* p11DeviceFuncs;
  };
  D3D10DDI_HDEVICE hDrvDevice;
  DXGI_DDI_BASE_ARGS DXGIBaseDDI;
  D3D10DDI_HRTCORELAYER hRTCoreLayer;
  union {
    CONST VOID* pUMCallbacks;
    CONST D3D11DDI_CORELAYER_DEVICECALLBACKS* p11UMCallbacks;
  };
  UINT Flags;
  PVOID ppfnRetrieveSubObject;
} D3D10DDIARG_CREATEDEVICE;

// D3D10DDIARG_CALCPRIVATEDEVICESIZE, d3d10umddi.h.
typedef struct D3D10DDIARG_CALCPRIVATEDEVICESIZE {
  UINT Interface;
  UINT Version;
  UINT Flags;
} D3D10DDIARG_CALCPRIVATEDEVICESIZE;

// D3D10_2DDIARG_GETCAPS, d3d10umddi.h.
typedef struct D3D10_2DDIARG_GETCAPS {
  UINT Type;
  VOID* pInfo;
  VOID* pData;
  UINT DataSize;
} D3D10_2DDIARG_GETCAPS;

typedef SIZE_T(APIENTRY* PFND3D10DDI_CALCPRIVATEDEVICESIZE)(D3D10DDI_HADAPTER hAdapter,
                                                            CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE* pData);
typedef HRESULT(APIENTRY* PFND3D10DDI_CREATEDEVICE)(D3D10DDI_HADAPTER hAdapter, D3D10DDIARG_CREATEDEVICE* pData);
typedef HRESULT(APIENTRY* PFND3D10DDI_CLOSEADAPTER)(D3D10DDI_HADAPTER hAdapter);
typedef HRESULT(APIENTRY* PFND3D10_2DDI_GETSUPPORTEDVERSIONS)(D3D10DDI_HADAPTER hAdapter, UINT32* puEntries,
                                                              UINT64* pSupportedDDIInterfaceVersions);
typedef HRESULT(APIENTRY* PFND3D10_2DDI_GETCAPS)(D3D10DDI_HADAPTER hAdapter, CONST D3D10_2DDIARG_GETCAPS* pData);

// D3D10DDI_ADAPTERFUNCS and D3D10_2DDI_ADAPTERFUNCS, d3d10umddi.h.
typedef struct D3D10DDI_ADAPTERFUNCS {
  PFND3D10DDI_CALCPRIVATEDEVICESIZE pfnCalcPrivateDeviceSize;
  PFND3D10DDI_CREATEDEVICE pfnCreateDevice;
  PFND3D10DDI_CLOSEADAPTER pfnCloseAdapter;
} D3D10DDI_ADAPTERFUNCS;

typedef struct D3D10_2DDI_ADAPTERFUNCS {
  PFND3D10DDI_CALCPRIVATEDEVICESIZE pfnCalcPrivateDeviceSize;
  PFND3D10DDI_CREATEDEVICE pfnCreateDevice;
  PFND3D10DDI_CLOSEADAPTER pfnCloseAdapter;
  PFND3D10_2DDI_GETSUPPORTEDVERSIONS pfnGetSupportedVersions;
  PFND3D10_2DDI_GETCAPS pfnGetCaps;
} D3D10_2DDI_ADAPTERFUNCS;

// D3D10DDIARG_OPENADAPTER, d3d10umddi.h. hAdapter is output.
typedef struct D3D10DDIARG_OPENADAPTER {
  D3D10DDI_HRTADAPTER hRTAdapter;
  D3D10DDI_HADAPTER hAdapter;
  UINT Interface;
  UINT Version;
  CONST D3DDDI_ADAPTERCALLBACKS* pAdapterCallbacks;
  union {
    D3D10DDI_ADAPTERFUNCS* pAdapterFuncs;
    D3D10_2DDI_ADAPTERFUNCS* pAdapterFuncs_2;
  };
} D3D10DDIARG_OPENADAPTER;

// The functions that a user-mode driver exports: OpenAdapter10 and OpenAdapter10_2.
typedef HRESULT(APIENTRY* PFND3D10DDI_OPENADAPTER)(D3D10DDIARG_OPENADAPTER* pOpenData);
