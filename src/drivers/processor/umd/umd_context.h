// Parts of the devices of both driver interfaces: surfaces of the processor, and the context that copies between them.
#pragma once

#include <cstdint>

#include "color/format.h"
#include "drivers/processor/adapter_data.h"
#include "drivers/processor/allocation_data.h"

#include <d3dumddi.h>
#include <dxgiddi.h>

namespace tandem::processor {

// The object of an adapter's handle, in our own memory.
struct UmdAdapter {
  AdapterData data;
};

// The object of a resource's handle.
struct UmdResource {
  AllocationData data;
  D3DKMT_HANDLE allocation = 0;  // 0: creation failed
  D3DKMT_HANDLE km_resource = 0;
  HANDLE rt_resource = nullptr;  // the runtime's handle
};

// A context on the render node and the runtime's callbacks for the kernel. Threads: the runtime calls on one thread at a time.
class UmdContext {
 public:
  // Copies the callback pointer and creates the context. After a failure no other function may be called.
  HRESULT Open(HANDLE rt_device, const D3DDDI_DEVICECALLBACKS& callbacks);
  void Close();

  [[nodiscard]] HANDLE context() const { return context_; }

  // Creates the allocation that `resource` describes.
  HRESULT Allocate(UmdResource& resource) const;
  // Frees the allocation that Allocate made or that was opened; none is not an error.
  void Free(const UmdResource& resource) const;
  HRESULT QueryResidency(const D3DDDICB_QUERYRESIDENCY& args) const { return callbacks_->pfnQueryResidencyCb(rt_device_, &args); }
  // Fills an allocation row by row from program memory.
  HRESULT Upload(const UmdResource& resource, const void* rows, std::uint32_t pitch) const;
  // Copies pixels without conversion; the rectangle must lie inside both resources. Queues on the context, does not wait.
  HRESULT Copy(const UmdResource& source, std::int32_t source_left, std::int32_t source_top, const UmdResource& destination,
               const RECT& rect);
  // Copies without conversion, stretching or rotation. DXGI_DDI_ERR_UNSUPPORTED for more; E_INVALIDARG for rectangles that are
  // empty or leave their resources.
  HRESULT CopyRects(const UmdResource& source, const RECT& source_rect, const UmdResource& destination,
                    const RECT& destination_rect);

 protected:
  [[nodiscard]] HANDLE rt_device() const { return rt_device_; }
  [[nodiscard]] const D3DDDI_DEVICECALLBACKS& callbacks() const { return *callbacks_; }

 private:
  HANDLE rt_device_ = nullptr;
  const D3DDDI_DEVICECALLBACKS* callbacks_ = nullptr;

  // The buffers of the context's next submission; each pfnRenderCb renews them.
  HANDLE context_ = nullptr;
  void* command_buffer_ = nullptr;
  std::uint32_t command_buffer_bytes_ = 0;
  D3DDDI_ALLOCATIONLIST* allocation_list_ = nullptr;
  std::uint32_t allocation_list_size_ = 0;
};

// Asks the kernel-mode half for its data. `query` is pfnQueryAdapterInfoCb, called with the runtime's handle.
HRESULT QueryAdapterData(PFND3DDDI_QUERYADAPTERINFOCB query, HANDLE rt_adapter, AdapterData& data);

// A surface as either interface requests it.
struct UmdSurface {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  color::Format format = color::Format::kUnknown;
  std::uint32_t flags = 0;  // kAllocation*
  std::uint32_t vidpn_source = 0;
};

// True if the display controller shows such a surface.
[[nodiscard]] bool ScansOut(const UmdAdapter& adapter, const UmdSurface& surface);
// Lays the surface out. DXGI_DDI_ERR_UNSUPPORTED for what the adapter has not, E_INVALIDARG for extents beyond the limits.
HRESULT Describe(const UmdAdapter& adapter, const UmdSurface& surface, AllocationData& data);
// Takes an opened allocation with the private data that our kernel-mode half made for this adapter.
HRESULT Adopt(UINT allocations, const D3DDDI_OPENALLOCATIONINFO* infos, D3DKMT_HANDLE km_resource, UmdResource& resource);

}  // namespace tandem::processor
