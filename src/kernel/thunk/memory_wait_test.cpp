// Packets that wait for memory that others pin, by a clock of the test's.
#include <gtest/gtest.h>

#include "base/fake_clock.h"
#include "kernel/submit/limits.h"
#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

class ResidencyWait : public SmallMemory {
 protected:
  ResidencyWait() {
    clock_ = &time_;
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      (args->Flags.NullRendering ? not_executed_ : executed_) += 1;
      return STATUS_SUCCESS;
    };
  }
  ~ResidencyWait() override { kernel_.reset(); }

  FakeClock time_{1'000'000'000};
  int executed_ = 0, not_executed_ = 0;  // guarded by mutex_
};

TEST_F(ResidencyWait, NoMemoryForTooLong_PacketIsNotExecuted_ItsContextRefusesMore_OthersGoOn) {
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (std::size_t i = 0; i < kRoom; ++i) static_cast<void>(Lock(allocations[i]));
  D3DKMT_PRESENT starving = Copy(allocations[kRoom], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&starving), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);

  const D3DKMT_HANDLE waiting_context = context_, waiting_fence = fence_;
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  D3DKMT_PRESENT other = Copy(allocations[0], allocations[1]);
  ASSERT_EQ(D3DKMTPresent(&other), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);

  time_.Advance(kMemoryWaitNs);
  EXPECT_EQ(WaitFor(waiting_fence, 1), STATUS_SUCCESS);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(executed_, 1);
    EXPECT_EQ(not_executed_, 1);
  }
  starving.hContext = waiting_context;
  EXPECT_EQ(D3DKMTPresent(&starving), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  EXPECT_EQ(D3DKMTPresent(&other), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

TEST_F(ResidencyWait, MemoryComesInTime_PacketIsExecuted) {
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (std::size_t i = 0; i < kRoom; ++i) static_cast<void>(Lock(allocations[i]));
  D3DKMT_PRESENT starving = Copy(allocations[kRoom], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&starving), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Unlock(allocations[1]);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  const std::lock_guard<std::mutex> lock(mutex_);
  EXPECT_EQ(executed_, 1);
}

}  // namespace
}  // namespace tandem::kernel
