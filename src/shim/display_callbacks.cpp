#include "shim/display_callbacks.h"

#include <cstdint>

#include "shim/render_call.h"

namespace tandem::shim {
namespace {

DisplayDevice& From(HANDLE device) { return *static_cast<DisplayDevice*>(device); }

HRESULT QueryAdapterInfo(HANDLE adapter, CONST D3DDDICB_QUERYADAPTERINFO* args) {
  if (RenderCall::Refuses()) return E_FAIL;
  const auto& display = *static_cast<DisplayAdapter*>(adapter);
  return display.callbacks().pfnQueryAdapterInfoCb(display.rt_adapter(), args);
}

}  // namespace

template <auto kSlot, class Args>
HRESULT DisplayCallbacks::Forward(HANDLE device, Args* args) {
  if (RenderCall::Refuses()) return E_FAIL;
  const DisplayDevice& display = From(device);
  const auto callback = display.callbacks_->*kSlot;
  return callback != nullptr ? callback(display.rt_device_, args) : E_NOTIMPL;
}

// Arrived surfaces are the shim's: the runtime has no handle for them.
HRESULT DisplayCallbacks::Deallocate(HANDLE device, CONST D3DDDICB_DEALLOCATE* args) {
  if (args->hResource == device) return S_OK;
  return Forward<&D3DDDI_DEVICECALLBACKS::pfnDeallocateCb>(device, args);
}

HRESULT DisplayCallbacks::CreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args) {
  const HRESULT created = Forward<&D3DDDI_DEVICECALLBACKS::pfnCreateContextCb>(device, args);
  if (FAILED(created)) return created;
  DisplayDevice& display = From(device);
  if (display.context_ == 0) display.context_ = static_cast<D3DKMT_HANDLE>(reinterpret_cast<std::uintptr_t>(args->hContext));
  return S_OK;
}

HRESULT DisplayCallbacks::Escape(HANDLE adapter, CONST D3DDDICB_ESCAPE* args) {
  if (RenderCall::Refuses()) return E_FAIL;
  if (args->hDevice == nullptr) return E_NOTIMPL;  // the slot that leads to the runtime stands in the device's table
  const DisplayDevice& display = From(args->hDevice);
  if (display.callbacks_->pfnEscapeCb == nullptr) return E_NOTIMPL;
  D3DDDICB_ESCAPE exchanged = *args;
  exchanged.hDevice = display.rt_device_;
  return display.callbacks_->pfnEscapeCb(static_cast<DisplayAdapter*>(adapter)->rt_adapter(), &exchanged);
}

HRESULT DisplayCallbacks::Present(HANDLE device, DXGIDDICB_PRESENT* args) {
  if (RenderCall::Refuses()) return E_FAIL;
  DisplayDevice& display = From(device);
  if (display.running_copy_ != nullptr) return display.QueueCopy(*args);
  return display.dxgi_callbacks_->pfnPresentCb(display.rt_device_, args);
}

VOID DisplayCallbacks::SetError(D3D10DDI_HRTCORELAYER layer, HRESULT error) {
  if (!RenderCall::Refuses()) From(layer.handle).error_ = error;
}

const D3DDDI_ADAPTERCALLBACKS& DisplayCallbacks::Adapter() {
  static constexpr D3DDDI_ADAPTERCALLBACKS kTable = {QueryAdapterInfo, nullptr, nullptr};
  return kTable;
}

const D3DDDI_DEVICECALLBACKS& DisplayCallbacks::Device() {
  static const D3DDDI_DEVICECALLBACKS kTable = [] {
    D3DDDI_DEVICECALLBACKS table{};
    table.pfnAllocateCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnAllocateCb>;
    table.pfnDeallocateCb = Deallocate;
    table.pfnQueryResidencyCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnQueryResidencyCb>;
    table.pfnSetDisplayModeCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnSetDisplayModeCb>;
    table.pfnRenderCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnRenderCb>;
    table.pfnLockCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnLockCb>;
    table.pfnUnlockCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnUnlockCb>;
    table.pfnEscapeCb = Escape;
    table.pfnCreateContextCb = CreateContext;
    table.pfnDestroyContextCb = Forward<&D3DDDI_DEVICECALLBACKS::pfnDestroyContextCb>;
    return table;
  }();
  return kTable;
}

const D3D11DDI_CORELAYER_DEVICECALLBACKS& DisplayCallbacks::CoreLayer() {
  static constexpr D3D11DDI_CORELAYER_DEVICECALLBACKS kTable = {SetError};
  return kTable;
}

DXGI_DDI_BASE_CALLBACKS& DisplayCallbacks::Dxgi() {
  static DXGI_DDI_BASE_CALLBACKS table = {Present, nullptr, nullptr, nullptr, nullptr};
  return table;
}

}  // namespace tandem::shim
