// What a driver left in a DMA buffer and its lists, held against the contract.
#pragma once

#include "kernel/memory/allocation_check.h"
#include "kernel/submit/packet.h"

namespace tandem::kernel {

// The cursors that DxgkDdiPresent and DxgkDdiRender move.
struct DriverOutput {
  const void* dma_end = nullptr;                          // pDmaBuffer
  const D3DDDI_PATCHLOCATIONLIST* patches_end = nullptr;  // pPatchLocationListOut
};

// Stores how much was used into the packet. Nothing when every rule is kept; `ddi` is "Present" or "Render" for the rules' names.
[[nodiscard]] std::optional<Violation> CheckSubmission(const Adapter& adapter, const char* ddi, const DriverOutput& output,
                                                       Packet& packet);

}  // namespace tandem::kernel
