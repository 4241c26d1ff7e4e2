// Data that the DDIs leave for SubmitCommand. Present and Render write one command into a DMA buffer's private data. Its
// references are this driver's own objects, which the kernel keeps alive until the fence is complete. The DMA buffer itself
// holds these objects' addresses, which DxgkDdiPatch writes. BuildPagingBuffer writes PagingCommands into the DMA buffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "color/blit.h"

#include <d3dkmddi.h>

namespace tandem::vulkan {

class Allocation;

// The DMA buffer of a present. GPU addresses (ddi.h); 0: never patched.
struct DmaToken {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
};
inline constexpr std::uint32_t kDmaTokenBytes = sizeof(DmaToken);
// Bytes of a context's DMA buffer and its private data. A present with more rectangles takes several buffers.
inline constexpr std::uint32_t kDmaBufferBytes = 4096;
inline constexpr std::uint32_t kDmaPrivateBytes = 8192;

enum class Opcode : std::uint32_t {
  kNop = 0,
  kCopy = 1,         // CopyCommand
  kFlush = 2,        // FlushCommand
  kBlit = 3,         // BlitCommand
  kFirstLayout = 4,  // never in a DMA buffer; nor are the following
  kReacquire = 5,
  kReadIn = 6,
  kWriteBack = 7,
};

struct CommandHeader {
  Opcode opcode = Opcode::kNop;
  std::uint32_t reserved = 0;
};

// Copies rectangles without conversion between two allocations. Source positions are destination positions plus the offset.
struct CopyCommand {
  CommandHeader header{Opcode::kCopy, 0};
  Allocation* source = nullptr;
  Allocation* destination = nullptr;
  std::uint64_t rendered = 0;  // value of the source's timeline that the copy waits for
  std::uint64_t use = 0;       // the source's use number, from Allocation::NoteBuilt
  std::int32_t offset_x = 0;
  std::int32_t offset_y = 0;
  std::uint32_t rect_count = 0;
  std::uint32_t reserved = 0;
  RECT rects[1];  // rect_count of them, inside both allocations, none empty
};

// Every other operation of color/blit.h, and fills. Rectangles run in order.
struct BlitCommand {
  CommandHeader header{Opcode::kBlit, 0};
  Allocation* source = nullptr;  // null: a fill; may be the destination
  Allocation* destination = nullptr;
  std::uint64_t rendered = 0;  // as above
  std::uint64_t use = 0;       // as above; 0 for a fill
  std::uint64_t pixel = 0;     // fill colour or colour key
  RECT from{};                 // inside the source
  RECT to{};                   // in the destination's picture, before its rotation
  color::Rotation rotation = color::Rotation::kIdentity;
  color::Transfer transfer = color::Transfer::kPassThrough;
  color::ColorKey key = color::ColorKey::kNone;
  bool dither = false;
  std::uint32_t rect_count = 0;
  RECT rects[1];  // rect_count of them, inside `to` and the destination's picture, none empty
};

// Waits until the application's picture in a linear image is complete, and makes it visible outside the device.
struct FlushCommand {
  CommandHeader header{Opcode::kFlush, 0};
  Allocation* allocation = nullptr;
  std::uint64_t rendered = 0;
  std::uint64_t use = 0;
};

// The surfaces of a command; null if it has none.
struct CommandSurfaces {
  Allocation* source = nullptr;
  Allocation* destination = nullptr;
  std::uint64_t rendered = 0;
  std::uint64_t use = 0;
};
[[nodiscard]] inline CommandSurfaces SurfacesOf(const CommandHeader* command) {
  if (command == nullptr) return {};
  switch (command->opcode) {
    case Opcode::kCopy: {
      const auto& copy = reinterpret_cast<const CopyCommand&>(*command);
      return {copy.source, copy.destination, copy.rendered, copy.use};
    }
    case Opcode::kBlit: {
      const auto& blit = reinterpret_cast<const BlitCommand&>(*command);
      return {blit.source, blit.destination, blit.rendered, blit.use};
    }
    case Opcode::kFlush: {
      const auto& flush = reinterpret_cast<const FlushCommand&>(*command);
      return {flush.allocation, nullptr, flush.rendered, flush.use};
    }
    default: return {};
  }
}

// The command buffer of the user-mode half's Flush for DxgkDdiRender. `allocation` indexes the allocation list.
struct UserFlush {
  static constexpr std::uint32_t kMagic = 0x48534C46;  // "FLSH"
  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;
};

enum class PagingOpcode : std::uint32_t {
  kMap = 1,  // pages become the allocation's memory, `bytes` from its `offset` on
  kUnmap = 2,
  kToSystem = 3,  // local memory at `address` to `pages`
  kToLocal = 4,   // the reverse
  kMove = 5,      // local memory at `address` to `destination`
  kFill = 6,      // `bytes` of local memory at `address` with `pattern`
};

struct PagingCommand {
  PagingOpcode opcode = PagingOpcode::kMap;
  std::uint32_t pattern = 0;
  Allocation* allocation = nullptr;
  std::byte* pages = nullptr;  // system memory, valid until the fence is complete; for kMap, until kUnmap
  std::uint64_t address = 0;
  std::uint64_t destination = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  // For kMap: the descriptor behind the pages, valid as long as they are; -1: anonymous pages.
  std::uint64_t fd_offset = 0;
  std::int32_t fd = -1;
  std::uint32_t is_dma_buf = 0;
};

}  // namespace tandem::vulkan
