#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

EXTERN_C NTSTATUS NTAPI ZwQuerySystemInformation(ULONG SystemInformationClass, PVOID SystemInformation,
                                                 ULONG SystemInformationLength, PULONG ReturnLength);

namespace tandem::drivers::host {
namespace {

TEST(SystemInformation, IsBasicAlone) {
  FakeKernel kernel;
  ULONG words[16] = {};
  ULONG length = 0;
  EXPECT_EQ(ZwQuerySystemInformation(0, words, 8, &length), STATUS_INFO_LENGTH_MISMATCH);
  ASSERT_EQ(length, 64u);
  EXPECT_EQ(ZwQuerySystemInformation(0, words, length, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(words[2], ULONG{PAGE_SIZE});
  EXPECT_EQ(ZwQuerySystemInformation(126, words, sizeof(words), nullptr), STATUS_NOT_FOUND);
  EXPECT_EQ(ZwQuerySystemInformation(11, words, sizeof(words), nullptr), STATUS_INVALID_INFO_CLASS);
}

}  // namespace
}  // namespace tandem::drivers::host
