#include "shim/class9/callbacks.h"

#include <algorithm>

#include "base/log.h"
#include "shim/class9/results.h"

namespace tandem::shim {

LiveHandles& Class9Callbacks::Live() {
  static LiveHandles live;
  return live;
}

Class9Device* Class9Callbacks::Find(HANDLE handle) {
  if (Live().Has(handle)) return static_cast<Class9Device*>(handle);
  Log(LogLevel::kError, "The Direct3D 9 display driver called back with handle {}, which is no device of its runtime.", handle);
  return nullptr;
}

bool Class9Callbacks::Exchange(const Class9Device& device, HANDLE token, HANDLE& rt_resource) {
  rt_resource = nullptr;
  if (token == nullptr) return true;
  if (device.running_resource_ == nullptr || device.running_resource_->token != token) return false;
  rt_resource = device.running_resource_->rt_resource;
  return true;
}

HRESULT APIENTRY Class9Callbacks::Allocate(HANDLE handle, D3DDDICB_ALLOCATE* args) {
  Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr) return E_INVALIDARG;
  D3DDDICB_ALLOCATE forwarded = *args;
  if (!Exchange(*device, args->hResource, forwarded.hResource)) return E_INVALIDARG;
  const HRESULT allocated = device->rt_callbacks_.pfnAllocateCb(device->rt_device_, &forwarded);
  if (FAILED(allocated)) return ToClass9(allocated);
  args->hKMResource = forwarded.hKMResource;
  if (forwarded.hResource != nullptr) device->running_resource_->allocated = true;
  return allocated;
}

HRESULT APIENTRY Class9Callbacks::Deallocate(HANDLE handle, CONST D3DDDICB_DEALLOCATE* args) {
  Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr) return E_INVALIDARG;
  D3DDDICB_DEALLOCATE forwarded = *args;
  if (!Exchange(*device, args->hResource, forwarded.hResource)) return E_INVALIDARG;
  if (forwarded.hResource != nullptr) {
    if (!device->running_resource_->allocated) return E_INVALIDARG;
    device->running_resource_->allocated = false;
  }
  return ToClass9(device->rt_callbacks_.pfnDeallocateCb(device->rt_device_, &forwarded));
}

HRESULT APIENTRY Class9Callbacks::QueryResidency(HANDLE handle, CONST D3DDDICB_QUERYRESIDENCY* args) {
  const Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr) return E_INVALIDARG;
  D3DDDICB_QUERYRESIDENCY forwarded = *args;
  if (!Exchange(*device, args->hResource, forwarded.hResource)) return E_INVALIDARG;
  return ToClass9(device->rt_callbacks_.pfnQueryResidencyCb(device->rt_device_, &forwarded));
}

template <auto kSlot, class Args>
HRESULT APIENTRY Class9Callbacks::Forward(HANDLE handle, Args* args) {
  const Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr) return E_INVALIDARG;
  return ToClass9((device->rt_callbacks_.*kSlot)(device->rt_device_, args));
}

// PFND3DDDI_PRESENTCB -> PFNDDXGIDDI_PRESENTCB. The context of the running present is what Direct3D 9 does not have.
HRESULT APIENTRY Class9Callbacks::Present(HANDLE handle, CONST D3DDDICB_PRESENT* args) {
  const Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr || device->running_present_ == nullptr ||
      args->BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) {
    return E_INVALIDARG;
  }
  DXGIDDICB_PRESENT forwarded{};
  forwarded.hSrcAllocation = args->hSrcAllocation;
  forwarded.hDstAllocation = args->hDstAllocation;
  forwarded.pDXGIContext = device->running_present_->context;
  forwarded.hContext = args->hContext;
  forwarded.BroadcastContextCount = args->BroadcastContextCount;
  std::copy_n(args->BroadcastContext, args->BroadcastContextCount, forwarded.BroadcastContext);
  forwarded.BroadcastSrcAllocation = args->BroadcastSrcAllocation;
  forwarded.BroadcastDstAllocation = args->BroadcastDstAllocation;
  forwarded.PrivateDriverDataSize = args->PrivateDriverDataSize;
  forwarded.pPrivateDriverData = args->pPrivateDriverData;
  forwarded.bOptimizeForComposition = args->bOptimizeForComposition;
  forwarded.SyncIntervalOverrideValid = args->SyncIntervalOverrideValid;
  forwarded.SyncIntervalOverride = static_cast<DXGI_DDI_FLIP_INTERVAL_TYPE>(args->SyncIntervalOverride);
  device->running_present_->called_back = true;
  return ToClass9(device->dxgi_callbacks_.pfnPresentCb(device->rt_device_, &forwarded));
}

