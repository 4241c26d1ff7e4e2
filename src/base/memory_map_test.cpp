#include "base/memory_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>

namespace tandem {
namespace {

constexpr std::byte kMark{0xA5};

UniqueFd MakePages(std::size_t size_bytes) {
  auto fd = CreateSharedPages("tandem-test", size_bytes);
  EXPECT_TRUE(fd.ok());
  return std::move(fd).value();
}

TEST(RoundUpToPages, OneByte_IsOnePage) {
  const auto size = RoundUpToPages(1);
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(*size, PageSize());
}

TEST(RoundUpToPages, WholePages_StayAsTheyAre) { EXPECT_EQ(RoundUpToPages(3 * PageSize()).value(), 3 * PageSize()); }

TEST(RoundUpToPages, Zero_IsInvalid) { EXPECT_EQ(RoundUpToPages(0).error().kind, ErrorKind::kInvalidArgument); }

TEST(RoundUpToPages, LargestSize_IsPastTheLimit) {
  EXPECT_EQ(RoundUpToPages(std::numeric_limits<std::size_t>::max()).error().kind, ErrorKind::kLimit);
  EXPECT_EQ(RoundUpToPages(std::numeric_limits<std::ptrdiff_t>::max()).error().kind, ErrorKind::kLimit);
}

TEST(MemoryMap, LargeAnonymous_BeginsAtAHugePage_AndIsZeroed) {
  constexpr std::size_t kHugePage = 2U << 20;
  for (const std::size_t size : {kHugePage, kHugePage + PageSize(), 3 * kHugePage - PageSize()}) {
    auto map = MemoryMap::CreateAnonymous(size);
    ASSERT_TRUE(map.ok());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(map->data()) % kHugePage, 0U);
    EXPECT_EQ(map->size_bytes(), size);
    EXPECT_TRUE(std::all_of(map->data(), map->data() + size, [](std::byte byte) { return byte == std::byte{0}; }));
    std::fill_n(map->data(), size, kMark);
  }
}

TEST(MemoryMap, Anonymous_IsZeroedWritableAndPageAligned) {
  auto map = MemoryMap::CreateAnonymous(100);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->size_bytes(), PageSize());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(map->data()) % PageSize(), 0U);
  EXPECT_TRUE(std::ranges::all_of(map->bytes(), [](std::byte value) { return value == std::byte{0}; }));
  map->data()[PageSize() - 1] = kMark;
}

TEST(MemoryMap, AnonymousPastAddressSpace_IsOutOfMemory) {
  const auto map = MemoryMap::CreateAnonymous(std::size_t{1} << 62);
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(map.error().kind, ErrorKind::kOutOfMemory);
}

TEST(MemoryMap, Moved_LeavesNoneBehind) {
  auto from = MemoryMap::CreateAnonymous(1).value();
  std::byte* const data = from.data();
  MemoryMap to;
  to = std::move(from);
  EXPECT_FALSE(from.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(from.size_bytes(), 0U);
  EXPECT_EQ(to.data(), data);
}

TEST(MemoryMap, TwoSharedMaps_SeeTheSamePages) {
  const UniqueFd fd = MakePages(2 * PageSize());
  const auto writer = MemoryMap::MapShared(fd, PageSize(), PageSize(), MapAccess::kReadWrite);
  const auto reader = MemoryMap::MapShared(fd, 0, 2 * PageSize(), MapAccess::kReadOnly);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(reader.ok());
  writer->data()[7] = kMark;
  EXPECT_EQ(reader->data()[PageSize() + 7], kMark);
}

TEST(MemoryMap, SharedPastEnd_IsInvalid) {
  const UniqueFd fd = MakePages(PageSize());
  const auto map = MemoryMap::MapShared(fd, PageSize(), PageSize(), MapAccess::kReadOnly);
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(map.error().kind, ErrorKind::kInvalidArgument);
}

TEST(MemoryMap, SharedOffsetNearTheTop_DoesNotWrap) {
  const UniqueFd fd = MakePages(PageSize());
  const std::uint64_t offset = ~std::uint64_t{0} - PageSize() + 1;
  EXPECT_EQ(MemoryMap::MapShared(fd, offset, PageSize(), MapAccess::kReadOnly).error().kind, ErrorKind::kInvalidArgument);
}

TEST(MemoryMap, SharedOddSizeOrOffset_IsInvalid) {
  const UniqueFd fd = MakePages(2 * PageSize());
  EXPECT_EQ(MemoryMap::MapShared(fd, 0, 100, MapAccess::kReadOnly).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(MemoryMap::MapShared(fd, 0, 0, MapAccess::kReadOnly).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(MemoryMap::MapShared(fd, 64, PageSize(), MapAccess::kReadOnly).error().kind, ErrorKind::kInvalidArgument);
}

TEST(MemoryMap, SharedWithoutDescriptor_IsIoError) {
  EXPECT_EQ(MemoryMap::MapShared(UniqueFd(), 0, PageSize(), MapAccess::kReadOnly).error().kind, ErrorKind::kIo);
}

TEST(CreateSharedPages, Sealed_AgainstShrinkingButNotWriting) {
  const UniqueFd fd = MakePages(100);
  EXPECT_EQ(fcntl(fd.get(), F_GET_SEALS), F_SEAL_SHRINK);
  EXPECT_NE(ftruncate(fd.get(), 0), 0);
  EXPECT_EQ(FileSizeBytes(fd).value(), PageSize());
  EXPECT_EQ(fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(CreateSharedPages, Zero_IsInvalid) {
  EXPECT_EQ(CreateSharedPages("tandem-test", 0).error().kind, ErrorKind::kInvalidArgument);
}

TEST(CreateSharedPages, BeyondTheLimitOfAFilesSize_IsUnsupportedAndRaisesNoSignal) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit one_page{PageSize(), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &one_page), 0);
  const auto within = CreateSharedPages("tandem-test", PageSize());
  const auto beyond = CreateSharedPages("tandem-test", 2 * PageSize());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(within.ok());
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind, ErrorKind::kUnsupported);
}

TEST(MemoryMap, CheckWritablePages_OnlyWhatIsMappedAndWritable) {
  const auto map = MemoryMap::CreateAnonymous(3 * PageSize());
  ASSERT_TRUE(map.ok());
  EXPECT_TRUE(CheckWritablePages(map->data(), 3 * PageSize()).ok());
  EXPECT_FALSE(CheckWritablePages(map->data() + 1, PageSize()).ok());
  EXPECT_FALSE(CheckWritablePages(map->data(), PageSize() + 1).ok());
  EXPECT_FALSE(CheckWritablePages(map->data(), 0).ok());
  EXPECT_FALSE(CheckWritablePages(nullptr, PageSize()).ok());
  ASSERT_EQ(mprotect(map->data() + PageSize(), PageSize(), PROT_READ), 0);
  EXPECT_FALSE(CheckWritablePages(map->data(), 3 * PageSize()).ok());
  ASSERT_EQ(munmap(map->data() + PageSize(), PageSize()), 0);
  EXPECT_FALSE(CheckWritablePages(map->data(), 3 * PageSize()).ok());
}

TEST(MemoryMap, IsSealedAgainstShrinking_OurPagesAre_OthersAreNot) {
  const auto pages = CreateSharedPages("sealed", PageSize());
  ASSERT_TRUE(pages.ok());
  EXPECT_TRUE(IsSealedAgainstShrinking(*pages));
  EXPECT_FALSE(IsSealedAgainstShrinking(UniqueFd(memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING))));
  EXPECT_FALSE(IsSealedAgainstShrinking(UniqueFd()));
}

}  // namespace
}  // namespace tandem
