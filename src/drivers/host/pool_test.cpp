#include <ntddk.h>

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

constexpr ULONG kTag = 0x67615454;  // 'TTag' in memory order.

TEST(Pool, Pool2_IsZeroed_AndPool1IsNot) {
  FakeKernel kernel;
  auto* const zeroed = static_cast<unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kTag));
  auto* const plain = static_cast<unsigned char*>(ExAllocatePoolWithTag(NonPagedPoolNx, 64, kTag));
  EXPECT_EQ(zeroed[0] | zeroed[63], 0);
  EXPECT_NE(plain[0], 0);
  ExFreePool(zeroed);
  ExFreePoolWithTag(plain, kTag);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(Pool, MemoryThatWasUsedBefore_IsZeroedAgain) {
  FakeKernel kernel;
  for (const std::size_t size : {std::size_t{64}, std::size_t{100'000}, std::size_t{5'000'000}}) {
    for (int round = 0; round < 3; ++round) {
      auto* const bytes = static_cast<unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, size, kTag));
      ASSERT_NE(bytes, nullptr);
      EXPECT_EQ(std::count(bytes, bytes + size, 0), static_cast<std::ptrdiff_t>(size));
      std::memset(bytes, 0xAA, size);
      ExFreePool(bytes);
    }
  }
}

TEST(Pool, PageAndMore_IsPageAligned) {
  FakeKernel kernel;
  void* const memory = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, kTag);
  EXPECT_EQ(BYTE_OFFSET(memory), 0u);
  ExFreePoolWithTag(memory, kTag);
}

TEST(Pool, Leak_IsReportedByTagWithCountBytesAndStack) {
  FakeKernel kernel;
  for (int i = 0; i < 3; ++i) EXPECT_NE(ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, kTag), nullptr);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.PoolLeak", "Tag 'TTag': 3 allocations, 300 bytes"));
  EXPECT_TRUE(kernel.Reported("Nt.PoolLeak", "+0x"));
}

TEST(Pool, SecondFree_IsReported) {
  FakeKernel kernel;
  void* const memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, kTag);
  ExFreePool(memory);
  ExFreePool(memory);
  EXPECT_TRUE(kernel.Reported("Nt.PoolFree", "no such allocation"));
}

TEST(Pool, OtherTagAtFree_IsReported) {
  FakeKernel kernel;
  ExFreePoolWithTag(ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, kTag), 0x41414141);
  EXPECT_TRUE(kernel.Reported("Nt.PoolFree", "the tag is 'AAAA'"));
}

TEST(Pool, WritePastTheEnd_IsReportedAtFree) {
  FakeKernel kernel;
  auto* const memory = static_cast<char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, kTag));
  volatile int end = 8;
  memory[end] = 1;
  ExFreePool(memory);
  EXPECT_TRUE(kernel.Reported("Nt.PoolOverrun", "'TTag'"));
}

TEST(Pool, PagedPoolAtDispatchLevel_IsReportedWithLimit) {
  FakeKernel kernel;
  FakeKernel::irql = DISPATCH_LEVEL;
  void* const memory = ExAllocatePool2(POOL_FLAG_PAGED, 8, kTag);
  FakeKernel::irql = PASSIVE_LEVEL;
  ExFreePool(memory);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ExAllocatePool2 is called at DISPATCH_LEVEL; its limit is APC_LEVEL."));
}

TEST(Pool, WrongFlags_GiveNoMemory) {
  FakeKernel kernel;
  EXPECT_EQ(ExAllocatePool2(POOL_FLAG_PAGED | POOL_FLAG_NON_PAGED, 8, kTag), nullptr);
  EXPECT_EQ(ExAllocatePool2(0, 8, kTag), nullptr);
  EXPECT_EQ(ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, 0), nullptr);
}

TEST(Contiguous, BelowFourGigabytes_WhenAskedFor) {
  FakeKernel kernel;
  PHYSICAL_ADDRESS highest{};
  highest.QuadPart = 0xFFFFFFFF;
  void* const memory = MmAllocateContiguousMemory(PAGE_SIZE, highest);
  ASSERT_NE(memory, nullptr);
  EXPECT_LE(MmGetPhysicalAddress(memory).QuadPart, highest.QuadPart);
  MmFreeContiguousMemory(memory);
}

TEST(Mdl, LeftAtTheEnd_IsReported) {
  FakeKernel kernel;
  static char buffer[3 * PAGE_SIZE];
  PMDL const mdl = IoAllocateMdl(buffer + 100, 2 * PAGE_SIZE, FALSE, FALSE, nullptr);
  EXPECT_EQ(MmGetMdlVirtualAddress(mdl), buffer + 100);
  EXPECT_EQ(MmGetMdlPfnArray(mdl)[1], (reinterpret_cast<PFN_NUMBER>(buffer + 100) >> PAGE_SHIFT) + 1);
  MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.MdlLeak", "1 MDL was not freed when the driver was unloaded; 1 with locked pages."));
}

TEST(IoSpace, UnmapWithOtherSize_IsReported) {
  FakeKernel kernel;
  char registers[64];
  PVOID const mapped = MmMapIoSpaceEx(MmGetPhysicalAddress(registers), sizeof(registers), PAGE_READWRITE);
  EXPECT_EQ(mapped, registers);
  MmUnmapIoSpace(mapped, 32);
  EXPECT_TRUE(kernel.Reported("Nt.IoSpaceMapped", "32 bytes"));
  MmUnmapIoSpace(mapped, sizeof(registers));
}

}  // namespace
}  // namespace tandem::drivers::host
