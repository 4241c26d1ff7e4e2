#include "base/dma_buf.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_map.h"

namespace tandem {
namespace {

bool HasUdmabuf() { return access("/dev/udmabuf", R_OK | W_OK) == 0; }

TEST(CreateDmaBuf, SharedPages_AreTheDmaBufsPages) {
  const UniqueFd pages = *CreateSharedPages("dma-buf-test", 4 * PageSize());
  const auto made = CreateDmaBuf(pages.get(), PageSize(), 2 * PageSize());
  if (!HasUdmabuf()) {
    EXPECT_EQ(made.error().kind, ErrorKind::kUnsupported);
    EXPECT_NE(made.error().message.find("/dev/udmabuf"), std::string::npos) << made.error().message;
    return;
  }
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto written = *MemoryMap::MapShared(pages, 0, 4 * PageSize(), MapAccess::kReadWrite);
  std::memset(written.data() + PageSize(), 0x5A, 2 * PageSize());
  const auto read = *MemoryMap::MapShared(*made, 0, 2 * PageSize(), MapAccess::kReadOnly);
  EXPECT_EQ(std::memcmp(read.data(), written.data() + PageSize(), 2 * PageSize()), 0);
}

TEST(CreateDmaBuf, WhatTheKernelRefuses_IsAnError) {
  if (!HasUdmabuf()) GTEST_SKIP() << "This kernel has no /dev/udmabuf, or it is not ours to open; scripts/vm.sh has one.";
  const UniqueFd pages = *CreateSharedPages("dma-buf-test", PageSize());
  EXPECT_EQ(CreateDmaBuf(pages.get(), 0, 2 * PageSize()).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(CreateDmaBuf(pages.get(), 1, PageSize()).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_FALSE(CreateDmaBuf(-1, 0, PageSize()).ok());
  const UniqueFd unsealed(memfd_create("dma-buf-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.get(), static_cast<off_t>(PageSize())), 0);
  EXPECT_EQ(CreateDmaBuf(unsealed.get(), 0, PageSize()).error().kind, ErrorKind::kInvalidArgument);
}

TEST(CreateDmaBuf, MoreThanTheKernelsLimit_SaysTheLimit) {
  if (!HasUdmabuf()) GTEST_SKIP() << "This kernel has no /dev/udmabuf, or it is not ours to open; scripts/vm.sh has one.";
  constexpr std::size_t kBytes = std::size_t{1} << 31;
  const UniqueFd pages = *CreateSharedPages("dma-buf-test", kBytes);
  const auto made = CreateDmaBuf(pages.get(), 0, kBytes);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::kLimit);
  EXPECT_NE(made.error().message.find("MiB"), std::string::npos);
}

}  // namespace
}  // namespace tandem
