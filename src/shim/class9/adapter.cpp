#include "shim/class9/adapter.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.h"
#include "shim/class9/device.h"
#include "shim/class9/results.h"
#include "shim/class9/translation.h"

namespace tandem::shim {
namespace {

constexpr UINT kDirect3D9 = 9;

Class9Adapter& FromHandle(D3D10DDI_HADAPTER handle) { return *static_cast<Class9Adapter*>(handle.pDrvPrivate); }

SIZE_T APIENTRY CalcPrivateDeviceSize(D3D10DDI_HADAPTER /*adapter*/, CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE* /*args*/) {
  return sizeof(Class9Device);
}

HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE* args) {
  return Class9Device::Create(FromHandle(adapter), *args);
}

HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER adapter) {
  const std::unique_ptr<Class9Adapter> closed(&FromHandle(adapter));
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

// A display adapter of this class renders nothing, so it has no capability.
HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER /*adapter*/, CONST D3D10_2DDIARG_GETCAPS* caps) {
  if (caps->pData == nullptr && caps->DataSize > 0) return E_INVALIDARG;
  std::fill_n(static_cast<BYTE*>(caps->pData), caps->DataSize, BYTE{0});
  return S_OK;
}

}  // namespace

Class9Adapter::Class9Adapter(const D3D10DDIARG_OPENADAPTER& args)
    : rt_adapter_(args.hRTAdapter.handle), rt_callbacks_(*args.pAdapterCallbacks) {
  Live().Add(this);
}

Class9Adapter::~Class9Adapter() {
  if (driver_ != nullptr && FAILED(functions_.pfnCloseAdapter(driver_))) {
    Log(LogLevel::kError, "The Direct3D 9 display driver failed to close its adapter.");
  }
  Live().Remove(this);
}

LiveHandles& Class9Adapter::Live() {
  static LiveHandles live;
  return live;
}

const Class9Adapter* Class9Adapter::Find(HANDLE handle) {
  return Live().Has(handle) ? static_cast<const Class9Adapter*>(handle) : nullptr;
}

HRESULT APIENTRY Class9Adapter::QueryAdapterInfo(HANDLE handle, CONST D3DDDICB_QUERYADAPTERINFO* args) {
  const Class9Adapter* const adapter = Find(handle);
  if (adapter == nullptr || args == nullptr) return E_INVALIDARG;
  return ToClass9(adapter->rt_callbacks_.pfnQueryAdapterInfoCb(adapter->rt_adapter_, args));
}

HRESULT Class9Adapter::Open(PFND3DDDI_OPENADAPTER driver, const D3D10DDIARG_OPENADAPTER& args,
                            std::unique_ptr<Class9Adapter>& opened) {
  static constexpr D3DDDI_ADAPTERCALLBACKS kCallbacks = {QueryAdapterInfo, nullptr, nullptr};
  std::unique_ptr<Class9Adapter> adapter(new (std::nothrow) Class9Adapter(args));
  if (adapter == nullptr) return E_OUTOFMEMORY;
  D3DDDIARG_OPENADAPTER open{adapter.get(), kDirect3D9, 0, &kCallbacks, &adapter->functions_, 0};
  if (const HRESULT result = driver(&open); FAILED(result)) return ToDxgi(result);
  // An answer without its own handle or without CloseAdapter has nothing that could be closed.
  if (open.hAdapter == nullptr || open.hAdapter == adapter.get() || adapter->functions_.pfnCloseAdapter == nullptr) {
    Log(LogLevel::kError, "The Direct3D 9 display driver opened an adapter without a handle or without CloseAdapter.");
    return E_FAIL;
  }
  adapter->driver_ = open.hAdapter;
  if (adapter->functions_.pfnCreateDevice == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  adapter->shown_ = ShownFormats::Of(adapter->driver_, adapter->functions_.pfnGetCaps);
  opened = std::move(adapter);
  return S_OK;
}

HRESULT OpenTranslatedAdapter(PFND3DDDI_OPENADAPTER driver, D3D10DDIARG_OPENADAPTER* args) {
  if (driver == nullptr || args == nullptr || args->pAdapterFuncs_2 == nullptr || args->pAdapterCallbacks == nullptr ||
      args->pAdapterCallbacks->pfnQueryAdapterInfoCb == nullptr) {
    return E_INVALIDARG;
  }
  std::unique_ptr<Class9Adapter> adapter;
  if (const HRESULT opened = Class9Adapter::Open(driver, *args, adapter); FAILED(opened)) return opened;
  args->hAdapter.pDrvPrivate = adapter.release();
  *args->pAdapterFuncs_2 = {CalcPrivateDeviceSize, CreateDevice, CloseAdapter, GetSupportedVersions, GetCaps};
  return S_OK;
}

}  // namespace tandem::shim
