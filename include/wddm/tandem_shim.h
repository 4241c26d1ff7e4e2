// A user-mode driver made of two, as its host sets it up. The host exports the D3DKMT functions to shared objects. Tandem's
// addition to the contract.
#pragma once

#include "d3d10umddi.h"
#include "d3dkmthk.h"

// Set by the application's initialization before the runtime opens the display adapter. The functions stay valid.
typedef struct _TANDEM_SHIM_HOST {
  ULONG Size;  // Bytes of this structure.
  LUID RenderAdapter;
  // The user-mode drivers beneath. NULL for a shim inside a driver: that driver's own.
  PFND3D10DDI_OPENADAPTER OpenRenderAdapter;
  PFND3D10DDI_OPENADAPTER OpenDisplayAdapter;
  // The kernel's device behind the runtime's: resources of the render adapter are opened there, too.
  D3DKMT_HANDLE(APIENTRY* GetKernelDevice)(D3D10DDI_HRTDEVICE hRTDevice);
  // The global handle of a resource that the runtime created as shared; 0: it is not shared.
  D3DKMT_HANDLE(APIENTRY* GetGlobalShare)(D3D10DDI_HRTRESOURCE hRTResource);
} TANDEM_SHIM_HOST;

// The function that a shim exports beside OpenAdapter10_2. It keeps a copy; NULL takes the host back.
typedef HRESULT(APIENTRY* PFNTANDEM_SETSHIMHOST)(CONST TANDEM_SHIM_HOST* pHost);
#define TANDEM_SHIM_EXPORT "TandemSetShimHost"
