// D3DKMTRender below the handles: a command buffer of user mode becomes DMA buffers.
#pragma once

#include <span>

#include "kernel/submit/device.h"

namespace tandem::kernel {

struct RenderRequest {
  std::span<const std::byte> commands;
  std::span<const UsedAllocation> allocations;
  std::span<const D3DDDI_PATCHLOCATIONLIST> patches;
  bool null_rendering = false;
  UINT multipass_offset = 0;  // the driver's, from one pass to the next
};

// One pass of DxgkDdiRender, into an acquired packet under the context's fill mutex; `again`: the driver wants one more. Statuses
// are the driver's; STATUS_INVALID_USER_BUFFER for lists that are too long; STATUS_DEVICE_REMOVED also when the driver broke a
// rule. The packet stays the caller's.
[[nodiscard]] NTSTATUS RenderPass(Context& context, RenderRequest& request, Packet& packet, bool& again);

}  // namespace tandem::kernel
