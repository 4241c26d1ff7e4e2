// Present writes one command with rectangles into the kernel's buffers: DMA buffer, its private data, patch locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "drivers/common/present_rects.h"
#include "drivers/vulkan/gpu/commands.h"

#include <d3dkmddi.h>

namespace tandem::vulkan {

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
  // Adds as many rectangles as fit (drivers::WriteRects).
  [[nodiscard]] NTSTATUS AddRects(const drivers::PixelRect& seen, const drivers::PixelRect& within) {
    const NTSTATUS status = drivers::WriteRects(args_, seen, within, [this](const drivers::PixelRect& rect) -> NTSTATUS {
      if (command_->rect_count == room_) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      command_->rects[command_->rect_count++] = drivers::ToRect(rect);
      return STATUS_SUCCESS;
    });
    if (!drivers::IsBuilt(status)) return status;
    if (command_->rect_count == 0) command_->header.opcode = Opcode::kNop;
    AddReferences();
    args_.pDmaBufferPrivateData =
        static_cast<std::byte*>(args_.pDmaBufferPrivateData) + offsetof(Command, rects) + command_->rect_count * sizeof(RECT);
    return status;
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
