// Checks of a DMA buffer and its lists, as a driver filled them.
#pragma once

#include "kernel/memory/allocation_check.h"
#include "kernel/submit/packet.h"

namespace tandem::kernel {

// The cursors that DxgkDdiPresent and DxgkDdiRender move. A driver that leaves pDmaBufferPrivateData where it was submits no
// private data, as far as the kernel knows.
struct DriverOutput {
  const void* dma_end = nullptr;                          // pDmaBuffer
  const void* private_data_end = nullptr;                 // pDmaBufferPrivateData
  const D3DDDI_PATCHLOCATIONLIST* patches_end = nullptr;  // pPatchLocationListOut
};

// Bytes of the buffer up to where the driver's cursor stands; nothing when it left the buffer.
[[nodiscard]] std::optional<UINT> UsedBytes(const void* cursor, std::span<const std::byte> buffer);

// True if a patch location of the adapter's driver may have the slot. A driver that leaves MaxAllocationListSlotId zero may use
// any: Windows looks at no slot of such a driver.
[[nodiscard]] bool IsSlot(const Adapter& adapter, UINT slot);

// The DDI that filled a DMA buffer, for the rules' names.
enum class FilledBy : std::uint8_t { kPresent, kRender };

// Stores how much was used into the packet. Nothing when every rule is kept.
[[nodiscard]] std::optional<Violation> CheckSubmission(const Adapter& adapter, FilledBy ddi, const DriverOutput& output,
                                                       Packet& packet);

}  // namespace tandem::kernel
