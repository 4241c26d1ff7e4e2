#include "kernel/memory/backing_store.h"

#include <cstring>
#include <mutex>
#include <utility>

#include "base/dma_buf.h"
#include "base/log.h"

namespace tandem::kernel {

Result<std::shared_ptr<BackingStore>> BackingStore::Create(BackingStoreKind kind, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBackingStoreBytes) {
    return Fail(ErrorKind::kLimit, "A backing store of {} bytes passes the limit of {}.", size_bytes, kMaxBackingStoreBytes);
  }
  const auto size = RoundUpToPages(static_cast<std::size_t>(size_bytes));
  if (!size.ok()) return size.error();

  if (kind == BackingStoreKind::kMemfd) {
    auto pages = CreateSharedPages("tandem-allocation", *size);
    if (pages.ok()) return MapTwice(*std::move(pages), *size);
    if (pages.error().kind != ErrorKind::kUnsupported) return std::move(pages).error();
    // Within one process anonymous pages do as well.
    static std::once_flag logged;
    std::call_once(logged, [&] { Log(LogLevel::kWarn, "Allocations have anonymous pages. {}", pages.error().message); });
  }
  auto map = MemoryMap::CreateAnonymous(*size);
  if (!map.ok()) return std::move(map).error();
  return std::shared_ptr<BackingStore>(new BackingStore(*std::move(map), {}, {}));
}

Result<std::shared_ptr<BackingStore>> BackingStore::MapTwice(UniqueFd fd, std::size_t size_bytes) {
  auto map = MemoryMap::MapShared(fd, 0, size_bytes, MapAccess::kReadWrite);
  if (!map.ok()) return std::move(map).error();
  auto user_map = MemoryMap::MapShared(fd, 0, size_bytes, MapAccess::kReadWrite);
  if (!user_map.ok()) return std::move(user_map).error();
  auto made = std::shared_ptr<BackingStore>(new BackingStore(*std::move(map), *std::move(user_map), std::move(fd)));
  made->is_dma_buf_ = IsDmaBuf(made->fd());
  return made;
}

Result<std::shared_ptr<BackingStore>> BackingStore::FromDmaBuf(UniqueFd dma_buf, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBackingStoreBytes) {
    return Fail(ErrorKind::kLimit, "A backing store of {} bytes passes the limit of {}.", size_bytes, kMaxBackingStoreBytes);
  }
  if (auto checked = CheckDmaBufSize(dma_buf, size_bytes); !checked.ok()) return std::move(checked).error();
  if (!IsDmaBuf(dma_buf.get())) return Fail(ErrorKind::kInvalidArgument, "A descriptor that shall be a dma-buf is none.");
  auto made = MapTwice(std::move(dma_buf), static_cast<std::size_t>(size_bytes));
  if (!made.ok()) return Fail(ErrorKind::kUnsupported, "The processor cannot map a dma-buf: {}", made.error().message);
  const DmaBufAccess access((*made)->fd());
  std::memset((*made)->address(), 0, (*made)->size());
  return made;
}

Result<std::shared_ptr<BackingStore>> BackingStore::Open(const UniqueFd& fd, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBackingStoreBytes) {
    return Fail(ErrorKind::kLimit, "A backing store of {} bytes passes the limit of {}.", size_bytes, kMaxBackingStoreBytes);
  }
  const auto available = FileSizeBytes(fd);
  if (!available.ok()) return available.error();
  if (size_bytes == 0 || size_bytes % PageSize() != 0 || size_bytes > *available) {
    return Fail(ErrorKind::kInvalidArgument, "{} bytes are not whole pages of a descriptor that holds {}.", size_bytes,
                *available);
  }
  if (!IsSealedAgainstShrinking(fd) && !IsDmaBuf(fd.get())) {
    return Fail(ErrorKind::kInvalidArgument, "A descriptor that is not sealed against shrinking cannot back an allocation.");
  }
  auto own = fd.Duplicate();
  if (!own.ok()) return std::move(own).error();
  return MapTwice(*std::move(own), static_cast<std::size_t>(size_bytes));
}

Result<std::shared_ptr<BackingStore>> BackingStore::Adopt(std::byte* pages, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBackingStoreBytes) {
    return Fail(ErrorKind::kLimit, "A backing store of {} bytes passes the limit of {}.", size_bytes, kMaxBackingStoreBytes);
  }
  if (auto checked = CheckWritablePages(pages, static_cast<std::size_t>(size_bytes)); !checked.ok())
    return std::move(checked).error();
  return std::shared_ptr<BackingStore>(new BackingStore(std::span(pages, static_cast<std::size_t>(size_bytes))));
}

MDL BackingStore::Mdl(std::uint64_t size_bytes) const {
  TANDEM_CHECK(size_bytes <= size());
  MDL mdl{};
  mdl.Size = sizeof(MDL);
  mdl.MappedSystemVa = address();
  mdl.StartVa = address();
  mdl.ByteCount = static_cast<ULONG>(size_bytes);
  mdl.BackingFd = fd();
  mdl.BackingIsDmaBuf = is_dma_buf_ ? 1 : 0;
  return mdl;
}

}  // namespace tandem::kernel
