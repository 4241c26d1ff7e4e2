// The user-mode half's adapter, device and resource. Device and resource lie in the runtime's memory.
#pragma once

#include <cstdint>

#include "drivers/soft/adapter_data.h"
#include "drivers/soft/allocation_data.h"

#include <d3d10umddi.h>

namespace tandem::soft {

// The object of a D3D10DDI_HADAPTER, in our own memory.
struct UmdAdapter {
  AdapterData data;
};

// The object of a D3D10DDI_HRESOURCE.
struct UmdResource {
  AllocationData data;
  D3DKMT_HANDLE allocation = 0;  // 0: creation failed
  D3DKMT_HANDLE km_resource = 0;
  HANDLE rt_resource = nullptr;  // the runtime's handle
};

// The object of a D3D10DDI_HDEVICE. Threads: the runtime calls on one thread at a time.
class UmdDevice {
 public:
  // Copies the callback pointers and creates a context on the render node. After a failure no other function may be called.
  HRESULT Open(const UmdAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& args);
  void Close();

  [[nodiscard]] const UmdAdapter& adapter() const { return *adapter_; }
  [[nodiscard]] HANDLE context() const { return context_; }

  // Reports an error of a function that returns void.
  void SetError(HRESULT error) const;
  HRESULT Allocate(D3DDDICB_ALLOCATE& args) const { return callbacks_->pfnAllocateCb(rt_device_, &args); }
  HRESULT Deallocate(const D3DDDICB_DEALLOCATE& args) const { return callbacks_->pfnDeallocateCb(rt_device_, &args); }
  HRESULT QueryResidency(const D3DDDICB_QUERYRESIDENCY& args) const { return callbacks_->pfnQueryResidencyCb(rt_device_, &args); }
  HRESULT PresentCb(DXGIDDICB_PRESENT& args) const { return dxgi_callbacks_->pfnPresentCb(rt_device_, &args); }
  // Fills an allocation row by row from program memory.
  HRESULT Upload(const UmdResource& resource, const D3D10_DDIARG_SUBRESOURCE_UP& initial) const;
  // Copies pixels without conversion; the rectangle must lie inside both resources. Queues on the context, does not wait.
  HRESULT Copy(const UmdResource& source, std::int32_t source_left, std::int32_t source_top, const UmdResource& destination,
               const RECT& rect);

 private:
  const UmdAdapter* adapter_ = nullptr;
  HANDLE rt_device_ = nullptr;
  D3D10DDI_HRTCORELAYER core_layer_{};
  const D3DDDI_DEVICECALLBACKS* callbacks_ = nullptr;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS* core_callbacks_ = nullptr;
  const DXGI_DDI_BASE_CALLBACKS* dxgi_callbacks_ = nullptr;

  // The buffers of the context's next submission; each pfnRenderCb renews them.
  HANDLE context_ = nullptr;
  void* command_buffer_ = nullptr;
  std::uint32_t command_buffer_bytes_ = 0;
  D3DDDI_ALLOCATIONLIST* allocation_list_ = nullptr;
  std::uint32_t allocation_list_size_ = 0;
};

[[nodiscard]] inline UmdDevice& FromHandle(D3D10DDI_HDEVICE handle) { return *static_cast<UmdDevice*>(handle.pDrvPrivate); }
[[nodiscard]] inline UmdResource& FromHandle(D3D10DDI_HRESOURCE handle) { return *static_cast<UmdResource*>(handle.pDrvPrivate); }

// umd_resource.cpp
void FillDeviceFunctions(D3D11DDI_DEVICEFUNCS& table);
// umd_dxgi.cpp
void FillDxgiFunctions(DXGI1_3_DDI_BASE_FUNCTIONS& table);

}  // namespace tandem::soft
