// Accesses to registers, to memory, and past READ_REGISTER_*.
#include <gtest/gtest.h>
#include <ntddk.h>
#include <sys/mman.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

class Registers : public testing::Test {
 protected:
  void SetUp() override {
    page_ = mmap(nullptr, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page_, MAP_FAILED);
    FakeKernel::registers = page_;
  }
  void TearDown() override { munmap(page_, PAGE_SIZE); }

  FakeKernel kernel_;
  PVOID page_ = nullptr;
};

TEST_F(Registers, ReadAndWrite_AddressOfARegister_ReachTheKernel) {
  WRITE_REGISTER_USHORT(static_cast<PUSHORT>(page_), 3);
  EXPECT_EQ(FakeKernel::register_value, 3U * 256 + 2);
  EXPECT_EQ(READ_REGISTER_ULONG(static_cast<PULONG>(page_)), 3U * 256 + 2 + 4);
  EXPECT_EQ(READ_REGISTER_UCHAR(static_cast<PUCHAR>(page_)), 3);
  WRITE_REGISTER_ULONG64(static_cast<PULONG64>(page_), 5);
  EXPECT_EQ(FakeKernel::register_value, 5U * 256 + 8);
  ULONG word = 0;
  READ_REGISTER_BUFFER_ULONG(static_cast<PULONG>(page_), &word, 1);
  EXPECT_EQ(word, 5U * 256 + 8 + 4);
  WRITE_REGISTER_BUFFER_ULONG(static_cast<PULONG>(page_), &word, 1);
  EXPECT_EQ(FakeKernel::register_value, word * 256 + 4);
  WRITE_REGISTER_NOFENCE_ULONG(static_cast<PULONG>(page_), 6);
  EXPECT_EQ(READ_REGISTER_NOFENCE_UCHAR(static_cast<PUCHAR>(page_)), static_cast<UCHAR>(6 * 256 + 4 + 1));
  EXPECT_TRUE(kernel_.Reports().empty());
}

TEST_F(Registers, ReadAndWrite_OtherAddress_IsMemory) {
  ULONG words[2] = {1, 2};
  WRITE_REGISTER_ULONG(&words[0], 7);
  EXPECT_EQ(words[0], 7U);
  EXPECT_EQ(READ_REGISTER_ULONG(&words[1]), 2U);
  const ULONG other[2] = {8, 9};
  WRITE_REGISTER_BUFFER_ULONG(words, const_cast<PULONG>(other), 2);
  ULONG copied[2] = {};
  READ_REGISTER_BUFFER_ULONG(words, copied, 2);
  EXPECT_EQ(copied[1], 9U);
  kernel_.Detach();
  EXPECT_EQ(READ_REGISTER_UCHAR(reinterpret_cast<PUCHAR>(words)), 8);
}

TEST_F(Registers, MmMapIoSpace_AddressOfABar_IsThatOfItsRegisters) {
  PHYSICAL_ADDRESS address;
  address.QuadPart = reinterpret_cast<LONGLONG>(page_);
  auto* const mapped = static_cast<PUCHAR>(MmMapIoSpace(address, PAGE_SIZE, MmNonCached));
  WRITE_REGISTER_UCHAR(mapped, 6);
  EXPECT_EQ(FakeKernel::register_value, 6U * 256 + 1);
  MmUnmapIoSpace(mapped, PAGE_SIZE);
  EXPECT_TRUE(kernel_.Reports().empty());
}

// As a driver's __try and __except.
NTSTATUS ReadPlainly(const volatile ULONG* address) {
  TANDEM_SEH_FRAME frame{};
  TandemNtEnterTry(&frame);
  if (sigsetjmp(frame.State, 0) != 0) return TandemNtFilter(&frame, EXCEPTION_EXECUTE_HANDLER) ? TandemNtExceptionCode() : 0;
  static_cast<void>(*address);
  TandemNtLeaveTry(&frame);
  return STATUS_SUCCESS;
}

TEST_F(Registers, PlainAccess_FaultsAndIsNamed) {
  EXPECT_EQ(ReadPlainly(static_cast<PULONG>(page_)), STATUS_ACCESS_VIOLATION);
  EXPECT_TRUE(kernel_.Reported("Nt.RegisterAccess", "without READ_REGISTER_*"));
}

}  // namespace
}  // namespace tandem::drivers::host
