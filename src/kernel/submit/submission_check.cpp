#include "kernel/submit/submission_check.h"

#include <algorithm>

#include <fmt/core.h>

namespace tandem::kernel {
namespace {

bool Within(const void* end, const void* begin, std::size_t bytes) {
  const auto offset = reinterpret_cast<std::uintptr_t>(end) - reinterpret_cast<std::uintptr_t>(begin);
  return offset <= bytes;
}

struct Rules {
  const char* dma;
  const char* private_data;
  const char* allocations;
  const char* patches;
  const char* allocation_index;
  const char* patch_offset;
  const char* slot_id;
  const char* split_offset;
};

const Rules& RulesOf(FilledBy ddi) {
  static constexpr Rules kPresent{
      "Present.pDmaBuffer",      "Present.pDmaBufferPrivateData", "Present.pAllocationList", "Present.pPatchLocationListOut",
      "Present.AllocationIndex", "Present.PatchOffset",           "Present.SlotId",          "Present.SplitOffset"};
  static constexpr Rules kRender{
      "Render.pDmaBuffer",      "Render.pDmaBufferPrivateData", "Render.pAllocationList", "Render.pPatchLocationListOut",
      "Render.AllocationIndex", "Render.PatchOffset",           "Render.SlotId",          "Render.SplitOffset"};
  return ddi == FilledBy::kPresent ? kPresent : kRender;
}

}  // namespace

bool IsSlot(const Adapter& adapter, UINT slot) {
  const UINT last = adapter.caps().MaxAllocationListSlotId;
  return last == 0 || slot <= last;
}

std::optional<UINT> UsedBytes(const void* cursor, std::span<const std::byte> buffer) {
  if (!Within(cursor, buffer.data(), buffer.size())) return std::nullopt;
  return static_cast<UINT>(static_cast<const std::byte*>(cursor) - buffer.data());
}

std::optional<Violation> CheckSubmission(const Adapter& adapter, FilledBy ddi, const DriverOutput& output, Packet& packet) {
  const Rules& rules = RulesOf(ddi);
  const auto dma_used = UsedBytes(output.dma_end, packet.dma);
  if (!dma_used) {
    return Violation{rules.dma, fmt::format("pDmaBuffer does not lie within the buffer of {} bytes.", packet.dma.size())};
  }
  // A context without private data has no cursor to move.
  const auto private_data_used =
      packet.private_data.empty() ? std::optional<UINT>(0) : UsedBytes(output.private_data_end, packet.private_data);
  if (!private_data_used) {
    return Violation{rules.private_data,
                     fmt::format("pDmaBufferPrivateData does not lie within the {} bytes.", packet.private_data.size())};
  }
  packet.dma_used = *dma_used;
  packet.private_data_used = *private_data_used;
  if (const auto changed = packet.FindChange()) {
    return Violation{rules.allocations,
                     fmt::format("Element {} of {} was changed; a driver reads the list.", *changed, packet.allocation_count())};
  }
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
    if (patch.AllocationIndex >= packet.allocation_count()) {
      return Violation{rules.allocation_index, fmt::format("Patch location {} names allocation {} of {}.", i,
                                                           patch.AllocationIndex, packet.allocation_count())};
    }
    if (patch.PatchOffset >= packet.dma_used) {
      return Violation{rules.patch_offset, fmt::format("Patch location {} is at offset {} of a DMA buffer of {} bytes.", i,
                                                       patch.PatchOffset, packet.dma_used)};
    }
    if (!IsSlot(adapter, patch.SlotId)) {
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
