// Framebuffers over the adapter's memory, made once for each memory and shape.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/kms/kmd/local_pictures.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {

// The address of surfaces that stand for all of their shape, in questions: a buffer without content.
inline constexpr std::uint64_t kSampleAddress = 0;

// One thread. Card, handles, memory and local pictures outlive it.
class FramebufferCache {
 public:
  FramebufferCache(const Card& card, GemHandles& handles, processor::GpuMemory& memory, LocalPictures& local)
      : card_(card), handles_(handles), memory_(memory), local_(local) {}

  // The id of a framebuffer over the surface's own pages: a picture of local memory, a dma-buf, or pages of a memfd as a udmabuf.
  // kUnsupported where the card does not take memory or shape: the same error for the same question until the memory is
  // forgotten. kNotFound for an address that is not mapped.
  [[nodiscard]] Result<std::uint32_t> Find(const processor::ScanOutSurface& surface, std::uint32_t fourcc);

  // The framebuffers of the memory, and all samples, go as soon as they are none of `in_use`; the others wait for the next
  // Sweep().
  void Forget(std::uint64_t memory_id);
  void Sweep(std::span<const std::uint32_t> in_use);

 private:
  struct Entry {
    std::uint64_t memory_id = 0;
    std::uint64_t offset = 0;  // in local memory; of an aperture mapping, in its file
    std::uint64_t bytes = 0;
    std::uint32_t width = 0, height = 0, pitch = 0, fourcc = 0;
    bool forgotten = false;
    std::uint64_t used = 0;  // the number of the last question for it
    ImportedBuffer imported;
    DumbBuffer sample;
    std::shared_ptr<const DumbBuffer> local;
    Framebuffer framebuffer;
    std::string refusal;  // not empty: the card does not take it

    [[nodiscard]] bool LostItsPlaceTo(const Entry& other) const {
      return local != nullptr && other.local != nullptr && local != other.local && offset < other.offset + other.bytes &&
             other.offset < offset + bytes;
    }

    [[nodiscard]] bool Fits(const Entry& other) const {
      return memory_id == other.memory_id && offset == other.offset && width == other.width && height == other.height &&
             pitch == other.pitch && fourcc == other.fourcc && local == other.local;
    }
  };
  // The file of a surface's pages.
  struct Backing {
    int fd = -1;  // -1: anonymous pages
    bool is_dma_buf = false;
  };
  // Gives the entry its pages and its framebuffer.
  Result<void> Make(Entry& entry, const Backing& backing);
  // The handles of the entry's pages.
  Result<std::uint32_t> Import(Entry& entry, const Backing& backing);
  Result<std::uint32_t> MakeSample(Entry& entry);
  // The id of the entry's framebuffer, of an older one like it, or the refusal.
  Result<std::uint32_t> IdOf(Entry wanted, const Backing& backing);

  const Card& card_;
  GemHandles& handles_;
  processor::GpuMemory& memory_;
  LocalPictures& local_;
  std::uint64_t questions_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tandem::kms
