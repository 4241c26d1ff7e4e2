// D3DKMTRender below the handles: a command buffer of user mode becomes DMA buffers.
#pragma once

#include <span>

#include "kernel/submit/device.h"

namespace tandem::kernel {

// An allocation as one device opened it, with the driver's handle for it.
struct UsedAllocation {
  Allocation* allocation = nullptr;  // null: an empty place in the list
  HANDLE device_specific = nullptr;
  bool write = false;
};

struct RenderRequest {
  std::span<const std::byte> commands;
  std::span<const UsedAllocation> allocations;
  std::span<const D3DDDI_PATCHLOCATIONLIST> patches;
  bool null_rendering = false;
};

// Fills an element of an allocation list, with the address for pre-patching.
void FillAllocation(DXGK_ALLOCATIONLIST& element, const UsedAllocation& used);

// Waits while all DMA buffers of the context are in use. Statuses are the driver's; STATUS_INVALID_USER_BUFFER for lists that are
// too long; STATUS_DEVICE_REMOVED also when the driver broke a rule.
[[nodiscard]] NTSTATUS Render(Context& context, const RenderRequest& request);

}  // namespace tandem::kernel
