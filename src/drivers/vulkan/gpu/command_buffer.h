// Present writes one command with rectangles into the kernel's buffers: DMA buffer, its private data, patch locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "drivers/vulkan/gpu/commands.h"

#include <d3dkmddi.h>

namespace tandem::vulkan {

inline bool Inside(const RECT& rect, const RECT& outer) {
  return rect.left >= outer.left && rect.top >= outer.top && rect.right <= outer.right && rect.bottom <= outer.bottom;
}
inline bool IsEmpty(const RECT& rect) { return rect.left >= rect.right || rect.top >= rect.bottom; }

// Private data and DMA buffer of one command with rectangles, with its patch locations.
template <class Command>
class CommandBuffer {
 public:
  explicit CommandBuffer(DXGKARG_PRESENT& args) : args_(args) {}

  // True if there is room for the command with one rectangle, its token and both references.
  [[nodiscard]] bool Fits() const {
    return args_.DmaSize >= kDmaTokenBytes && args_.DmaBufferPrivateDataSize >= sizeof(Command) &&
           args_.PatchLocationListOutSize >= 2;
  }
  [[nodiscard]] Command& Begin() {
    command_ = new (args_.pDmaBufferPrivateData) Command();
    room_ = static_cast<std::uint32_t>((args_.DmaBufferPrivateDataSize - offsetof(Command, rects)) / sizeof(RECT));
    return *command_;
  }
  // Adds the rectangles from MultipassOffset on, as many as fit. `seen` is the destination as programs see it. The kernel has
  // clipped them; pixels outside must not be touched.
  [[nodiscard]] NTSTATUS AddRects(const RECT& seen, const RECT& within) {
    const UINT count = args_.SubRectCnt == 0 ? 1 : args_.SubRectCnt;
    UINT next = args_.MultipassOffset;
    for (; next < count && command_->rect_count < room_; ++next) {
      const RECT& rect = args_.SubRectCnt == 0 ? args_.DstRect : args_.pDstSubRects[next];
      if (IsEmpty(rect)) continue;
      if (!Inside(rect, seen) || !Inside(rect, within)) return STATUS_PRIVILEGED_INSTRUCTION;
      command_->rects[command_->rect_count++] = rect;
    }
    if (command_->rect_count == 0) command_->header.opcode = Opcode::kNop;
    AddReferences();
    args_.pDmaBufferPrivateData =
        static_cast<std::byte*>(args_.pDmaBufferPrivateData) + offsetof(Command, rects) + command_->rect_count * sizeof(RECT);
    args_.MultipassOffset = next;
    return next == count ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }

 private:
  // Known addresses are written at once, because nobody may patch them later. All references are listed, so that they can be
  // patched.
  void AddReferences() {
    DmaToken token;
    Refer(DXGK_PRESENT_SOURCE_INDEX, offsetof(DmaToken, source), token.source);
    Refer(DXGK_PRESENT_DESTINATION_INDEX, offsetof(DmaToken, destination), token.destination);
    std::memcpy(args_.pDmaBuffer, &token, sizeof(token));
    args_.pDmaBuffer = static_cast<std::byte*>(args_.pDmaBuffer) + sizeof(token);
  }
  void Refer(UINT index, std::size_t offset, std::uint64_t& address) {
    const DXGK_ALLOCATIONLIST& entry = args_.pAllocationList[index];
    if (entry.hDeviceSpecificAllocation == nullptr) return;
    if (entry.SegmentId != 0) address = static_cast<std::uint64_t>(entry.PhysicalAddress.QuadPart);
    *args_.pPatchLocationListOut = {};
    args_.pPatchLocationListOut->AllocationIndex = index;
    args_.pPatchLocationListOut->PatchOffset = static_cast<UINT>(offset);
    ++args_.pPatchLocationListOut;
  }

  DXGKARG_PRESENT& args_;
  Command* command_ = nullptr;
  std::uint32_t room_ = 0;
};

}  // namespace tandem::vulkan
