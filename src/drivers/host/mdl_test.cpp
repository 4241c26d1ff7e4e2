// MDLs that describe a part of another one.
#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

// Four pages and an MDL of them; a second MDL with room for two and what is before them in a page.
class PartialMdl : public testing::Test {
 protected:
  ~PartialMdl() override {
    IoFreeMdl(target_);
    IoFreeMdl(source_);
  }

  FakeKernel kernel_;
  alignas(PAGE_SIZE) UCHAR pages_[4 * PAGE_SIZE] = {};
  const PMDL source_ = IoAllocateMdl(pages_, sizeof(pages_), FALSE, FALSE, nullptr);
  const PMDL target_ = IoAllocateMdl(pages_ + 100, 2 * PAGE_SIZE, FALSE, FALSE, nullptr);
};

TEST_F(PartialMdl, DescribesItsPartOfTheSource) {
  source_->BackingFd = 7;
  source_->BackingOffset = 3 * PAGE_SIZE;
  UCHAR* const first = pages_ + PAGE_SIZE + 16;
  IoBuildPartialMdl(source_, target_, first, PAGE_SIZE);
  EXPECT_EQ(MmGetMdlVirtualAddress(target_), first);
  EXPECT_EQ(MmGetMdlByteCount(target_), static_cast<ULONG>(PAGE_SIZE));
  EXPECT_EQ(MmGetMdlPfnArray(target_)[0], MmGetMdlPfnArray(source_)[1]);
  EXPECT_EQ(MmGetMdlPfnArray(target_)[1], MmGetMdlPfnArray(source_)[2]);
  EXPECT_EQ(target_->BackingFd, 7);
  EXPECT_EQ(target_->BackingOffset, 4u * PAGE_SIZE);
  EXPECT_TRUE(kernel_.Reports().empty()) << kernel_.Reports().front();
}

TEST_F(PartialMdl, WithoutALength_ReachesTheEnd_AndMayBeBuiltAgain) {
  IoBuildPartialMdl(source_, target_, pages_ + 3 * PAGE_SIZE + 8, 0);
  EXPECT_EQ(MmGetMdlByteCount(target_), static_cast<ULONG>(PAGE_SIZE - 8));
  MmPrepareMdlForReuse(target_);
  IoBuildPartialMdl(source_, target_, pages_ + 4, 3 * PAGE_SIZE - 4);
  EXPECT_EQ(MmGetMdlVirtualAddress(target_), pages_ + 4);
  EXPECT_EQ(MmGetMdlPfnArray(target_)[2], MmGetMdlPfnArray(source_)[2]);
  EXPECT_TRUE(kernel_.Reports().empty()) << kernel_.Reports().front();
}

TEST_F(PartialMdl, MoreThanTheSourceHas_IsReported) {
  IoBuildPartialMdl(source_, target_, pages_ + 3 * PAGE_SIZE, PAGE_SIZE + 1);
  EXPECT_TRUE(kernel_.Reported("Nt.BugCheck", "does not lie in the source's 16384 bytes"));
  EXPECT_EQ(MmGetMdlVirtualAddress(target_), pages_ + 100);
}

TEST_F(PartialMdl, MoreThanTheTargetHolds_IsReported) {
  IoBuildPartialMdl(source_, target_, pages_, 4 * PAGE_SIZE);
  EXPECT_TRUE(kernel_.Reported("Nt.BugCheck", "has room for 3 pages; 4 were due"));
}

}  // namespace
}  // namespace tandem::drivers::host
