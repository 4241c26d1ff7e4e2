// What DxgkDdiPresent and DxgkDdiRender leave in a DMA buffer's private data for SubmitCommand: one command a buffer. The
// DMA buffer itself holds kDmaTokenBytes that nobody reads. References are to this driver's own objects, which the kernel keeps
// alive until the fence is complete, so nothing is left for DxgkDdiPatch to write.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <d3dkmddi.h>

namespace tandem::vulkan {

class Allocation;

inline constexpr std::uint32_t kDmaTokenBytes = 16;
// A context's DMA buffer and its private data, bytes. A present with more rectangles than fit takes several buffers.
inline constexpr std::uint32_t kDmaBufferBytes = 4096;
inline constexpr std::uint32_t kDmaPrivateBytes = 8192;

enum class Opcode : std::uint32_t {
  kNop = 0,
  kCopy = 1,         // CopyCommand
  kFlush = 2,        // FlushCommand
  kFirstLayout = 3,  // never in a DMA buffer, as the next
  kReacquire = 4,
};

struct CommandHeader {
  Opcode opcode = Opcode::kNop;
  std::uint32_t reserved = 0;
};

// Copies rectangles of equal bits. Source positions are destination positions plus the offset.
struct CopyCommand {
  CommandHeader header{Opcode::kCopy, 0};
  Allocation* source = nullptr;
  Allocation* destination = nullptr;
  std::uint64_t rendered = 0;  // value of the source's timeline that the copy waits for
  std::int32_t offset_x = 0;
  std::int32_t offset_y = 0;
  std::uint32_t rect_count = 0;
  std::uint32_t reserved = 0;
  RECT rects[1];  // rect_count of them, inside both allocations, none empty
};

inline constexpr std::uint32_t kMaxCommandRects = (kDmaPrivateBytes - offsetof(CopyCommand, rects)) / sizeof(RECT);

// Waits until the application's picture in a linear image is complete, and makes it visible outside the device.
struct FlushCommand {
  CommandHeader header{Opcode::kFlush, 0};
  Allocation* allocation = nullptr;
  std::uint64_t rendered = 0;
};

// The command buffer that the user-mode half's Flush hands to DxgkDdiRender. `allocation` indexes the allocation list.
struct UserFlush {
  static constexpr std::uint32_t kMagic = 0x48534C46;  // "FLSH"
  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;
};

}  // namespace tandem::vulkan
