// Rectangles of allocations as DMA commands: what Present and Render share.
#pragma once

#include <cstdint>

#include "color/blit.h"
#include "drivers/common/present_copy.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/device.h"

#include <d3dkmddi.h>

namespace tandem::processor {

// One surface of a command: its entry in the allocation list, and what it is.
struct SurfaceReference {
  std::uint32_t list_index = 0;
  const DXGK_ALLOCATIONLIST* entry = nullptr;
  const Allocation* allocation = nullptr;
  const AllocationData* data = nullptr;
};

[[nodiscard]] inline drivers::PixelRect WholeOf(const AllocationData& surface) {
  return drivers::WholeOf(surface.width, surface.height);
}

// The surface behind a list entry; both null for a NULL handle.
[[nodiscard]] SurfaceReference ReferenceTo(const DXGK_ALLOCATIONLIST* list, std::uint32_t index);

// Begins the private data of a DMA buffer, where the kernel gave room for it. `written`: by a present; null: nothing that is
// counted.
void BeginBufferData(void*& private_data, std::uint32_t bytes, const Allocation* written);

// A present's copy: color::BlitRequest without its surfaces and part.
struct BlitMode : drivers::CopyTerms {
  drivers::PixelRect source;       // inside its surface
  drivers::PixelRect destination;  // before the rotation, may reach beyond its surface; neither is larger than a surface can be
  bool dither = false;
};

// Writes commands and patch locations behind one another into the lists that the kernel gave.
class SurfaceCommandWriter {
 public:
  SurfaceCommandWriter(void* dma_buffer, std::uint32_t dma_bytes, D3DDDI_PATCHLOCATIONLIST* patches, std::uint32_t patch_count)
      : commands_(dma_buffer, dma_bytes), patch_(patches), patch_end_(patches + patch_count) {}

  // False when the DMA buffer or the patch list is full; nothing was written then. Rectangles lie inside their surfaces and are
  // not empty; formats have the same bits.
  [[nodiscard]] bool Copy(const SurfaceReference& source, std::int64_t source_left, std::int64_t source_top,
                          const SurfaceReference& destination, const drivers::PixelRect& rect);
  // The part `rect` of the destination rectangle, inside the destination surface as its clients see it; CanBlit().
  [[nodiscard]] bool Blit(const SurfaceReference& source, const SurfaceReference& destination, const BlitMode& mode,
                          const drivers::PixelRect& rect);
  // Rows `rect.top` to `rect.bottom` of a picture into a link surface of its extent (kEncode), or back (kDecode), turned.
  [[nodiscard]] bool Link(Opcode opcode, const SurfaceReference& picture, const SurfaceReference& surface,
                          const drivers::PixelRect& rect, color::Rotation rotation);
  // `value` is a pixel of the destination's format.
  [[nodiscard]] bool Fill(const SurfaceReference& destination, const drivers::PixelRect& rect, std::uint64_t value);
  [[nodiscard]] bool Delay(std::uint64_t duration_ns, std::uint64_t hangs);

  // What the kernel's pointers advance to.
  [[nodiscard]] void* dma_end() const { return commands_.position(); }
  [[nodiscard]] D3DDDI_PATCHLOCATIONLIST* patch_end() const { return patch_; }

 private:
  [[nodiscard]] bool HasPatches(std::uint32_t count) const { return patch_end_ - patch_ >= static_cast<std::ptrdiff_t>(count); }
  // What a command refers to is bound to the slot until the next one.
  enum class Slot : UINT { kSource, kDestination };
  // `member` bytes into the command at `command`, in front of which the buffer can be split.
  void Patch(const SurfaceReference& surface, std::uint64_t offset, std::uint32_t command, std::uint32_t member, Slot slot);

  CommandWriter commands_;
  D3DDDI_PATCHLOCATIONLIST* patch_;
  D3DDDI_PATCHLOCATIONLIST* patch_end_;
};

}  // namespace tandem::processor
