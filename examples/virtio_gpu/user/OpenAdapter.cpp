// OpenAdapter10_2, the adapter and the device.
#include "Device.h"

static SIZE_T APIENTRY CalcPrivateDeviceSize(D3D10DDI_HADAPTER Adapter, CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE* Args) {
  UNREFERENCED_PARAMETER(Adapter);
  UNREFERENCED_PARAMETER(Args);
  return sizeof(Device);
}

static HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER Adapter, D3D10DDIARG_CREATEDEVICE* Create) {
  UNREFERENCED_PARAMETER(Adapter);
  if (Create->Interface != D3D11_DDI_INTERFACE_VERSION || Create->hDrvDevice.pDrvPrivate == NULL ||
      Create->p11DeviceFuncs == NULL || Create->DXGIBaseDDI.pDXGIDDIBaseFunctions4 == NULL || Create->pKTCallbacks == NULL ||
      Create->p11UMCallbacks == NULL || Create->DXGIBaseDDI.pDXGIBaseCallbacks == NULL) {
    return E_INVALIDARG;
  }
  Device* Made = DeviceOf(Create->hDrvDevice);
  memset(Made, 0, sizeof(*Made));
  Made->Runtime = Create->hRTDevice.handle;
  Made->CoreLayer = Create->hRTCoreLayer;
  Made->Kernel = Create->pKTCallbacks;
  Made->Core = Create->p11UMCallbacks;
  Made->Dxgi = Create->DXGIBaseDDI.pDXGIBaseCallbacks;
  D3DDDICB_CREATECONTEXT Context = {};
  Context.EngineAffinity = 1;
  CONST HRESULT Status = Made->Kernel->pfnCreateContextCb(Made->Runtime, &Context);
  if (FAILED(Status)) return Status;
  Made->Context = Context.hContext;
  Made->Commands = Context.pCommandBuffer;
  Made->CommandBytes = Context.CommandBufferSize;
  Made->Allocations = Context.pAllocationList;
  Made->AllocationCount = Context.AllocationListSize;
  FillDeviceFunctions(Create->p11DeviceFuncs);
  FillDxgiFunctions(Create->DXGIBaseDDI.pDXGIDDIBaseFunctions4);
  return S_OK;
}

static HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER Adapter) {
  UNREFERENCED_PARAMETER(Adapter);
  return S_OK;
}

// Called for the count, and again for the versions.
static HRESULT APIENTRY GetSupportedVersions(D3D10DDI_HADAPTER Adapter, UINT32* Count, UINT64* Versions) {
  UNREFERENCED_PARAMETER(Adapter);
  if (Versions != NULL && *Count < 1) return E_OUTOFMEMORY;
  if (Versions != NULL) Versions[0] = D3D11_DDI_SUPPORTED;
  *Count = 1;
  return S_OK;
}

// Presents need no capability: all are zero, which means none.
static HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER Adapter, CONST D3D10_2DDIARG_GETCAPS* Caps) {
  UNREFERENCED_PARAMETER(Adapter);
  if (Caps->pData == NULL && Caps->DataSize != 0) return E_INVALIDARG;
  if (Caps->DataSize != 0) memset(Caps->pData, 0, Caps->DataSize);
  return S_OK;
}

// The adapter has no state: its handle is the runtime's.
extern "C" HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* Open) {
  if (Open == NULL || Open->pAdapterFuncs_2 == NULL || Open->hRTAdapter.handle == NULL) return E_INVALIDARG;
  Open->hAdapter.pDrvPrivate = Open->hRTAdapter.handle;
  Open->pAdapterFuncs_2->pfnCalcPrivateDeviceSize = CalcPrivateDeviceSize;
  Open->pAdapterFuncs_2->pfnCreateDevice = CreateDevice;
  Open->pAdapterFuncs_2->pfnCloseAdapter = CloseAdapter;
  Open->pAdapterFuncs_2->pfnGetSupportedVersions = GetSupportedVersions;
  Open->pAdapterFuncs_2->pfnGetCaps = GetCaps;
  return S_OK;
}