// The first handle is an adapter's; a device in the arguments is optional.
HRESULT APIENTRY Class9Callbacks::Escape(HANDLE handle, CONST D3DDDICB_ESCAPE* args) {
  const Class9Adapter* const adapter = Class9Adapter::Find(handle);
  if (adapter == nullptr || args == nullptr) return E_INVALIDARG;
  D3DDDICB_ESCAPE forwarded = *args;
  if (args->hDevice != nullptr) {
    const Class9Device* const device = Find(args->hDevice);
    if (device == nullptr) return E_INVALIDARG;
    forwarded.hDevice = device->rt_device_;
  }
  return ToClass9(adapter->Escape(forwarded));
}

HRESULT APIENTRY Class9Callbacks::CreateContext(HANDLE handle, D3DDDICB_CREATECONTEXT* args) {
  Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr) return E_INVALIDARG;
  const HRESULT created = device->rt_callbacks_.pfnCreateContextCb(device->rt_device_, args);
  if (SUCCEEDED(created)) device->contexts_.push_back(args->hContext);
  return ToClass9(created);
}

HRESULT APIENTRY Class9Callbacks::DestroyContext(HANDLE handle, CONST D3DDDICB_DESTROYCONTEXT* args) {
  Class9Device* const device = Find(handle);
  if (device == nullptr || args == nullptr) return E_INVALIDARG;
  if (std::erase(device->contexts_, args->hContext) == 0) return E_INVALIDARG;
  return ToClass9(device->rt_callbacks_.pfnDestroyContextCb(device->rt_device_, args));
}

D3DDDI_DEVICECALLBACKS Class9Callbacks::TableFor(const D3DDDI_DEVICECALLBACKS& runtime, const DXGI_DDI_BASE_CALLBACKS& dxgi) {
  using Table = D3DDDI_DEVICECALLBACKS;
  Table table{};
  if (runtime.pfnAllocateCb != nullptr) table.pfnAllocateCb = Allocate;
  if (runtime.pfnDeallocateCb != nullptr) table.pfnDeallocateCb = Deallocate;
  if (runtime.pfnQueryResidencyCb != nullptr) table.pfnQueryResidencyCb = QueryResidency;
  if (runtime.pfnSetDisplayModeCb != nullptr)
    table.pfnSetDisplayModeCb = Forward<&Table::pfnSetDisplayModeCb, D3DDDICB_SETDISPLAYMODE>;
  if (dxgi.pfnPresentCb != nullptr) table.pfnPresentCb = Present;
  if (runtime.pfnRenderCb != nullptr) table.pfnRenderCb = Forward<&Table::pfnRenderCb, D3DDDICB_RENDER>;
  if (runtime.pfnLockCb != nullptr) table.pfnLockCb = Forward<&Table::pfnLockCb, D3DDDICB_LOCK>;
  if (runtime.pfnUnlockCb != nullptr) table.pfnUnlockCb = Forward<&Table::pfnUnlockCb, CONST D3DDDICB_UNLOCK>;
  if (runtime.pfnEscapeCb != nullptr) table.pfnEscapeCb = Escape;
  if (runtime.pfnCreateContextCb != nullptr) table.pfnCreateContextCb = CreateContext;
  if (runtime.pfnDestroyContextCb != nullptr) table.pfnDestroyContextCb = DestroyContext;
  return table;
}

}  // namespace tandem::shim
