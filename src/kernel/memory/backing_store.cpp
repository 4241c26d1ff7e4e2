#include "kernel/memory/backing_store.h"

#include <utility>

namespace tandem::kernel {

Result<std::shared_ptr<BackingStore>> BackingStore::Create(BackingStoreKind kind, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBackingStoreBytes) {
    return Fail(ErrorKind::kLimit, "A backing store of {} bytes passes the limit of {}.", size_bytes, kMaxBackingStoreBytes);
  }
  const auto size = RoundUpToPages(static_cast<std::size_t>(size_bytes));
  if (!size.ok()) return size.error();

  UniqueFd fd;
  Result<MemoryMap> map = Fail(ErrorKind::kInternal, "No pages.");
  if (kind == BackingStoreKind::kMemfd) {
    auto pages = CreateSharedPages("tandem-allocation", *size);
    if (!pages.ok()) return pages.error();
    fd = *std::move(pages);
    map = MemoryMap::MapShared(fd, 0, *size, MapAccess::kReadWrite);
  } else {
    map = MemoryMap::CreateAnonymous(*size);
  }
  if (!map.ok()) return map.error();
  return std::shared_ptr<BackingStore>(new BackingStore(*std::move(map), std::move(fd)));
}

MDL BackingStore::Mdl(std::uint64_t size_bytes) const {
  TANDEM_CHECK(size_bytes <= size());
  MDL mdl{};
  mdl.Size = sizeof(MDL);
  mdl.MappedSystemVa = address();
  mdl.StartVa = address();
  mdl.ByteCount = static_cast<ULONG>(size_bytes);
  mdl.BackingFd = fd();
  return mdl;
}

}  // namespace tandem::kernel
