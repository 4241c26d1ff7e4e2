// OpenAdapter10_2 and the adapter's functions.
#include <new>

#include "drivers/processor/umd/umd_device.h"
#include "drivers/processor/user_mode.h"

#include <d3d12umddi.h>

namespace tandem::processor {
namespace {

SIZE_T APIENTRY CalcPrivateDeviceSize(D3D10DDI_HADAPTER /*adapter*/, CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE* /*args*/) {
  return sizeof(UmdDevice);
}

HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE* args) {
  if (args->hDrvDevice.pDrvPrivate == nullptr || args->p11DeviceFuncs == nullptr ||
      args->DXGIBaseDDI.pDXGIDDIBaseFunctions4 == nullptr || args->Interface != D3D11_DDI_INTERFACE_VERSION) {
    return E_INVALIDARG;
  }
  auto* device = new (args->hDrvDevice.pDrvPrivate) UmdDevice();
  const HRESULT opened = device->Open(*static_cast<UmdAdapter*>(adapter.pDrvPrivate), *args);
  if (FAILED(opened)) {
    device->~UmdDevice();
    return opened;
  }
  FillDeviceFunctions(*args->p11DeviceFuncs);
  FillDxgiFunctions(*args->DXGIBaseDDI.pDXGIDDIBaseFunctions4);
  return S_OK;
}

HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER adapter) {
  delete static_cast<UmdAdapter*>(adapter.pDrvPrivate);
  return S_OK;
}

// Called twice: first for the count, then for the versions.
HRESULT APIENTRY GetSupportedVersions(D3D10DDI_HADAPTER /*adapter*/, UINT32* count, UINT64* versions) {
  if (versions != nullptr) {
    if (*count < 1) return E_OUTOFMEMORY;
    versions[0] = D3D11_DDI_SUPPORTED;
  }
  *count = 1;
  return S_OK;
}

// Answers Direct3D 12's capability that goes with tier 2. Presents use no other capability, so the rest is zero, which means
// none.
HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER adapter, CONST D3D10_2DDIARG_GETCAPS* caps) {
  if (caps->pData == nullptr && caps->DataSize > 0) return E_INVALIDARG;
  if (caps->Type == D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT) {
    if (caps->DataSize != sizeof(D3D12DDI_TEXTURE_LAYOUT_CAPS_0026)) return E_INVALIDARG;
    auto* layouts = new (caps->pData) D3D12DDI_TEXTURE_LAYOUT_CAPS_0026();
    layouts->SupportsRowMajorTexture = static_cast<UmdAdapter*>(adapter.pDrvPrivate)->data.cross_adapter_tier >= 2 ? TRUE : FALSE;
    return S_OK;
  }
  for (UINT i = 0; i < caps->DataSize; ++i) static_cast<BYTE*>(caps->pData)[i] = 0;
  return S_OK;
}

}  // namespace

extern "C" HRESULT ProcessorOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  if (args == nullptr || args->pAdapterFuncs_2 == nullptr || args->pAdapterCallbacks == nullptr) return E_INVALIDARG;
  auto* adapter = new (std::nothrow) UmdAdapter();
  if (adapter == nullptr) return E_OUTOFMEMORY;
  const HRESULT queried =
      QueryAdapterData(args->pAdapterCallbacks->pfnQueryAdapterInfoCb, args->hRTAdapter.handle, adapter->data);
  if (FAILED(queried)) {
    delete adapter;
    return queried;
  }
  args->hAdapter.pDrvPrivate = adapter;
  args->pAdapterFuncs_2->pfnCalcPrivateDeviceSize = CalcPrivateDeviceSize;
  args->pAdapterFuncs_2->pfnCreateDevice = CreateDevice;
  args->pAdapterFuncs_2->pfnCloseAdapter = CloseAdapter;
  args->pAdapterFuncs_2->pfnGetSupportedVersions = GetSupportedVersions;
  args->pAdapterFuncs_2->pfnGetCaps = GetCaps;
  return S_OK;
}

}  // namespace tandem::processor
