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
};

// Waits while all DMA buffers of the context are in use. Statuses are the driver's; STATUS_INVALID_USER_BUFFER for lists that are
// too long; STATUS_DEVICE_REMOVED also when the driver broke a rule.
[[nodiscard]] NTSTATUS Render(Context& context, const RenderRequest& request);

}  // namespace tandem::kernel
