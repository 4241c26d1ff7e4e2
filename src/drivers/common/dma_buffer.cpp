#include "drivers/common/dma_buffer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tandem::drivers {

void WriteAddresses(const DXGKARG_PATCH& args) {
  if (args.pDmaBuffer == nullptr || args.pPatchLocationList == nullptr || args.pAllocationList == nullptr) return;
  for (UINT i = 0; i < args.PatchLocationListSubmissionLength; ++i) {
    const UINT index = args.PatchLocationListSubmissionStart + i;
    if (index >= args.PatchLocationListSize) break;
    const D3DDDI_PATCHLOCATIONLIST& location = args.pPatchLocationList[index];
    if (location.AllocationIndex >= args.AllocationListSize || args.DmaBufferSize < sizeof(std::uint64_t) ||
        location.PatchOffset > args.DmaBufferSize - sizeof(std::uint64_t)) {
      continue;
    }
    const DXGK_ALLOCATIONLIST& allocation = args.pAllocationList[location.AllocationIndex];
    const std::uint64_t address = static_cast<std::uint64_t>(allocation.PhysicalAddress.QuadPart) + location.AllocationOffset;
    std::memcpy(static_cast<std::byte*>(args.pDmaBuffer) + location.PatchOffset, &address, sizeof(address));
  }
}

}  // namespace tandem::drivers
