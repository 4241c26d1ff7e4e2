// Pixel memory that a card can scan out: dumb buffers of its own, and dma-bufs of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "base/memory_map.h"
#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "drivers/kms/card/card.h"

namespace tandem::kms {

// GEM handles of imported dma-bufs with their users: the kernel gives one handle for one object however often it is imported, and
// one close ends it for all. Thread-safe.
class GemHandles {
 public:
  explicit GemHandles(const Card& card) : card_(card) {}
  GemHandles(const GemHandles&) = delete;
  GemHandles& operator=(const GemHandles&) = delete;

  // kUnsupported when the card imports no dma-bufs or not this one, kInvalidArgument for a descriptor that is none, kOutOfMemory,
  // kDeviceLost. Each success takes one Release(). The kernel may attach the card's device to the pages here.
  [[nodiscard]] Result<std::uint32_t> Import(int dma_buf_fd);
  void Release(std::uint32_t handle);

 private:
  const Card& card_;
  // Also held over the ioctls: between the last user's close and another import of the same object the number is not valid.
  Mutex mutex_;
  std::map<std::uint32_t, std::uint32_t> users_ TANDEM_GUARDED_BY(mutex_);  // by handle
};

// A dma-buf that the card has a handle of. `handles` outlives it.
class ImportedBuffer {
 public:
  ImportedBuffer() = default;
  ImportedBuffer(ImportedBuffer&& other) noexcept : handles_(other.handles_), handle_(std::exchange(other.handle_, 0)) {}
  ImportedBuffer& operator=(ImportedBuffer&& other) noexcept;
  ImportedBuffer(const ImportedBuffer&) = delete;
  ImportedBuffer& operator=(const ImportedBuffer&) = delete;
  ~ImportedBuffer() { Reset(); }

  // Errors: GemHandles::Import. The descriptor may be closed afterwards.
  [[nodiscard]] static Result<ImportedBuffer> Import(GemHandles& handles, int dma_buf_fd);

  [[nodiscard]] std::uint32_t handle() const { return handle_; }  // 0: none
  // Framebuffers that refer to the pages keep them.
  void Reset();

 private:
  ImportedBuffer(GemHandles& handles, std::uint32_t handle) : handles_(&handles), handle_(handle) {}

  GemHandles* handles_ = nullptr;
  std::uint32_t handle_ = 0;
};

// Linear memory of the card's own, zeroed. The card outlives it.
class DumbBuffer {
 public:
  DumbBuffer() = default;
  DumbBuffer(DumbBuffer&& other) noexcept { *this = std::move(other); }
  DumbBuffer& operator=(DumbBuffer&& other) noexcept;
  DumbBuffer(const DumbBuffer&) = delete;
  DumbBuffer& operator=(const DumbBuffer&) = delete;
  ~DumbBuffer() { Reset(); }

  // `bits_per_pixel`: 8 for planes of bytes (NV12: rows * 3 / 2), 16, 32 or 64. The card chooses the pitch. kUnsupported without
  // dumb buffers or for a size that the card refuses, kOutOfMemory, kDeviceLost, kIo.
  [[nodiscard]] static Result<DumbBuffer> Create(const Card& card, std::uint32_t width, std::uint32_t height,
                                                 std::uint32_t bits_per_pixel);

  // Maps all bytes for the processor, uncached on many cards: write in order, read as little as possible. kOutOfMemory, kIo.
  [[nodiscard]] Result<MemoryMap> Map() const;
  // Maps the first `size_bytes` in place of the pages there, which are a mapping that the caller owns; whole pages.
  // kInvalidArgument for more bytes than the buffer has, kOutOfMemory, kIo.
  [[nodiscard]] Result<void> MapOver(std::byte* pages, std::size_t size_bytes) const;
  // A dma-buf of the same memory. kUnsupported when the card exports none, kLimit, kDeviceLost, kIo.
  [[nodiscard]] Result<UniqueFd> Export() const;

  [[nodiscard]] std::uint32_t handle() const { return handle_; }  // 0: none
  [[nodiscard]] std::uint32_t pitch_bytes() const { return pitch_bytes_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  void Reset();

 private:
  // The place of the buffer's bytes in the card's node, for mmap().
  [[nodiscard]] Result<std::uint64_t> MapOffset() const;

  const Card* card_ = nullptr;
  std::uint32_t handle_ = 0;
  std::uint32_t pitch_bytes_ = 0;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace tandem::kms
