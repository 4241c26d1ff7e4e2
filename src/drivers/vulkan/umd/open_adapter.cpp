// OpenAdapter, CreateDevice and their function tables.
#include <new>

#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/umd/umd_device.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {
namespace {

SIZE_T APIENTRY CalcPrivateDeviceSize(D3D10DDI_HADAPTER, CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE*) { return sizeof(UmdDevice); }

VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE handle) {
  auto* device = static_cast<UmdDevice*>(handle.pDrvPrivate);
  if (device->context.hContext != nullptr && device->kernel->pfnDestroyContextCb != nullptr) {
    const D3DDDICB_DESTROYCONTEXT args{device->context.hContext};
    device->kernel->pfnDestroyContextCb(device->runtime.handle, &args);
  }
  device->~UmdDevice();
}

HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE* args) {
  if (args->hDrvDevice.pDrvPrivate == nullptr || args->pKTCallbacks == nullptr || args->p11DeviceFuncs == nullptr)
    return E_INVALIDARG;
  auto* device = new (args->hDrvDevice.pDrvPrivate) UmdDevice();
  device->adapter = static_cast<UmdAdapter*>(adapter.pDrvPrivate);
  device->runtime = args->hRTDevice;
  device->core_layer = args->hRTCoreLayer;
  device->kernel = args->pKTCallbacks;
  device->core = args->p11UMCallbacks;
  device->dxgi = args->DXGIBaseDDI.pDXGIBaseCallbacks;
  if (device->kernel->pfnCreateContextCb != nullptr) {
    device->context.NodeOrdinal = kCopyNode;
    device->context.EngineAffinity = 1;
    const HRESULT result = device->kernel->pfnCreateContextCb(device->runtime.handle, &device->context);
    if (FAILED(result)) {
      device->~UmdDevice();
      return result;
    }
  }
  *args->p11DeviceFuncs = {};
  args->p11DeviceFuncs->pfnFlush = &UmdFlush;
  args->p11DeviceFuncs->pfnCalcPrivateResourceSize = &UmdCalcPrivateResourceSize;
  args->p11DeviceFuncs->pfnCalcPrivateOpenedResourceSize = &UmdCalcPrivateOpenedResourceSize;
  args->p11DeviceFuncs->pfnCreateResource = &UmdCreateResource;
  args->p11DeviceFuncs->pfnOpenResource = &UmdOpenResource;
  args->p11DeviceFuncs->pfnDestroyResource = &UmdDestroyResource;
  args->p11DeviceFuncs->pfnDestroyDevice = &DestroyDevice;
  if (args->DXGIBaseDDI.pDXGIDDIBaseFunctions != nullptr) FillDxgiFunctions(*args->DXGIBaseDDI.pDXGIDDIBaseFunctions);
  return S_OK;
}

HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER adapter) {
  delete static_cast<UmdAdapter*>(adapter.pDrvPrivate);
  return S_OK;
}

HRESULT APIENTRY GetSupportedVersions(D3D10DDI_HADAPTER, UINT32* entries, UINT64* versions) {
  if (entries == nullptr) return E_INVALIDARG;
  if (versions != nullptr) {
    if (*entries < 1) return E_OUTOFMEMORY;
    versions[0] = D3D11_DDI_SUPPORTED;
  }
  *entries = 1;
  return S_OK;
}

HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER, CONST D3D10_2DDIARG_GETCAPS*) { return E_NOTIMPL; }

}  // namespace

HRESULT VulkanOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  if (args == nullptr || args->pAdapterFuncs_2 == nullptr || args->pAdapterCallbacks == nullptr) return E_INVALIDARG;
  auto* adapter = new (std::nothrow) UmdAdapter{args->hRTAdapter, args->pAdapterCallbacks, {}};
  if (adapter == nullptr) return E_OUTOFMEMORY;
  D3DDDICB_QUERYADAPTERINFO query{&adapter->data, sizeof(adapter->data)};
  const HRESULT result = args->pAdapterCallbacks->pfnQueryAdapterInfoCb(args->hRTAdapter.handle, &query);
  if (FAILED(result) || adapter->data.magic != AdapterData::kMagic || adapter->data.version != AdapterData::kVersion) {
    delete adapter;
    return FAILED(result) ? result : E_FAIL;
  }
  args->hAdapter.pDrvPrivate = adapter;
  *args->pAdapterFuncs_2 = {&CalcPrivateDeviceSize, &CreateDevice, &CloseAdapter, &GetSupportedVersions, &GetCaps};
  return S_OK;
}

}  // namespace tandem::vulkan
