// Interrupts that are lost or late, and those that tell a fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

#include "kernel/testing/timeout_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

TEST_F(Timeout, InterruptWasLost_DriverIsAsked_NothingIsReset) {
  miniport_.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
    args->CurrentFence = args->NodeOrdinal == 0 ? 1 : 0;
    return STATUS_SUCCESS;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_TRUE(preemptions_.empty());
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

TEST_F(Timeout, InterruptWasLate_AfterTheDriverWasAsked_IsNoLie) {
  miniport_.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
    args->CurrentFence = args->NodeOrdinal == 0 ? 2 : 0;
    return STATUS_SUCCESS;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Render('b'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 1);
  miniport_.CompleteDma(0, 2);
  ASSERT_EQ(Render('c'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 3);
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

TEST_F(Timeout, OldFence_AfterTheLateInterruptsCame_IsALie) {
  miniport_.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
    args->CurrentFence = args->NodeOrdinal == 0 ? 2 : 0;
    return STATUS_SUCCESS;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Render('b'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  ASSERT_EQ(Render('c'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 3);
  ASSERT_EQ(Wait(2), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
  miniport_.CompleteDma(0, 1);
  for (int i = 0; i < 10'000 && kernel_->Violation(luid_)->empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("DmaCompleted.FencesRise"));
}

TEST_F(Timeout, PageFault_DeviceIsLost_EngineGoesOn) {
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Render(other_context_, other_buffer_, 'b'), STATUS_SUCCESS);
  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
  note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  note.DmaPageFaulted.FaultedFenceId = 1;
  miniport_.Interrupt({note});
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT);
  EXPECT_EQ(Render('c'), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  miniport_.CompleteDma(0, 2);
  EXPECT_EQ(Render(other_context_, other_buffer_, 'd'), STATUS_SUCCESS);
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

TEST_F(Timeout, DriverSaysGpuException_DeviceIsLost_OthersLiveOn) {
  Open();
  OpenOther();
  const auto rendering =
      std::exchange(miniport_.on_render, [](DXGKARG_RENDER*) { return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE; });
  EXPECT_EQ(Render('a'), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  miniport_.on_render = rendering;
  EXPECT_EQ(Render('a'), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
  EXPECT_EQ(Render(other_context_, other_buffer_, 'b'), STATUS_SUCCESS);
  EXPECT_EQ(works(), "b");
}

TEST_F(Timeout, PageFaultThatStopsTheEngine_IsResetAtOnce) {
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
  note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  note.DmaPageFaulted.FaultedFenceId = 1;
  note.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  miniport_.Interrupt({note});
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT);
}

}  // namespace
}  // namespace tandem::kernel
