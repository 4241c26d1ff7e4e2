// Handles of the Direct3D 10 driver interface; part of d3d10umddi.h. Each is a type of its own: the
// driver's are pointers to its private memory, the runtime's are opaque, the kernel's are
// D3DKMT_HANDLE.
#pragma once

#include "d3dukmdt.h"

#define D3D10DDI_H(x)  \
  typedef struct x {   \
    VOID* pDrvPrivate; \
  } x
#define D3D10DDI_HRT(x) \
  typedef struct x {    \
    VOID* handle;       \
  } x
#define D3D10DDI_HKM(x)   \
  typedef struct x {      \
    D3DKMT_HANDLE handle; \
  } x

D3D10DDI_H(D3D10DDI_HADAPTER);
D3D10DDI_H(D3D10DDI_HDEVICE);
D3D10DDI_H(D3D10DDI_HRESOURCE);

D3D10DDI_HRT(D3D10DDI_HRTADAPTER);
D3D10DDI_HRT(D3D10DDI_HRTDEVICE);
D3D10DDI_HRT(D3D10DDI_HRTRESOURCE);
D3D10DDI_HRT(D3D10DDI_HRTCORELAYER);

D3D10DDI_HKM(D3D10DDI_HKMRESOURCE);
D3D10DDI_HKM(D3D10DDI_HKMALLOCATION);
