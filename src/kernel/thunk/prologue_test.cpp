// Kernel::SetPrologue and Kernel::AbandonInChild.
#include <gtest/gtest.h>

#include <atomic>

#include <sys/wait.h>
#include <unistd.h>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

std::atomic<int> prologues{0};

NTSTATUS CountAdapters() {
  D3DKMT_ENUMADAPTERS2 list{};
  return D3DKMTEnumAdapters2(&list);
}

using PrologueTest = KernelFixture;

TEST_F(PrologueTest, Prologue_RunsBeforeEachThunkUntilItIsTaken) {
  Open();
  prologues = 0;
  Kernel::SetPrologue([]() noexcept { ++prologues; });
  EXPECT_EQ(CountAdapters(), STATUS_SUCCESS);
  EXPECT_EQ(CountAdapters(), STATUS_SUCCESS);
  EXPECT_EQ(prologues, 2);
  EXPECT_EQ(D3DKMTEnumAdapters2(nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(prologues, 2);  // nothing to do
  Kernel::SetPrologue(nullptr);
  EXPECT_EQ(CountAdapters(), STATUS_SUCCESS);
  EXPECT_EQ(prologues, 2);
}

TEST_F(PrologueTest, ChildOfAFork_FindsNoAdapters) {
  Open();
  const pid_t child = fork();
  if (child == 0) {
    Kernel::AbandonInChild();
    _exit(CountAdapters() == STATUS_DEVICE_REMOVED ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(CountAdapters(), STATUS_SUCCESS);
}

}  // namespace
}  // namespace tandem::kernel
