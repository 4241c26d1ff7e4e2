#include <ntddk.h>

#include <cstring>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

PMDL Allocate(SIZE_T bytes) {
  PHYSICAL_ADDRESS low{}, high{}, skip{};
  high.QuadPart = -1;
  return MmAllocatePagesForMdlEx(low, high, skip, bytes, MmCached, 0);
}

TEST(PagesOfMdl, AreWholeZeroedAndMapped) {
  FakeKernel kernel;
  PMDL const mdl = Allocate(PAGE_SIZE + 1);
  ASSERT_NE(mdl, nullptr);
  EXPECT_EQ(MmGetMdlByteCount(mdl), 2u * PAGE_SIZE);
  auto* const bytes = static_cast<unsigned char*>(MmMapLockedPages(mdl, KernelMode));
  EXPECT_EQ(BYTE_OFFSET(bytes), 0u);
  EXPECT_EQ(bytes[2 * PAGE_SIZE - 1], 0);
  std::memset(bytes, 1, 2 * PAGE_SIZE);
  EXPECT_EQ(MmGetMdlPfnArray(mdl)[1], MmGetMdlPfnArray(mdl)[0] + 1);
  MmUnmapLockedPages(bytes, mdl);
  MmFreePagesFromMdl(mdl);
  ExFreePool(mdl);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(PagesOfMdl, LeftAtUnload_AreReportedWithTheMdl) {
  FakeKernel kernel;
  ASSERT_NE(Allocate(1), nullptr);
  EXPECT_EQ(Allocate(0), nullptr);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.ContiguousLeak", "4096 bytes"));
  EXPECT_TRUE(kernel.Reported("Nt.PoolLeak", "'Mmdl'"));
}

TEST(PagesOfMdl, FreedAboveApcLevel_AreReported) {
  FakeKernel kernel;
  PMDL const mdl = Allocate(1);
  FakeKernel::irql = DISPATCH_LEVEL;
  MmFreePagesFromMdl(mdl);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "MmFreePagesFromMdl"));
  ExFreePool(mdl);
}

}  // namespace
}  // namespace tandem::drivers::host
