// Packets that wait for memory that others pin, by a clock of the test's.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "base/testing/fake_clock.h"
#include "kernel/submit/limits.h"
#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

class ResidencyWait : public SmallMemory {
 protected:
  ResidencyWait() {
    clock_ = &time_;
    tdr_.delay_ns = tdr_.ddi_delay_ns = 1000 * kMemoryWaitNs;  // the watches look at nothing meanwhile
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      (args->Flags.NullRendering ? not_executed_ : executed_) += 1;
      changed_.notify_all();
      return STATUS_SUCCESS;
    };
  }
  ~ResidencyWait() override { kernel_.reset(); }

  bool AwaitNotExecuted(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return not_executed_ >= count; });
  }

  bool AwaitPaged(UINT64 value) {
    const auto paged = [&] { return __atomic_load_n(queue_fence_value_, __ATOMIC_ACQUIRE) >= value; };
    for (int i = 0; i < 20'000 && !paged(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return paged();
  }
  bool AwaitExecuted(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return executed_ >= count; });
  }

  FakeClock time_{1'000'000'000};
  std::condition_variable changed_;
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

TEST_F(ResidencyWait, OneContextStarves_WhatOthersWantIsBroughtInAtOnce) {
  Open();
  const auto allocations = CreateMany(kRoom + 2);
  for (std::size_t i = 0; i + 1 < kRoom; ++i) static_cast<void>(Lock(allocations[i]));
  // Two, where one has room.
  D3DKMT_PRESENT starving = Copy(allocations[kRoom - 1], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&starving), STATUS_SUCCESS);
  time_.AwaitWaiterWithin(kMemoryWaitNs);

  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  for (const std::size_t wanted : {kRoom, kRoom + 1}) {
    D3DKMT_PRESENT other = Copy(allocations[wanted], allocations[wanted]);
    ASSERT_EQ(D3DKMTPresent(&other), STATUS_SUCCESS);
  }
  ASSERT_TRUE(AwaitExecuted(2));
  OpenQueue();
  D3DDDI_MAKERESIDENT request = MakeResident(std::span(allocations).subspan(kRoom, 1));
  ASSERT_EQ(D3DKMTMakeResident(&request), STATUS_PENDING);
  EXPECT_TRUE(AwaitPaged(request.PagingFenceValue));
}

// The driver pages for another context, which takes until the memory of the first has been wanted for long enough.
TEST_F(ResidencyWait, WhatFallsDueWhileThePagerLooks_IsFoundByItsNextLook) {
  miniport_.complete_at_once = false;
  const auto submit = miniport_.on_submit;
  miniport_.on_submit = [this, submit](const DXGKARG_SUBMITCOMMAND* args) {
    const NTSTATUS status = submit(args);
    // The other packet is never complete: a release would wake the pager.
    if (args->Flags.Paging || args->Flags.NullRendering) miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    return status;
  };
  std::atomic<bool> slow = false;
  miniport_.on_build_paging_buffer = [&, page = miniport_.on_build_paging_buffer](DXGKARG_BUILDPAGINGBUFFER* args) {
    if (slow.exchange(false)) time_.Advance(kMemoryWaitNs);
    return page(args);
  };
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (std::size_t i = 0; i + 1 < kRoom; ++i) static_cast<void>(Lock(allocations[i]));
  // Two, where one has room.
  D3DKMT_PRESENT starving = Copy(allocations[kRoom - 1], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&starving), STATUS_SUCCESS);
  time_.AwaitWaiterWithin(kMemoryWaitNs);

  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  slow = true;
  D3DKMT_PRESENT other = Copy(allocations[kRoom], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&other), STATUS_SUCCESS);
  EXPECT_TRUE(AwaitNotExecuted(1));
  time_.Advance(kMemoryWaitNs);  // the teardown waits for the packet if the pager has not found it
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
