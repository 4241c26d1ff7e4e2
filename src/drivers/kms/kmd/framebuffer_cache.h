// Framebuffers over the adapter's memory, made once for each memory and shape.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {

// One thread. Card, handles, memory and local buffer outlive it.
class FramebufferCache {
 public:
  FramebufferCache(const Card& card, GemHandles& handles, processor::GpuMemory& memory, const DumbBuffer& local)
      : card_(card), handles_(handles), memory_(memory), local_(local) {}

  // The id of a framebuffer over the surface's own pages: a part of the local buffer, or pages of a memfd as a udmabuf.
  // kUnsupported where the card does not take memory or shape: the same error for the same question until the memory is
  // forgotten. kNotFound for an address that is not mapped.
  [[nodiscard]] Result<std::uint32_t> Find(const processor::ScanOutSurface& surface, std::uint32_t fourcc);

  // The framebuffers of the memory go as soon as they are none of `in_use`; the ids of the others stay in wait for Sweep().
  void Forget(std::uint64_t memory_id);
  void Sweep(std::span<const std::uint32_t> in_use);

 private:
  struct Entry {
    std::uint64_t memory_id = 0;
    std::uint64_t offset = 0;  // in the local buffer; of an aperture mapping, in its file
    std::uint32_t width = 0, height = 0, pitch = 0, fourcc = 0;
    bool forgotten = false;
    std::uint64_t used = 0;  // the number of the last question for it
    ImportedBuffer buffer;
    Framebuffer framebuffer;
    std::string refusal;  // not empty: the card does not take it

    [[nodiscard]] bool Fits(const Entry& other) const {
      return memory_id == other.memory_id && offset == other.offset && width == other.width && height == other.height &&
             pitch == other.pitch && fourcc == other.fourcc;
    }
  };
  Result<void> Make(Entry& entry, const processor::GpuMemory::Lease& lease, std::uint64_t span_bytes);

  const Card& card_;
  GemHandles& handles_;
  processor::GpuMemory& memory_;
  const DumbBuffer& local_;
  std::uint64_t questions_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tandem::kms
