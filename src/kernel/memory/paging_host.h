// The submission of paging buffers, as the memory manager needs it.
#pragma once

#include <d3dkmddi.h>

namespace tandem::kernel {

class PagingHost {
 public:
  virtual ~PagingHost() = default;
  // Builds one paging operation (Operation and its variant are filled in; the DMA buffer members are the host's), submits it and
  // waits until the GPU has done it. PASSIVE_LEVEL; blocks. STATUS_DEVICE_REMOVED when the adapter goes first.
  // STATUS_GRAPHICS_ALLOCATION_BUSY: the driver wants to be asked again, with AllocationIsIdle.
  [[nodiscard]] virtual NTSTATUS RunPaging(DXGKARG_BUILDPAGINGBUFFER& operation) = 0;
  // Waits until everything that was submitted so far is complete.
  virtual void AwaitIdle() = 0;
};

}  // namespace tandem::kernel
