#include "drivers/soft/umd/umd_device.h"

#include <cstring>

#include "color/copy.h"
#include "drivers/soft/user_commands.h"

namespace tandem::soft {

HRESULT UmdDevice::Open(const UmdAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& args) {
  if (args.pKTCallbacks == nullptr || args.p11UMCallbacks == nullptr || args.DXGIBaseDDI.pDXGIBaseCallbacks == nullptr) {
    return E_INVALIDARG;
  }
  adapter_ = &adapter;
  rt_device_ = args.hRTDevice.handle;
  core_layer_ = args.hRTCoreLayer;
  callbacks_ = args.pKTCallbacks;
  core_callbacks_ = args.p11UMCallbacks;
  dxgi_callbacks_ = args.DXGIBaseDDI.pDXGIBaseCallbacks;
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

void UmdDevice::Close() {
  const D3DDDICB_DESTROYCONTEXT destroy{context_};
  callbacks_->pfnDestroyContextCb(rt_device_, &destroy);
  context_ = nullptr;
}

void UmdDevice::SetError(HRESULT error) const { core_callbacks_->pfnSetErrorCb(core_layer_, error); }

HRESULT UmdDevice::Upload(const UmdResource& resource, const D3D10_DDIARG_SUBRESOURCE_UP& initial) const {
  const std::uint32_t row_bytes = resource.data.width * color::BytesPerPixel(resource.data.format);
  if (initial.pSysMem == nullptr || initial.SysMemPitch < row_bytes) return E_INVALIDARG;
  D3DDDICB_LOCK lock{};
  lock.hAllocation = resource.allocation;
  lock.Flags.WriteOnly = 1;
  lock.Flags.LockEntire = 1;
  if (const HRESULT locked = callbacks_->pfnLockCb(rt_device_, &lock); FAILED(locked)) return locked;
  color::CopyRows(static_cast<std::byte*>(lock.pData), resource.data.pitch, static_cast<const std::byte*>(initial.pSysMem),
                  initial.SysMemPitch, row_bytes, resource.data.height);
  const D3DDDICB_UNLOCK unlock{1, &resource.allocation};
  return callbacks_->pfnUnlockCb(rt_device_, &unlock);
}

HRESULT UmdDevice::Copy(const UmdResource& source, std::int32_t source_left, std::int32_t source_top,
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

}  // namespace tandem::soft
