// Local memory of a card. Each picture that planes read becomes a buffer of the card's own: drivers misread framebuffers that
// begin inside a buffer (in Linux 6.12 virtio-gpu ignores the offset, and vkms adds it twice), and cannot pin a buffer larger
// than VRAM.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/processor/kmd/gpu_memory.h"

namespace tandem::kms {

// Thread-safe. The card outlives it, and so does the memory that it made.
class LocalPictures {
 public:
  explicit LocalPictures(const Card& card) : card_(card) {}
  LocalPictures(const LocalPictures&) = delete;
  LocalPictures& operator=(const LocalPictures&) = delete;

  // Pages of the process, zeroed. Called once, before BufferAt().
  [[nodiscard]] Result<processor::LocalMemory> Make(std::uint64_t size_bytes);
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  // The buffer of `bytes` bytes whose pages are those at `offset`, with rows of `pitch` bytes. The first time, the bytes move
  // into a new one, and nobody may write them meanwhile; a picture of another shape there loses its buffer. kUnsupported where
  // the card lays rows out differently, kInvalidArgument outside of the memory; DumbBuffer's errors.
  [[nodiscard]] Result<std::shared_ptr<const DumbBuffer>> BufferAt(std::uint64_t offset, std::uint64_t bytes,
                                                                   std::uint32_t pitch);

 private:
  struct Picture {
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t pitch = 0;
    std::shared_ptr<const DumbBuffer> buffer;
  };

  const Card& card_;
  std::byte* pages_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  Mutex mutex_;
  std::vector<Picture> pictures_ TANDEM_GUARDED_BY(mutex_);  // no two overlap
};

// A buffer of the card's own with room for `bytes` bytes in rows of exactly `pitch` bytes. kUnsupported for a pitch that the card
// does not choose; DumbBuffer's errors.
[[nodiscard]] Result<DumbBuffer> CreateWithPitch(const Card& card, std::uint64_t bytes, std::uint32_t pitch);

}  // namespace tandem::kms
