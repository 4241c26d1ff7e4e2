// The user-mode half's adapter, device and resource. They lie in memory that the runtime lends.
#pragma once

#include <cstdint>

#include "drivers/soft/adapter_data.h"
#include "drivers/soft/allocation_data.h"

#include <d3d10umddi.h>

namespace tandem::soft {

// Behind D3D10DDI_HADAPTER; our own memory.
struct UmdAdapter {
  AdapterData data;
};

// Behind D3D10DDI_HRESOURCE.
struct UmdResource {
  AllocationData data;
  D3DKMT_HANDLE allocation = 0;  // 0: creation failed
  D3DKMT_HANDLE km_resource = 0;
  HANDLE rt_resource = nullptr;  // the runtime's handle
};

// Behind D3D10DDI_HDEVICE. Threads: one at a time, as the runtime calls.
class UmdDevice {
 public:
  // Copies the callback pointers and creates a context on the render node. Nothing else may be called when it failed.
  HRESULT Open(const UmdAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& args);
  void Close();

  [[nodiscard]] const UmdAdapter& adapter() const { return *adapter_; }
  [[nodiscard]] HANDLE context() const { return context_; }

  // For functions that return void.
  void SetError(HRESULT error) const;
  HRESULT Allocate(D3DDDICB_ALLOCATE& args) const { return callbacks_->pfnAllocateCb(rt_device_, &args); }
  HRESULT Deallocate(const D3DDDICB_DEALLOCATE& args) const { return callbacks_->pfnDeallocateCb(rt_device_, &args); }
  HRESULT QueryResidency(const D3DDDICB_QUERYRESIDENCY& args) const { return callbacks_->pfnQueryResidencyCb(rt_device_, &args); }
  HRESULT PresentCb(DXGIDDICB_PRESENT& args) const { return dxgi_callbacks_->pfnPresentCb(rt_device_, &args); }
  // Fills an allocation from program memory, row by row.
  HRESULT Upload(const UmdResource& resource, const D3D10_DDIARG_SUBRESOURCE_UP& initial) const;
  // Copies pixels of the same bits; the rectangle lies inside both. Queued on the context, does not wait.
  HRESULT Copy(const UmdResource& source, std::int32_t source_left, std::int32_t source_top, const UmdResource& destination,
               const RECT& rect);

 private:
  const UmdAdapter* adapter_ = nullptr;
  HANDLE rt_device_ = nullptr;
  D3D10DDI_HRTCORELAYER core_layer_{};
  const D3DDDI_DEVICECALLBACKS* callbacks_ = nullptr;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS* core_callbacks_ = nullptr;
  const DXGI_DDI_BASE_CALLBACKS* dxgi_callbacks_ = nullptr;

  // What the context's next submission is written to; renewed by each pfnRenderCb.
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
