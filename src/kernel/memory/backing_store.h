// System-memory pages behind an allocation; shared by every adapter that opened it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/memory_map.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/kernel.h"

#include <wddm_kernel.h>

namespace tandem::kernel {

// Bytes of one backing store: what an MDL can describe.
inline constexpr std::uint64_t kMaxBackingStoreBytes = 0xFFFF'F000ULL;

// Immutable after creation; any thread.
class BackingStore {
 public:
  // Zeroed pages; the size is rounded up to pages. Anonymous ones in a sandbox that refuses memfd_create, and beyond
  // RLIMIT_FSIZE. kInvalidArgument for 0, kLimit, kOutOfMemory, kIo.
  [[nodiscard]] static Result<std::shared_ptr<BackingStore>> Create(BackingStoreKind kind, std::uint64_t size_bytes);

  // The first `size_bytes` of a dma-buf that a device exported, zeroed. kInvalidArgument, with both numbers, when it holds less
  // than it shall; kUnsupported when the processor cannot map it. kLimit, kOutOfMemory, kIo.
  [[nodiscard]] static Result<std::shared_ptr<BackingStore>> FromDmaBuf(UniqueFd dma_buf, std::uint64_t size_bytes);

  // The first `size_bytes` of a memfd or dma-buf that another process or this one made; the descriptor stays the caller's.
  // kInvalidArgument for a size that is no whole number of pages, or larger than the file, and for a file that can shrink.
  // kLimit, kOutOfMemory, kIo.
  [[nodiscard]] static Result<std::shared_ptr<BackingStore>> Open(const UniqueFd& fd, std::uint64_t size_bytes);

  // Pages of user mode, which keeps them as long as the object lives. kInvalidArgument when they are not whole, mapped and
  // writable, kLimit.
  [[nodiscard]] static Result<std::shared_ptr<BackingStore>> Adopt(std::byte* pages, std::uint64_t size_bytes);

  // The kernel's mapping, which drivers get.
  [[nodiscard]] std::byte* address() const { return pages_.data(); }
  // User mode's mapping of the same pages, which no driver gets. A process maps anonymous pages once: both addresses are one.
  [[nodiscard]] std::byte* user_address() const { return user_map_.valid() ? user_map_.data() : pages_.data(); }
  [[nodiscard]] std::uint64_t size() const { return pages_.size(); }
  [[nodiscard]] int fd() const { return fd_.get(); }  // borrowed; -1 for anonymous pages
  [[nodiscard]] bool is_dma_buf() const { return is_dma_buf_; }
  // Describes the first `size_bytes` for a driver; valid as long as this object.
  [[nodiscard]] MDL Mdl(std::uint64_t size_bytes) const;

 private:
  BackingStore(MemoryMap map, MemoryMap user_map, UniqueFd fd)
      : map_(std::move(map)), user_map_(std::move(user_map)), pages_(map_.bytes()), fd_(std::move(fd)) {}
  explicit BackingStore(std::span<std::byte> pages) : pages_(pages) {}
  // Maps the pages of `fd` for the kernel and for user mode.
  static Result<std::shared_ptr<BackingStore>> MapTwice(UniqueFd fd, std::size_t size_bytes);

  MemoryMap map_;       // empty for adopted pages
  MemoryMap user_map_;  // a memfd's
  std::span<std::byte> pages_;
  UniqueFd fd_;
  bool is_dma_buf_ = false;
};

}  // namespace tandem::kernel
