// Threads that wait while an engine hangs, for memory, buffers or its device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kernel/submit/limits.h"
#include "kernel/testing/timeout_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

TEST_F(Timeout, PagingHangs_AdapterIsReset_AndPagingIsSubmittedAgain) {
  segment_ = 2;  // the aperture: an allocation is mapped by the paging node
  Open();
  D3DKMT_HANDLE allocation = 0;
  std::thread program([&] { EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS); });
  ASSERT_TRUE(AwaitSubmissions(1));
  ASSERT_EQ(submitted()[0].node, 1u);
  Hang();
  ASSERT_TRUE(AwaitSubmissions(2));
  EXPECT_EQ(submitted()[1].fence, 2u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(adapter_resets_, 1);
  miniport_.CompleteDma(1, 2);
  program.join();
}

// Timeout detection is the limit of who waits for an engine.
TEST_F(Timeout, WhoDestroysTheDevice_WaitsForTheReset_AndNoLonger) {
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  std::atomic<bool> destroyed{false};
  std::thread program([&] {
    EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
    destroyed = true;
  });
  time_.AwaitWaiterWithin(tdr_.delay_ns / 2);
  EXPECT_FALSE(destroyed) << "The engine works.";
  Hang();
  EXPECT_TRUE(Soon([&] { return destroyed.load(); }));
  program.join();
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

// The runtime keeps its lock, and the swap chain's, while a present waits for a DMA buffer: an engine that hangs ends that.
TEST_F(Timeout, WhoWaitsForADmaBuffer_IsLetGoByTheReset) {
  Open();
  D3DKMT_HANDLE surface = 0;
  ASSERT_EQ(CreateAllocation(surface), STATUS_SUCCESS);
  D3DKMT_PRESENT copy = Copy(surface, surface);
  for (std::uint32_t i = 0; i < kPacketsPerContext; ++i) ASSERT_EQ(D3DKMTPresent(&copy), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  std::thread waits([&] { status = D3DKMTPresent(&copy); });
  time_.AwaitWaiterWithin(tdr_.delay_ns / 2);
  EXPECT_EQ(status, STATUS_PENDING);
  Hang();
  EXPECT_TRUE(Soon([&] { return status != STATUS_PENDING; }));
  waits.join();
  EXPECT_EQ(status, STATUS_DEVICE_HUNG);
}

// Each reset submits paging again; the limit of resets is the limit of who holds the memory's lock meanwhile.
TEST_F(Timeout, PagingNeverCompletes_AdapterStops_AndWhoWaitsForMemoryIsLetGo) {
  segment_ = 2;
  Open();
  std::thread pages([&] {
    D3DKMT_HANDLE allocation = 0;
    EXPECT_EQ(CreateAllocation(allocation), STATUS_DEVICE_REMOVED);
  });
  ASSERT_TRUE(AwaitSubmissions(1));
  std::atomic<bool> answered{false};
  std::thread waits([&] {
    D3DKMT_HANDLE allocation = 0;
    EXPECT_EQ(CreateAllocation(allocation), STATUS_DEVICE_REMOVED);
    answered = true;
  });
  for (UINT turn = 1; turn <= tdr_.limit_count + 1; ++turn) {
    EXPECT_FALSE(answered);
    ASSERT_NO_FATAL_FAILURE(Hang());
    if (turn <= tdr_.limit_count) {
      ASSERT_TRUE(AwaitSubmissions(turn + 1));
    }
  }
  EXPECT_TRUE(Soon([&] { return answered.load(); }));
  pages.join();
  waits.join();
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("VIDEO_TDR_FAILURE"));
}

// Nothing but the end of the reset makes room: time stands still.
TEST_F(Timeout, PagingWaitsForAFullNode_ItIsSubmittedAfterTheReset) {
  miniport_.caps.SupportPerEngineTDR = FALSE;
  miniport_.caps.MemoryManagementCaps.PagingNode = 0;
  miniport_.on_restart_from_timeout = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // for whoever waits to look in between
    return STATUS_SUCCESS;
  };
  Open();
  for (std::uint32_t i = 0; i < kInFlightUnlessTold; ++i) ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  OpenOther();
  device_ = other_device_;
  segment_ = 2;
  D3DKMT_HANDLE allocation = 0;
  std::thread program([&] { EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS); });
  time_.AwaitWaiterWithin(tdr_.delay_ns / 2);
  Hang();
  EXPECT_TRUE(AwaitSubmissions(kInFlightUnlessTold + 1));
  completes_ = true;
  miniport_.CompleteDma(0, kInFlightUnlessTold + 1);
  time_.Advance(tdr_.delay_ns / 4);
  program.join();
}

}  // namespace
}  // namespace tandem::kernel
