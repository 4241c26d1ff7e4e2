#include "drivers/processor/kmd/gpu_memory.h"

#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/log.h"

namespace tandem::processor {
namespace {

// Our own descriptor of the mapping's file, and its size. Nothing when the system has none left: the pages stay usable without.
void AttachBacking(GpuMemory::Mapping& mapping, std::int64_t fd, std::uint64_t offset) {
  if (fd < 0) return;
  UniqueFd duplicate(fcntl(static_cast<int>(fd), F_DUPFD_CLOEXEC, 0));
  struct stat info {};
  if (!duplicate.valid() || fstat(duplicate.get(), &info) != 0 || info.st_size < 0) return;
  mapping.backing_size = static_cast<std::uint64_t>(info.st_size);
  mapping.backing_offset = offset;
  mapping.backing = std::make_shared<UniqueFd>(std::move(duplicate));
}

}  // namespace

GpuMemory::Lease::Lease(Lease&& other) noexcept
    : memory_(other.memory_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      data_(other.data_),
      memory_id_(other.memory_id_),
      backing_fd_(other.backing_fd_),
      backing_is_dma_buf_(other.backing_is_dma_buf_),
      backing_offset_(other.backing_offset_),
      backing_size_(other.backing_size_) {}

GpuMemory::Lease::~Lease() {
  if (mapping_ != nullptr) memory_->Release(*mapping_);
}

Result<LocalMemory> LocalMemory::Create(std::uint64_t bytes, LocalPages pages) {
  const auto make_private = [bytes]() -> Result<LocalMemory> {
    auto mapped = MemoryMap::CreateAnonymous(bytes);
    if (!mapped.ok()) return std::move(mapped).error();
    return LocalMemory{UniqueFd(), *std::move(mapped)};
  };
  if (pages == LocalPages::kPrivate) return make_private();
  auto fd = CreateSharedPages("tandem-local", bytes);
  if (!fd.ok() && fd.error().kind == ErrorKind::kUnsupported) {
    Log(LogLevel::kWarn, "Local memory has private pages, which no output reads without a copy. {}", fd.error().message);
    return make_private();
  }
  if (!fd.ok()) return std::move(fd).error();
  const auto size = RoundUpToPages(bytes);
  if (!size.ok()) return size.error();
  auto mapped = MemoryMap::MapShared(*fd, 0, *size, MapAccess::kReadWrite);
  if (!mapped.ok()) return std::move(mapped).error();
  return LocalMemory{*std::move(fd), *std::move(mapped)};
}

GpuMemory::GpuMemory(LocalMemory local, std::uint64_t aperture_pages)
    : local_(std::move(local)), aperture_pages_(aperture_pages) {}

Result<std::unique_ptr<GpuMemory>> GpuMemory::Create(LocalMemory local, std::uint64_t aperture_bytes) {
  const std::uint64_t local_bytes = local.map.size_bytes();
  if (local_bytes > kApertureBase - kLocalBase || aperture_bytes > kApertureBase || aperture_bytes < kGpuPageBytes) {
    return Fail(ErrorKind::kInvalidArgument, "{} bytes of local memory and {} of aperture are not within a page and {} bytes.",
                local_bytes, aperture_bytes, kApertureBase - kLocalBase);
  }
  return std::unique_ptr<GpuMemory>(new GpuMemory(std::move(local), aperture_bytes / kGpuPageBytes));
}

std::optional<GpuMemory::Lease> GpuMemory::Resolve(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return std::nullopt;
  Lease lease;
  if (address >= kLocalBase && address < kApertureBase) {
    const std::uint64_t offset = address - kLocalBase;
    if (offset >= local_bytes() || bytes > local_bytes() - offset) return std::nullopt;
    lease.data_ = local_data() + offset;
    lease.memory_id_ = kLocalMemoryId;
    lease.backing_fd_ = local_.fd.get();
    lease.backing_offset_ = offset;
    lease.backing_size_ = local_.fd.valid() ? local_bytes() : 0;
    return lease;
  }
  if (address < kApertureBase || address - kApertureBase >= aperture_bytes()) return std::nullopt;
  const std::uint64_t offset = address - kApertureBase;
  const MutexLock lock(mutex_);
  auto after = mappings_.upper_bound(offset / kGpuPageBytes);
  if (after == mappings_.begin()) return std::nullopt;
  auto& [first_page, mapping] = *--after;
  const std::uint64_t offset_in_mapping = offset - first_page * kGpuPageBytes;
  const std::uint64_t mapping_bytes = mapping.page_count * kGpuPageBytes;
  if (mapping.retiring || offset_in_mapping >= mapping_bytes || bytes > mapping_bytes - offset_in_mapping) return std::nullopt;
  ++mapping.leases;
  lease.memory_ = this;
  lease.mapping_ = &mapping;
  lease.data_ = mapping.host + offset_in_mapping;
  lease.memory_id_ = mapping.id;
  lease.backing_fd_ = mapping.backing ? mapping.backing->get() : -1;
  lease.backing_is_dma_buf_ = mapping.backing_is_dma_buf;
  lease.backing_offset_ = mapping.backing_offset + offset_in_mapping;
  lease.backing_size_ = mapping.backing_size;
  return lease;
}

bool GpuMemory::MapAperture(const MapApertureCommand& map, std::vector<std::uint64_t>& forgotten_ids) {
  if (!InAperture(map.first_page, map.page_count) || map.host_address == 0 || map.host_address % kGpuPageBytes != 0) return false;
  Mapping mapping;
  mapping.page_count = map.page_count;
  mapping.host = reinterpret_cast<std::byte*>(map.host_address);
  mapping.backing_is_dma_buf = map.is_dma_buf != 0;
  AttachBacking(mapping, map.backing_fd, map.backing_offset);
  const MutexLock one_change(paging_mutex_);
  MutexLock lock(mutex_);
  RemoveRange(map.first_page, map.page_count, forgotten_ids, lock);
  mapping.id = next_id_++;
  mappings_.emplace(map.first_page, std::move(mapping));
  return true;
}

bool GpuMemory::UnmapAperture(std::uint64_t first_page, std::uint64_t page_count, std::vector<std::uint64_t>& forgotten_ids) {
  if (!InAperture(first_page, page_count)) return false;
  const MutexLock one_change(paging_mutex_);
  MutexLock lock(mutex_);
  RemoveRange(first_page, page_count, forgotten_ids, lock);
  return true;
}

bool GpuMemory::InAperture(std::uint64_t first_page, std::uint64_t page_count) const {
  return page_count > 0 && page_count <= aperture_pages_ && first_page <= aperture_pages_ - page_count;
}

void GpuMemory::Release(Mapping& mapping) {
  const MutexLock lock(mutex_);
  if (--mapping.leases == 0 && mapping.retiring) lease_gone_.NotifyAll();
}

void GpuMemory::RemoveRange(std::uint64_t first_page, std::uint64_t page_count, std::vector<std::uint64_t>& forgotten_ids,
                            MutexLock& lock) {
  const std::uint64_t end_page = first_page + page_count;
  auto it = mappings_.upper_bound(first_page);
  if (it != mappings_.begin()) --it;
  while (it != mappings_.end() && it->first < end_page) {
    if (it->first + it->second.page_count <= first_page) {
      ++it;
      continue;
    }
    it->second.retiring = true;
    while (it->second.leases > 0) lease_gone_.Wait(lock.native());
    const std::uint64_t old_first = it->first;
    const Mapping old = std::move(it->second);
    forgotten_ids.push_back(old.id);
    it = mappings_.erase(it);
    KeepPart(old, old_first, old_first, first_page);
    KeepPart(old, old_first, end_page, old_first + old.page_count);
  }
}

// The rest of a mapping that is cut becomes a mapping of its own, with an id of its own.
void GpuMemory::KeepPart(const Mapping& old, std::uint64_t old_first, std::uint64_t first, std::uint64_t end) {
  if (first >= end) return;
  Mapping part = old;
  part.retiring = false;
  part.id = next_id_++;
  part.page_count = end - first;
  part.host += (first - old_first) * kGpuPageBytes;
  part.backing_offset += (first - old_first) * kGpuPageBytes;
  mappings_.emplace(first, std::move(part));
}

}  // namespace tandem::processor
