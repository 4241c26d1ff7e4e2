// Mapped pages: private ones that a GPU can import, and shared ones behind a descriptor that two processes or devices see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// The system's page size in bytes; a power of two.
[[nodiscard]] std::size_t PageSize();

// The next multiple of the page size. kInvalidArgument for 0, kLimit when it does not fit.
[[nodiscard]] Result<std::size_t> RoundUpToPages(std::size_t size_bytes);

enum class MapAccess { kReadOnly, kReadWrite };

// Owns a mapping and unmaps it. Whoever handed the pages to a device ends that use first.
class MemoryMap {
 public:
  MemoryMap() = default;
  MemoryMap(MemoryMap&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;
  ~MemoryMap() { Reset(); }

  // Anonymous private pages, zeroed, readable and writable; the size is rounded up to pages. These are the only pages that every
  // VK_EXT_external_memory_host driver imports (amdgpu refuses shared and file-backed ones). From 2 MiB on they are huge ones
  // where the system gives them to who asks: walks of page tables are a tenth of a copy's time.
  // kInvalidArgument for 0, kLimit, kOutOfMemory.
  [[nodiscard]] static Result<MemoryMap> CreateAnonymous(std::size_t size_bytes);

  // Maps `size_bytes` of `fd` from `offset_bytes`, shared. Both must be multiples of the page size; the descriptor may be closed
  // after. kInvalidArgument, kOutOfMemory, kIo.
  [[nodiscard]] static Result<MemoryMap> MapShared(const UniqueFd& fd, std::uint64_t offset_bytes, std::size_t size_bytes,
                                                   MapAccess access);

  [[nodiscard]] bool valid() const { return data_ != nullptr; }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_bytes_}; }
  void Reset();

 private:
  MemoryMap(std::byte* data, std::size_t size_bytes) : data_(data), size_bytes_(size_bytes) {}

  std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

// A memfd of zeroed pages, the size rounded up, close-on-exec. Sealed against shrinking, so that no holder can pull pages away
// from under another; not against writing, because udmabuf refuses that. `name` is for /proc/*/maps.
// kInvalidArgument for 0, kLimit, kOutOfMemory, kUnsupported in a sandbox that refuses memfd_create or beyond RLIMIT_FSIZE,
// kIo.
[[nodiscard]] Result<UniqueFd> CreateSharedPages(const std::string& name, std::size_t size_bytes);

// Whether every page of the range is mapped and may be written; the pages are there afterwards. kInvalidArgument for a range that
// is not whole pages, or for which it is not so.
[[nodiscard]] Result<void> CheckWritablePages(const void* begin, std::size_t size_bytes);

// Whether nobody can cut the file behind the descriptor shorter any more (F_SEAL_SHRINK): only then reading its pages never
// faults.
[[nodiscard]] bool IsSealedAgainstShrinking(const UniqueFd& fd);

// Bytes behind a descriptor of a regular file, memfd or dma-buf; moves its file position. kIo.
[[nodiscard]] Result<std::uint64_t> FileSizeBytes(const UniqueFd& fd);

}  // namespace tandem
