// OpenAdapter and the adapter's functions.
#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "drivers/processor/umd9/umd9_device.h"
#include "drivers/processor/user_mode.h"

namespace tandem::processor {
namespace {

constexpr UINT kInterface = 9;
constexpr UINT kShown = FORMATOP_DISPLAYMODE | FORMATOP_OFFSCREENPLAIN;

// Formats of surfaces. Every display controller shows them, but for NV12, the last.
constexpr std::array<FORMATOP, 6> kFormats{{
    {D3DDDIFMT_A8R8G8B8, kShown, 0, 0, 0},
    {D3DDDIFMT_X8R8G8B8, kShown, 0, 0, 0},
    {D3DDDIFMT_A8B8G8R8, kShown, 0, 0, 0},
    {D3DDDIFMT_A2B10G10R10, kShown, 0, 0, 0},
    {D3DDDIFMT_A16B16G16R16F, kShown, 0, 0, 0},
    {D3DDDIFMT_NV12, FORMATOP_OFFSCREENPLAIN, 0, 0, 0},
}};

// Knows the formats alone; rendering has no capability.
HRESULT APIENTRY GetCaps(HANDLE adapter, CONST D3DDDIARG_GETCAPS* args) {
  if (args->pData == nullptr) return E_INVALIDARG;
  switch (args->Type) {
    case D3DDDICAPS_GETFORMATCOUNT:
      if (args->DataSize < sizeof(UINT)) return E_INVALIDARG;
      *static_cast<UINT*>(args->pData) = static_cast<UINT>(kFormats.size());
      return S_OK;
    case D3DDDICAPS_GETFORMATDATA: {
      if (args->DataSize < sizeof(kFormats)) return E_INVALIDARG;
      auto* const formats = static_cast<FORMATOP*>(args->pData);
      std::copy(kFormats.begin(), kFormats.end(), formats);
      if (static_cast<UmdAdapter*>(adapter)->data.scans_out_nv12 != 0) formats[kFormats.size() - 1].Operations = kShown;
      return S_OK;
    }
    default: return D3DDDIERR_NOTAVAILABLE;
  }
}

HRESULT APIENTRY CreateDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args) {
  if (args->pCallbacks == nullptr || args->pDeviceFuncs == nullptr || args->Interface != kInterface) return E_INVALIDARG;
  std::unique_ptr<Umd9Device> device(new (std::nothrow) Umd9Device(*static_cast<UmdAdapter*>(adapter)));
  if (device == nullptr) return E_OUTOFMEMORY;
  if (const HRESULT opened = device->Open(args->hDevice, *args->pCallbacks); FAILED(opened)) return opened;
  FillDeviceFunctions(*args->pDeviceFuncs);
  args->hDevice = device.release();
  return S_OK;
}

HRESULT APIENTRY CloseAdapter(HANDLE adapter) {
  delete static_cast<UmdAdapter*>(adapter);
  return S_OK;
}

}  // namespace

extern "C" HRESULT ProcessorOpenAdapter(D3DDDIARG_OPENADAPTER* args) {
  if (args == nullptr || args->pAdapterFuncs == nullptr || args->pAdapterCallbacks == nullptr) return E_INVALIDARG;
  std::unique_ptr<UmdAdapter> adapter(new (std::nothrow) UmdAdapter());
  if (adapter == nullptr) return E_OUTOFMEMORY;
  const HRESULT queried = QueryAdapterData(args->pAdapterCallbacks->pfnQueryAdapterInfoCb, args->hAdapter, adapter->data);
  if (FAILED(queried)) return queried;
  *args->pAdapterFuncs = {GetCaps, CreateDevice, CloseAdapter};
  args->DriverVersion = D3D_UMD_INTERFACE_VERSION_WDDM1_3;
  args->hAdapter = adapter.release();
  return S_OK;
}

}  // namespace tandem::processor
