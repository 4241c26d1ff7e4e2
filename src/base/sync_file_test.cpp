#include "base/sync_file.h"

#include <gtest/gtest.h>

#include "base/dma_buf.h"
#include "base/memory_map.h"

namespace tandem {
namespace {

TEST(SyncFile, DescriptorWithoutFences_IsRefused) {
  const UniqueFd memfd = *CreateSharedPages("sync-test", 4096);
  EXPECT_EQ(ExportSyncFile(memfd.get()).error().kind, ErrorKind::kUnsupported);
  EXPECT_FALSE(ImportSyncFile(memfd.get(), memfd, DmaBufUse::kWrite).ok());
  EXPECT_FALSE(ExportSyncFile(-1).ok());
}

TEST(SyncFile, DmaBufThatNobodyUses_IsIdle) {
  const UniqueFd memfd = *CreateSharedPages("sync-test", 4096);
  const auto dma_buf = CreateDmaBuf(memfd.get(), 0, 4096);
  if (!dma_buf.ok()) GTEST_SKIP() << dma_buf.error().message << " scripts/vm.sh has one.";
  EXPECT_TRUE(IsIdle(dma_buf->get(), 0));
  const auto sync_file = ExportSyncFile(dma_buf->get());
  ASSERT_TRUE(sync_file.ok()) << sync_file.error().message;
  EXPECT_TRUE(IsSignalled(*sync_file));
  EXPECT_TRUE(ImportSyncFile(dma_buf->get(), *sync_file, DmaBufUse::kRead).ok());
  EXPECT_TRUE(IsIdle(dma_buf->get(), 0));
  EXPECT_TRUE(IsDmaBuf(dma_buf->get()));
  EXPECT_FALSE(IsDmaBuf(memfd.get()));
}

}  // namespace
}  // namespace tandem
