// The adapter's address space: local memory, and an aperture whose pages are system memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/condition.h"
#include "base/memory_map.h"
#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "drivers/processor/kmd/command_stream.h"

namespace tandem::processor {

inline constexpr std::uint32_t kLocalSegment = 1;  // DXGK_ALLOCATIONLIST::SegmentId
inline constexpr std::uint32_t kApertureSegment = 2;
inline constexpr std::uint64_t kLocalBase = 1ULL << 40;     // GPU address of the local segment's first byte
inline constexpr std::uint64_t kApertureBase = 1ULL << 44;  // and of the aperture's
inline constexpr std::uint64_t kGpuPageBytes = 4096;

inline constexpr std::uint64_t kLocalMemoryId = 1;  // GpuMemory::Lease::memory_id() of all local memory

// Pages of the local segment that the processor made: address space at once, pages when they are touched. kMemfd: outputs take
// them as they are. kPrivate: huge pages where the system has them.
enum class LocalPages : std::uint8_t { kMemfd, kPrivate };

// The local segment's memory, mapped.
struct LocalMemory {
  UniqueFd fd;  // of the map's first byte; invalid: pages that no output can attach to
  MemoryMap map;

  // kOutOfMemory, kLimit, kInvalidArgument for a size of 0.
  static Result<LocalMemory> Create(std::uint64_t bytes, LocalPages pages);
};

// Thread-safe. Leases must be gone before the memory goes.
class GpuMemory {
 public:
  // kInvalidArgument for sizes that the address space does not hold.
  static Result<std::unique_ptr<GpuMemory>> Create(LocalMemory local, std::uint64_t aperture_bytes);

  struct Mapping;
  // A resolved range. While it lives the pages stay mapped: UnmapAperture of them waits.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    [[nodiscard]] std::byte* data() const { return data_; }
    // Stable as long as the memory behind the address is; never given to other memory.
    [[nodiscard]] std::uint64_t memory_id() const { return memory_id_; }
    [[nodiscard]] int backing_fd() const { return backing_fd_; }                    // -1: anonymous pages
    [[nodiscard]] bool backing_is_dma_buf() const { return backing_is_dma_buf_; }   // otherwise a memfd
    [[nodiscard]] std::uint64_t backing_offset() const { return backing_offset_; }  // of data() in the file
    [[nodiscard]] std::uint64_t backing_size() const { return backing_size_; }      // bytes of the whole file

   private:
    friend class GpuMemory;
    Lease() = default;

    GpuMemory* memory_ = nullptr;
    Mapping* mapping_ = nullptr;  // null for local memory
    std::byte* data_ = nullptr;
    std::uint64_t memory_id_ = 0;
    int backing_fd_ = -1;
    bool backing_is_dma_buf_ = false;
    std::uint64_t backing_offset_ = 0;
    std::uint64_t backing_size_ = 0;
  };

  // Nothing when not every byte of the range is mapped by one mapping, or the length is 0.
  [[nodiscard]] std::optional<Lease> Resolve(std::uint64_t address, std::uint64_t bytes);

  // Replaces what was mapped there. False when the range lies outside the aperture or the host address is not page-aligned.
  [[nodiscard]] bool MapAperture(const MapApertureCommand& map, std::vector<std::uint64_t>& forgotten_ids);
  // Blocks while a lease covers a page of the range. Appends the ids that are gone. False for a range outside the aperture.
  [[nodiscard]] bool UnmapAperture(std::uint64_t first_page, std::uint64_t page_count, std::vector<std::uint64_t>& forgotten_ids);

  [[nodiscard]] std::byte* local_data() const { return local_.map.data(); }
  [[nodiscard]] std::uint64_t local_bytes() const { return local_.map.size_bytes(); }
  [[nodiscard]] std::uint64_t aperture_bytes() const { return aperture_pages_ * kGpuPageBytes; }

  struct Mapping {
    std::uint64_t id = 0;
    std::uint64_t page_count = 0;
    std::byte* host = nullptr;
    std::shared_ptr<UniqueFd> backing;  // our own descriptor; null for anonymous pages
    bool backing_is_dma_buf = false;
    std::uint64_t backing_offset = 0;
    std::uint64_t backing_size = 0;
    std::uint32_t leases = 0;
    bool retiring = false;  // an unmap waits: no new leases
  };

 private:
  GpuMemory(LocalMemory local, std::uint64_t aperture_pages);

  [[nodiscard]] bool InAperture(std::uint64_t first_page, std::uint64_t page_count) const;
  void Release(Mapping& mapping);
  void RemoveRange(std::uint64_t first_page, std::uint64_t page_count, std::vector<std::uint64_t>& forgotten_ids, MutexLock& lock)
      TANDEM_REQUIRES(mutex_);
  void KeepPart(const Mapping& old, std::uint64_t old_first, std::uint64_t first, std::uint64_t end) TANDEM_REQUIRES(mutex_);

  LocalMemory local_;
  std::uint64_t aperture_pages_;

  Mutex paging_mutex_ TANDEM_ACQUIRED_BEFORE(mutex_);  // one change of the aperture at a time, its waits included
  Mutex mutex_;
  Condition lease_gone_;
  std::uint64_t next_id_ TANDEM_GUARDED_BY(mutex_) = kLocalMemoryId + 1;
  std::map<std::uint64_t, Mapping> mappings_ TANDEM_GUARDED_BY(mutex_);  // by first page; they never overlap
};

}  // namespace tandem::processor
