#include "drivers/processor/umd/umd_context.h"

#include <cstring>

#include "color/blit.h"
#include "color/copy.h"
#include "drivers/common/pixel_format.h"
#include "drivers/processor/user_commands.h"
#include "link/surface/link_surface.h"

namespace tandem::processor {

HRESULT UmdContext::Open(HANDLE rt_device, const D3DDDI_DEVICECALLBACKS& callbacks) {
  rt_device_ = rt_device;
  callbacks_ = &callbacks;
  D3DDDICB_CREATECONTEXT create{};
  create.NodeOrdinal = 0;
  create.EngineAffinity = 1;
  const HRESULT created = callbacks_->pfnCreateContextCb(rt_device_, &create);
  if (FAILED(created)) return created;
  context_ = create.hContext;
  command_buffer_ = create.pCommandBuffer;
  command_buffer_bytes_ = create.CommandBufferSize;
  allocation_list_ = create.pAllocationList;
  allocation_list_size_ = create.AllocationListSize;
  return S_OK;
}

void UmdContext::Close() {
  const D3DDDICB_DESTROYCONTEXT destroy{context_};
  callbacks_->pfnDestroyContextCb(rt_device_, &destroy);
  context_ = nullptr;
}

HRESULT UmdContext::Allocate(UmdResource& resource) const {
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &resource.data;
  info.PrivateDriverDataSize = sizeof(resource.data);
  const bool primary = (resource.data.flags & kAllocationPrimary) != 0;
  info.Flags.Primary = primary ? 1 : 0;
  info.VidPnSourceId = primary ? resource.data.vidpn_source : D3DDDI_ID_UNINITIALIZED;
  D3DDDICB_ALLOCATE allocate{};
  allocate.hResource = resource.rt_resource;
  allocate.NumAllocations = 1;
  allocate.pAllocationInfo2 = &info;
  if (const HRESULT allocated = callbacks_->pfnAllocateCb(rt_device_, &allocate); FAILED(allocated)) return allocated;
  resource.allocation = info.hAllocation;
  resource.km_resource = allocate.hKMResource;
  return S_OK;
}

void UmdContext::Free(const UmdResource& resource) const {
  if (resource.allocation == 0) return;
  D3DDDICB_DEALLOCATE deallocate{};
  deallocate.hResource = resource.rt_resource;
  if (resource.rt_resource == nullptr) {
    deallocate.NumAllocations = 1;
    deallocate.HandleList = &resource.allocation;
  }
  callbacks_->pfnDeallocateCb(rt_device_, &deallocate);
}

HRESULT UmdContext::Upload(const UmdResource& resource, const void* rows, std::uint32_t pitch) const {
  const std::uint32_t row_bytes = resource.data.width * color::BytesPerPixel(resource.data.format);
  if (rows == nullptr || pitch < row_bytes) return E_INVALIDARG;
  D3DDDICB_LOCK lock{};
  lock.hAllocation = resource.allocation;
  lock.Flags.WriteOnly = 1;
  lock.Flags.LockEntire = 1;
  if (const HRESULT locked = callbacks_->pfnLockCb(rt_device_, &lock); FAILED(locked)) return locked;
  color::CopyRows(static_cast<std::byte*>(lock.pData), resource.data.pitch, static_cast<const std::byte*>(rows), pitch, row_bytes,
                  resource.data.height);
  const D3DDDICB_UNLOCK unlock{1, &resource.allocation};
  return callbacks_->pfnUnlockCb(rt_device_, &unlock);
}

HRESULT UmdContext::Copy(const UmdResource& source, std::int32_t source_left, std::int32_t source_top,
                         const UmdResource& destination, const RECT& rect) {
  if (command_buffer_bytes_ < sizeof(UserCopy) || allocation_list_size_ < 2) return E_OUTOFMEMORY;
  allocation_list_[0] = {};
  allocation_list_[0].hAllocation = source.allocation;
  allocation_list_[1] = {};
  allocation_list_[1].hAllocation = destination.allocation;
  allocation_list_[1].WriteOperation = 1;
  UserCopy copy;
  copy.source = 0;
  copy.destination = 1;
  copy.source_left = source_left;
  copy.source_top = source_top;
  copy.rect = {rect.left, rect.top, rect.right, rect.bottom};
  std::memcpy(command_buffer_, &copy, sizeof(copy));

  D3DDDICB_RENDER render{};
  render.CommandLength = sizeof(copy);
  render.NumAllocations = 2;
  render.hContext = context_;
  const HRESULT rendered = callbacks_->pfnRenderCb(rt_device_, &render);
  if (FAILED(rendered)) return rendered;
  if (render.pNewCommandBuffer != nullptr) {
    command_buffer_ = render.pNewCommandBuffer;
    command_buffer_bytes_ = render.NewCommandBufferSize;
  }
  if (render.pNewAllocationList != nullptr) {
    allocation_list_ = render.pNewAllocationList;
    allocation_list_size_ = render.NewAllocationListSize;
  }
  return S_OK;
}

HRESULT UmdContext::CopyRects(const UmdResource& source, const RECT& source_rect, const UmdResource& destination,
                              const RECT& destination_rect) {
  const auto within = [](const RECT& rect, const UmdResource& resource) {
    return rect.left >= 0 && rect.top >= 0 && rect.left < rect.right && rect.top < rect.bottom &&
           static_cast<std::uint32_t>(rect.right) <= resource.data.width &&
           static_cast<std::uint32_t>(rect.bottom) <= resource.data.height;
  };
  const bool same_size = source_rect.right - source_rect.left == destination_rect.right - destination_rect.left &&
                         source_rect.bottom - source_rect.top == destination_rect.bottom - destination_rect.top;
  if (!same_size || !color::SameBits(source.data.format, destination.data.format)) return DXGI_DDI_ERR_UNSUPPORTED;
  if (!within(source_rect, source) || !within(destination_rect, destination)) return E_INVALIDARG;
  return Copy(source, source_rect.left, source_rect.top, destination, destination_rect);
}

HRESULT QueryAdapterData(PFND3DDDI_QUERYADAPTERINFOCB query, HANDLE rt_adapter, AdapterData& data) {
  D3DDDICB_QUERYADAPTERINFO args{};
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof(data);
  const HRESULT queried = query(rt_adapter, &args);
  if (FAILED(queried)) return queried;
  return data.magic == kAdapterMagic && data.version == kAdapterVersion ? S_OK : E_FAIL;
}

bool ScansOut(const UmdAdapter& adapter, const UmdSurface& surface) {
  const bool cross_adapter = (surface.flags & kAllocationCrossAdapter) != 0;
  const bool known_format = !drivers::IsNv12(surface.format) || adapter.data.scans_out_nv12 != 0;
  return known_format && surface.vidpn_source < adapter.data.vidpn_sources &&
         (!cross_adapter || adapter.data.cross_adapter_tier >= 3);
}

HRESULT Describe(const UmdAdapter& adapter, const UmdSurface& surface, AllocationData& data) {
  const bool cross_adapter = (surface.flags & kAllocationCrossAdapter) != 0;
  if (cross_adapter && adapter.data.cross_adapter_tier == 0) return DXGI_DDI_ERR_UNSUPPORTED;
  const bool link = surface.format == link::kLinkFormat && surface.flags == kAllocationCrossAdapter;
  if (color::BytesPerPixel(surface.format) == 0 && !link && !drivers::IsNv12(surface.format)) return DXGI_DDI_ERR_UNSUPPORTED;
  const auto described = DescribeSurface(surface.width, surface.height, surface.format, surface.flags, surface.vidpn_source);
  if (!described.ok()) return E_INVALIDARG;
  data = *described;
  return S_OK;
}

HRESULT Adopt(UINT allocations, const D3DDDI_OPENALLOCATIONINFO* infos, D3DKMT_HANDLE km_resource, UmdResource& resource) {
  if (allocations != 1 || infos == nullptr) return E_INVALIDARG;
  const auto data = ValidateAllocationData(infos->pPrivateDriverData, infos->PrivateDriverDataSize);
  if (!data.ok()) return E_INVALIDARG;
  resource.data = *data;
  resource.allocation = infos->hAllocation;
  resource.km_resource = km_resource;
  return S_OK;
}

}  // namespace tandem::processor
