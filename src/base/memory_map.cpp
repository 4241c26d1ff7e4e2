#include "base/memory_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>

#include "base/aligned.h"
#include "base/write_all.h"

namespace tandem {
namespace {

constexpr std::size_t kHugePageBytes = 2U << 20;

// A sandbox refuses a call with EPERM, EACCES or ENOSYS, a file size limit with EFBIG. A second attempt fails the same way.
ErrorKind KindOf(int error_number) {
  switch (error_number) {
    case ENOMEM:
    case ENOSPC: return ErrorKind::kOutOfMemory;
    case EPERM:
    case EACCES:
    case ENOSYS:
    case EFBIG: return ErrorKind::kUnsupported;
    default: return ErrorKind::kIo;
  }
}

Error SystemFailure(int error_number, std::string_view what, std::uint64_t size_bytes) {
  return Fail(KindOf(error_number), "{} of {} bytes failed: {}.", what, size_bytes,
              std::generic_category().message(error_number));
}

Result<std::byte*> Map(int fd, std::uint64_t offset_bytes, std::size_t size_bytes, int protection, int flags) {
  void* const address = mmap(nullptr, size_bytes, protection, flags, fd, static_cast<off_t>(offset_bytes));
  if (address == MAP_FAILED) return SystemFailure(errno, "A mapping", size_bytes);
  return static_cast<std::byte*>(address);
}

}  // namespace

std::size_t PageSize() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

Result<std::size_t> RoundUpToPages(std::size_t size_bytes) {
  if (size_bytes == 0) return Fail(ErrorKind::kInvalidArgument, "A size of 0 bytes has no pages.");
  // off_t and pointer differences are signed.
  constexpr std::size_t kLargest = std::numeric_limits<std::ptrdiff_t>::max();
  const auto rounded = CheckedAlignUp(size_bytes, PageSize());
  if (!rounded || *rounded > kLargest) {
    return Fail(ErrorKind::kLimit, "A size of {} bytes is more than the limit of {}.", size_bytes, kLargest);
  }
  return *rounded;
}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
  if (this != &other) {
    Reset();
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

void MemoryMap::Reset() {
  if (data_ == nullptr) return;
  munmap(std::exchange(data_, nullptr), std::exchange(size_bytes_, 0));
}

Result<MemoryMap> MemoryMap::CreateAnonymous(std::size_t size_bytes) {
  const auto rounded = RoundUpToPages(size_bytes);
  if (!rounded.ok()) return rounded.error();
  constexpr int kProtection = PROT_READ | PROT_WRITE, kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (*rounded < kHugePageBytes) {
    const auto address = Map(-1, 0, *rounded, kProtection, kFlags);
    if (!address.ok()) return address.error();
    return MemoryMap(*address, *rounded);
  }
  // A huge page must start at a multiple of its size, so the mapping is made larger and both ends are unmapped.
  const auto room = Map(-1, 0, *rounded + kHugePageBytes, kProtection, kFlags);
  if (!room.ok()) return room.error();
  std::byte* const first = *room + (kHugePageBytes - reinterpret_cast<std::uintptr_t>(*room) % kHugePageBytes) % kHugePageBytes;
  const auto before = static_cast<std::size_t>(first - *room);
  if (before != 0) munmap(*room, before);
  if (before != kHugePageBytes) munmap(first + *rounded, kHugePageBytes - before);
  madvise(first, *rounded, MADV_HUGEPAGE);  // a hint
  return MemoryMap(first, *rounded);
}

Result<MemoryMap> MemoryMap::MapShared(const UniqueFd& fd, std::uint64_t offset_bytes, std::size_t size_bytes, MapAccess access) {
  const std::size_t page = PageSize();
  if (size_bytes == 0 || !IsAligned(size_bytes, page)) {
    return Fail(ErrorKind::kInvalidArgument, "A mapping's size of {} bytes is not a positive multiple of {}.", size_bytes, page);
  }
  if (!IsAligned(offset_bytes, std::uint64_t{page})) {
    return Fail(ErrorKind::kInvalidArgument, "A mapping's offset of {} bytes is not a multiple of {}.", offset_bytes, page);
  }
  // A page past the end could be mapped, but its first access would kill the process.
  const auto file_size = FileSizeBytes(fd);
  if (!file_size.ok()) return file_size.error();
  const auto end = CheckedAdd(offset_bytes, std::uint64_t{size_bytes});
  if (!end || *end > *file_size) {
    return Fail(ErrorKind::kInvalidArgument, "A mapping of {} bytes at offset {} passes the end of the file at {}.", size_bytes,
                offset_bytes, *file_size);
  }
  const int protection = access == MapAccess::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  const auto address = Map(fd.get(), offset_bytes, size_bytes, protection, MAP_SHARED);
  if (!address.ok()) return address.error();
  return MemoryMap(*address, size_bytes);
}

Result<MemoryMap> MemoryMap::MapDevice(int fd, std::uint64_t offset_bytes, std::size_t size_bytes) {
  const auto address = Map(fd, offset_bytes, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED);
  if (!address.ok()) return address.error();
  return MemoryMap(*address, size_bytes);
}

Result<UniqueFd> CreateSharedPages(const std::string& name, std::size_t size_bytes) {
  const auto rounded = RoundUpToPages(size_bytes);
  if (!rounded.ok()) return rounded.error();
  UniqueFd fd(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return SystemFailure(errno, "Making a memfd", *rounded);
  const WriteSignalsHeld held;  // a memfd counts as a file for RLIMIT_FSIZE
  if (ftruncate(fd.get(), static_cast<off_t>(*rounded)) != 0) return SystemFailure(errno, "Growing a memfd", *rounded);
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) return SystemFailure(errno, "Sealing a memfd", *rounded);
  return fd;
}

Result<void> CheckWritablePages(const void* begin, std::size_t size_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  if (address == 0 || size_bytes == 0 || address % PageSize() != 0 || size_bytes % PageSize() != 0) {
    return Fail(ErrorKind::kInvalidArgument, "{} bytes at 0x{:x} are not whole pages of {}.", size_bytes, address, PageSize());
  }
  if (madvise(const_cast<void*>(begin), size_bytes, MADV_POPULATE_WRITE) == 0) return {};
  return Fail(ErrorKind::kInvalidArgument, "{} bytes at 0x{:x} are not all mapped and writable: errno {}.", size_bytes, address,
              errno);
}

bool IsSealedAgainstShrinking(const UniqueFd& fd) {
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

Result<std::uint64_t> FileSizeBytes(const UniqueFd& fd) {
  // Not fstat: a dma-buf has a size for lseek only.
  const off_t end = lseek(fd.get(), 0, SEEK_END);
  if (end < 0) {
    return Fail(ErrorKind::kIo, "The size of descriptor {} cannot be read: {}.", fd.get(),
                std::generic_category().message(errno));
  }
  return static_cast<std::uint64_t>(end);
}

}  // namespace tandem
