#include "kernel/memory/backing_store.h"

#include <cstring>

#include <gtest/gtest.h>

#include "base/dma_buf.h"

namespace tandem::kernel {
namespace {

TEST(BackingStoreOfDmaBuf, DescriptorThatHoldsLess_IsRefusedWithBothNumbers) {
  auto memfd = CreateSharedPages("backing-test", 8192);
  ASSERT_TRUE(memfd.ok());
  const auto made = BackingStore::FromDmaBuf(*std::move(memfd), 12288);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(made.error().message, "A dma-buf that shall hold 12288 bytes holds 8192.");
}

TEST(BackingStoreOfDmaBuf, DescriptorOfSomethingElse_IsRefused) {
  auto memfd = CreateSharedPages("backing-test", 8192);
  ASSERT_TRUE(memfd.ok());
  EXPECT_EQ(BackingStore::FromDmaBuf(*std::move(memfd), 8192).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_FALSE(BackingStore::FromDmaBuf(UniqueFd(), 8192).ok());
}

TEST(BackingStoreOfDmaBuf, DmaBuf_IsZeroedAndNamedToDrivers) {
  auto memfd = *CreateSharedPages("backing-test", 8192);
  auto written = *MemoryMap::MapShared(memfd, 0, 8192, MapAccess::kReadWrite);
  std::memset(written.data(), 0x5A, 8192);
  auto dma_buf = CreateDmaBuf(memfd.get(), 0, 8192);
  if (!dma_buf.ok()) GTEST_SKIP() << dma_buf.error().message << " scripts/vm.sh has one.";
  auto made = BackingStore::FromDmaBuf(*std::move(dma_buf), 8192);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(written.data()[0], std::byte{0});
  EXPECT_EQ(written.data()[8191], std::byte{0});
  EXPECT_TRUE((*made)->is_dma_buf());
  const MDL mdl = (*made)->Mdl(8192);
  EXPECT_EQ(mdl.BackingIsDmaBuf, 1U);
  EXPECT_EQ(mdl.BackingFd, (*made)->fd());
  (*made)->user_address()[5] = std::byte{7};
  EXPECT_EQ(static_cast<std::byte*>(mdl.StartVa)[5], std::byte{7});
  EXPECT_EQ(written.data()[5], std::byte{7});
  // Another process opens it by its descriptor alone.
  const auto opened = BackingStore::Open(*DuplicateFd((*made)->fd()), 8192);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_TRUE((*opened)->is_dma_buf());
  EXPECT_FALSE((*BackingStore::Create(BackingStoreKind::kMemfd, 8192))->is_dma_buf());
}

}  // namespace
}  // namespace tandem::kernel
