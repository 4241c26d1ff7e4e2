// The user-mode half: surfaces and presents for the Direct3D 10 class of runtimes, and no drawing. It keeps nothing of its own,
// for the runtime brings the memory of each object.
#pragma once

extern "C" {
#include <d3d10umddi.h>
#include <ntdef.h>
}

#include "..\Shared\Surface.h"

// The object of a resource's handle.
struct Resource {
  SURFACE_DATA Surface;
  D3DKMT_HANDLE Allocation;  // 0: the creation failed
  D3DKMT_HANDLE KernelResource;
  HANDLE Runtime;  // the runtime's handle
};

// The object of a device's handle.
struct Device {
  HANDLE Runtime;  // the runtime's handle
  D3D10DDI_HRTCORELAYER CoreLayer;
  CONST D3DDDI_DEVICECALLBACKS* Kernel;
  CONST D3D11DDI_CORELAYER_DEVICECALLBACKS* Core;
  CONST DXGI_DDI_BASE_CALLBACKS* Dxgi;
  // The context's next submission.
  HANDLE Context;
  VOID* Commands;
  UINT CommandBytes;
  D3DDDI_ALLOCATIONLIST* Allocations;
  UINT AllocationCount;
};

inline Device* DeviceOf(D3D10DDI_HDEVICE Handle) { return static_cast<Device*>(Handle.pDrvPrivate); }
inline Device* DeviceOf(DXGI_DDI_HDEVICE Handle) { return reinterpret_cast<Device*>(Handle); }
inline Resource* ResourceOf(D3D10DDI_HRESOURCE Handle) { return static_cast<Resource*>(Handle.pDrvPrivate); }
inline Resource* ResourceOf(DXGI_DDI_HRESOURCE Handle) { return reinterpret_cast<Resource*>(Handle); }

VOID FillDeviceFunctions(_Out_ D3D11DDI_DEVICEFUNCS* Table);
VOID FillDxgiFunctions(_Out_ DXGI1_3_DDI_BASE_FUNCTIONS* Table);
// Queues a copy on the device's context. Rectangles of one size.
HRESULT CopyRect(_Inout_ Device* On, _In_ CONST Resource* From, _In_ LONG Left, _In_ LONG Top, _In_ CONST Resource* To,
                 _In_ CONST RECT* Rect);
