#include "kernel/memory/share_descriptor.h"

#include <unistd.h>

#include <array>
#include <cstring>

#include "base/aligned.h"
#include "base/limits.h"
#include "base/write_all.h"

namespace tandem::kernel {
namespace {

constexpr std::uint32_t kMagic = 0x53444E54;  // "TNDS"
constexpr std::uint32_t kVersion = 2;

// Plain data without padding; the same for every process of a machine.
struct Trailer {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint64_t size = 0;  // bytes of the pages before it
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t format = 0;  // D3DDDIFORMAT
  std::uint32_t pitch = 0;   // bytes; 0: as every driver lays it out
  std::uint32_t runtime_bytes = 0;
  std::uint32_t cross_adapter = 0;  // 0: for the driver of that name only, which knows the private data
  std::uint32_t resource_bytes = 0;
  std::uint32_t allocation_bytes = 0;
  std::array<char, kMaxSharedDriverName> driver_name{};  // ends with 0
  std::array<std::byte, kMaxSharedRuntimeBytes> runtime{};
  std::array<std::byte, kMaxSharedPrivateBytes> resource{};
  std::array<std::byte, kMaxSharedPrivateBytes> allocation{};
};
static_assert(sizeof(Trailer) == 48 + kMaxSharedDriverName + kMaxSharedRuntimeBytes + 2 * kMaxSharedPrivateBytes);
static_assert(sizeof(Trailer) <= PAGE_SIZE);

template <std::size_t kCapacity>
void Put(const std::vector<std::byte>& bytes, std::array<std::byte, kCapacity>& out, std::uint32_t& count) {
  count = static_cast<std::uint32_t>(bytes.size());
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
}

template <std::size_t kCapacity>
std::vector<std::byte> Get(const std::array<std::byte, kCapacity>& bytes, std::uint32_t count) {
  return {bytes.begin(), bytes.begin() + count};
}

Result<void> Check(const Trailer& trailer, std::uint64_t file_size) {
  if (trailer.magic != kMagic || trailer.version != kVersion) {
    return Fail(ErrorKind::kInvalidArgument, "The descriptor is no shared resource of version {}.", kVersion);
  }
  // A row of bytes has no format and no pitch, and may be as wide as its pages.
  const bool row = trailer.format == D3DDDIFMT_UNKNOWN;
  if (trailer.cross_adapter != 0 && row &&
      (trailer.width == 0 || trailer.width > trailer.size || trailer.height != 1 || trailer.pitch != 0)) {
    return Fail(ErrorKind::kInvalidArgument, "{} x {} bytes of pitch {} are no row within {} bytes of pages.", trailer.width,
                trailer.height, trailer.pitch, trailer.size);
  }
  const bool surface =
      trailer.width != 0 && trailer.width <= kMaxSurfaceExtent && trailer.height != 0 && trailer.height <= kMaxSurfaceExtent;
  if (trailer.cross_adapter != 0 && !row && !surface) {
    return Fail(ErrorKind::kInvalidArgument, "An extent of {} x {} is not in 1..{}.", trailer.width, trailer.height,
                kMaxSurfaceExtent);
  }
  if (trailer.pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not a multiple of {}.", trailer.pitch,
                D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT);
  }
  const std::uint64_t rows =
      AlignUp(std::uint64_t{trailer.height}, std::uint64_t{D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT});
  if (trailer.cross_adapter != 0 && rows * trailer.pitch > trailer.size) {
    return Fail(ErrorKind::kInvalidArgument, "{} rows of {} bytes do not fit the {} bytes of a descriptor's pages.", rows,
                trailer.pitch, trailer.size);
  }
  if (trailer.size != file_size - PageSize() || trailer.runtime_bytes > kMaxSharedRuntimeBytes ||
      trailer.resource_bytes > kMaxSharedPrivateBytes || trailer.allocation_bytes > kMaxSharedPrivateBytes ||
      trailer.driver_name.back() != 0) {
    return Fail(ErrorKind::kInvalidArgument, "{} bytes of pages and {} of runtime data do not fit a descriptor of {} bytes.",
                trailer.size, trailer.runtime_bytes, file_size);
  }
  return {};
}

}  // namespace

