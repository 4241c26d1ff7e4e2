// Mapped pages: private pages that a GPU can import, and pages behind a descriptor shared by two processes or devices.
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

// The next multiple of the page size. kInvalidArgument for 0, kLimit when the result does not fit.
[[nodiscard]] Result<std::size_t> RoundUpToPages(std::size_t size_bytes);

enum class MapAccess { kReadOnly, kReadWrite };

// Owns a mapping and unmaps it. A device must stop using the pages before that.
class MemoryMap {
 public:
  MemoryMap() = default;
  MemoryMap(MemoryMap&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  MemoryMap& operator=(MemoryMap&& other) noexcept;
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;
  ~MemoryMap() { Reset(); }

  // Creates anonymous private pages, zeroed, readable and writable; the size is rounded up to pages. Every driver with
  // VK_EXT_external_memory_host imports such pages; amdgpu refuses shared and file-backed ones. From 2 MiB on, the call
  // requests huge pages: page-table walks cost a tenth of a copy's time. Errors: kInvalidArgument for 0, kLimit, kOutOfMemory.
  [[nodiscard]] static Result<MemoryMap> CreateAnonymous(std::size_t size_bytes);

  // Maps `size_bytes` of `fd` from `offset_bytes`, shared. Both must be multiples of the page size. The descriptor may be
  // closed afterwards. kInvalidArgument, kOutOfMemory, kIo.
  [[nodiscard]] static Result<MemoryMap> MapShared(const UniqueFd& fd, std::uint64_t offset_bytes, std::size_t size_bytes,
                                                   MapAccess access);

  // Maps what a device's driver gave out at `offset_bytes` of its node, readable and writable; the driver checks the range.
  // kOutOfMemory, kUnsupported, kIo.
  [[nodiscard]] static Result<MemoryMap> MapDevice(int fd, std::uint64_t offset_bytes, std::size_t size_bytes);

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

// Creates a memfd of zeroed pages, close-on-exec; the size is rounded up to pages. It is sealed against shrinking, so no holder
// can remove pages that another uses. It is not sealed against writing, because udmabuf refuses that seal. `name` appears in
// /proc/*/maps. Errors: kInvalidArgument for 0, kLimit, kOutOfMemory, kUnsupported in a sandbox that refuses memfd_create or
// beyond RLIMIT_FSIZE, kIo.
[[nodiscard]] Result<UniqueFd> CreateSharedPages(const std::string& name, std::size_t size_bytes);

// Succeeds if every page of the range is mapped and writable; the call populates the pages. kInvalidArgument otherwise, and for
// a range that is not whole pages.
[[nodiscard]] Result<void> CheckWritablePages(const void* begin, std::size_t size_bytes);

// True if nobody can shrink the file behind the descriptor any more (F_SEAL_SHRINK). Only then does reading its pages never
// fault.
[[nodiscard]] bool IsSealedAgainstShrinking(const UniqueFd& fd);

// Bytes behind a descriptor of a regular file, memfd or dma-buf. Moves its file position. kIo.
[[nodiscard]] Result<std::uint64_t> FileSizeBytes(const UniqueFd& fd);

}  // namespace tandem
