#include "kernel/submit/submission_check.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

namespace tandem::kernel {
namespace {

bool Within(const void* end, const void* begin, std::size_t bytes) {
  const auto offset = reinterpret_cast<std::uintptr_t>(end) - reinterpret_cast<std::uintptr_t>(begin);
  return offset <= bytes;
}

struct Rules {
  const char* dma;
  const char* patches;
  const char* allocation_index;
  const char* patch_offset;
  const char* slot_id;
  const char* split_offset;
};

const Rules& RulesOf(const char* ddi) {
  static constexpr Rules kPresent{"Present.pDmaBuffer",      "Present.pPatchLocationListOut",
                                  "Present.AllocationIndex", "Present.PatchOffset",
                                  "Present.SlotId",          "Present.SplitOffset"};
  static constexpr Rules kRender{"Render.pDmaBuffer",      "Render.pPatchLocationListOut",
                                 "Render.AllocationIndex", "Render.PatchOffset",
                                 "Render.SlotId",          "Render.SplitOffset"};
  return std::strcmp(ddi, "Present") == 0 ? kPresent : kRender;
}

}  // namespace

std::optional<Violation> CheckSubmission(const Adapter& adapter, const char* ddi, const DriverOutput& output, Packet& packet) {
  const Rules& rules = RulesOf(ddi);
  if (!Within(output.dma_end, packet.dma.data(), packet.dma.size())) {
    return Violation{rules.dma, fmt::format("pDmaBuffer does not lie within the buffer of {} bytes.", packet.dma.size())};
  }
  packet.dma_used = static_cast<UINT>(static_cast<const std::byte*>(output.dma_end) - packet.dma.data());
  packet.private_data_used = static_cast<UINT>(packet.private_data.size());
  if (!Within(output.patches_end, packet.patches.data(), packet.patches.size_bytes()) ||
      (reinterpret_cast<std::uintptr_t>(output.patches_end) - reinterpret_cast<std::uintptr_t>(packet.patches.data())) %
              sizeof(D3DDDI_PATCHLOCATIONLIST) !=
          0) {
    return Violation{rules.patches,
                     fmt::format("pPatchLocationListOut is not an element of a list of {}.", packet.patches.size())};
  }
  packet.patch_count = static_cast<UINT>(output.patches_end - packet.patches.data());
  UINT last_split = 0;
  for (UINT i = 0; i < packet.patch_count; ++i) {
    const D3DDDI_PATCHLOCATIONLIST& patch = packet.patches[i];
    if (patch.AllocationIndex >= packet.allocation_count) {
      return Violation{rules.allocation_index, fmt::format("Patch location {} names allocation {} of {}.", i,
                                                           patch.AllocationIndex, packet.allocation_count)};
    }
    if (patch.PatchOffset >= packet.dma_used) {
      return Violation{rules.patch_offset, fmt::format("Patch location {} is at offset {} of a DMA buffer of {} bytes.", i,
                                                       patch.PatchOffset, packet.dma_used)};
    }
    if (patch.SlotId > adapter.caps().MaxAllocationListSlotId) {
      return Violation{rules.slot_id, fmt::format("Patch location {} has slot {}; MaxAllocationListSlotId is {}.", i,
                                                  static_cast<UINT>(patch.SlotId), adapter.caps().MaxAllocationListSlotId)};
    }
    // 0: not to be split here. What is patched belongs to the command that begins at the split, and several references may.
    if (patch.SplitOffset != 0 && (patch.SplitOffset > patch.PatchOffset || patch.SplitOffset < last_split)) {
      return Violation{rules.split_offset,
                       fmt::format("Patch location {} at offset {} has SplitOffset {}; {} to {} would be in order.", i,
                                   patch.PatchOffset, patch.SplitOffset, last_split, patch.PatchOffset)};
    }
    last_split = std::max(last_split, patch.SplitOffset);
  }
  return std::nullopt;
}

}  // namespace tandem::kernel