Result<UniqueFd> ExportShare(const SharedResource& share) {
  if (share.backing == nullptr || share.backing->fd() < 0 || (share.cross_adapter && !share.description.known())) {
    return Fail(ErrorKind::kUnsupported,
                "Only one allocation on memfd pages is shared by descriptor, if it crosses adapters as a surface.");
  }
  if (share.runtime_data.size() > kMaxSharedRuntimeBytes || share.resource_data.size() > kMaxSharedPrivateBytes ||
      share.allocation_data.size() > kMaxSharedPrivateBytes || share.driver_name.size() >= kMaxSharedDriverName) {
    return Fail(ErrorKind::kLimit, "{} bytes of runtime data, {} and {} of private data pass the limits of {} and {}.",
                share.runtime_data.size(), share.resource_data.size(), share.allocation_data.size(), kMaxSharedRuntimeBytes,
                kMaxSharedPrivateBytes);
  }
  Trailer trailer;
  trailer.size = share.backing->size();
  trailer.width = share.description.width;
  trailer.height = share.description.height;
  trailer.format = static_cast<std::uint32_t>(share.description.format);
  trailer.pitch = share.pitch;
  trailer.cross_adapter = share.cross_adapter ? 1 : 0;
  std::memcpy(trailer.driver_name.data(), share.driver_name.data(), share.driver_name.size());
  Put(share.runtime_data, trailer.runtime, trailer.runtime_bytes);
  Put(share.resource_data, trailer.resource, trailer.resource_bytes);
  Put(share.allocation_data, trailer.allocation, trailer.allocation_bytes);

  UniqueFd borrowed(share.backing->fd());
  auto fd = borrowed.Duplicate();
  static_cast<void>(borrowed.Release());
  if (!fd.ok()) return std::move(fd).error();
  const auto end = static_cast<off_t>(trailer.size + PageSize());
  const WriteSignalsHeld held;  // a memfd counts as a file for RLIMIT_FSIZE
  // Every export writes the same.
  if (ftruncate(fd->get(), end) != 0 ||
      pwrite(fd->get(), &trailer, sizeof(trailer), static_cast<off_t>(trailer.size)) != static_cast<ssize_t>(sizeof(trailer))) {
    return Fail(ErrorKind::kIo, "The description of a shared resource of {} bytes cannot be written: errno {}.", trailer.size,
                errno);
  }
  return fd;
}

Result<std::shared_ptr<SharedResource>> ImportShare(const UniqueFd& fd) {
  const auto size = FileSizeBytes(fd);
  if (!size.ok()) return size.error();
  if (*size <= PageSize() || *size % PageSize() != 0) {
    return Fail(ErrorKind::kInvalidArgument, "A descriptor of {} bytes is no shared resource.", *size);
  }
  Trailer trailer;
  if (pread(fd.get(), &trailer, sizeof(trailer), static_cast<off_t>(*size - PageSize())) !=
      static_cast<ssize_t>(sizeof(trailer))) {
    return Fail(ErrorKind::kIo, "The description of a shared resource cannot be read: errno {}.", errno);
  }
  if (auto checked = Check(trailer, *size); !checked.ok()) return std::move(checked).error();
  auto backing = BackingStore::Open(fd, trailer.size);
  if (!backing.ok()) return std::move(backing).error();
  auto share = std::make_shared<SharedResource>();
  share->nt_sharing = true;
  share->cross_adapter = trailer.cross_adapter != 0;
  share->backing = *std::move(backing);
  share->description = {trailer.width, trailer.height, static_cast<D3DDDIFORMAT>(trailer.format)};
  share->pitch = trailer.pitch;
  share->size = trailer.size;
  share->driver_name = trailer.driver_name.data();
  share->runtime_data = Get(trailer.runtime, trailer.runtime_bytes);
  share->resource_data = Get(trailer.resource, trailer.resource_bytes);
  share->allocation_data = Get(trailer.allocation, trailer.allocation_bytes);
  return share;
}

}  // namespace tandem::kernel
