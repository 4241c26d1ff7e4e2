// Order, completion and fences of what is submitted, asked through the thunks with a GPU that the test moves.
#include <gtest/gtest.h>

#include <sys/eventfd.h>

#include <thread>

#include "base/unique_fd.h"
#include "kernel/submit/limits.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class Submission : public KernelFixture {
 protected:
  void SetUp() override {
    segment_ = 1;  // no paging: every submission is the test's
    miniport_.complete_at_once = false;
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        submitted_.push_back(args->SubmissionFenceId);
      }
      if (completes_) miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
      return STATUS_SUCCESS;
    };
    Open();
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(destination_), STATUS_SUCCESS);
  }
  // A device that is never complete would keep the teardown waiting.
  void TearDown() override {
    completes_ = true;
    if (!submitted().empty()) miniport_.CompleteDma(0, submitted().back());
    kernel_.reset();
  }
  NTSTATUS Present() {
    D3DKMT_PRESENT present = Copy(source_, destination_);
    return D3DKMTPresent(&present);
  }
  std::vector<UINT> submitted() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return submitted_;
  }
  // The DPC and the worker act soon.

  std::atomic<bool> completes_{false};
  D3DKMT_HANDLE source_ = 0, destination_ = 0;
  std::mutex mutex_;
  std::vector<UINT> submitted_;
};

TEST_F(Submission, Present_NodeHasRoom_IsSubmittedBeforeItReturns) {
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(submitted(), (std::vector<UINT>{1}));
  const auto names = miniport_.names();
  ASSERT_GE(names.size(), 3u);
  EXPECT_EQ(names[names.size() - 3], "DxgkDdiPresent");
  EXPECT_EQ(names[names.size() - 2], "DxgkDdiPatch");
  EXPECT_EQ(names[names.size() - 1], "DxgkDdiSubmitCommand");
}

TEST_F(Submission, Present_AllocationList_HasThreeElementsWithAddresses) {
  DXGK_ALLOCATIONLIST list[3] = {};
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    std::copy(args->pAllocationList, args->pAllocationList + 3, list);
    EXPECT_EQ(args->SubRectCnt, 1u);
    EXPECT_EQ(args->pDstSubRects[0].right, 64);
    EXPECT_EQ(args->MultipassOffset, 0u);
    return WritePresent(*args);
  };
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(list[0].hDeviceSpecificAllocation, nullptr);
  EXPECT_NE(list[1].hDeviceSpecificAllocation, nullptr);
  EXPECT_EQ(list[1].SegmentId, 1u);
  EXPECT_EQ(list[1].WriteOperation, 0u);
  EXPECT_EQ(list[2].WriteOperation, 1u);
  EXPECT_NE(list[1].PhysicalAddress.QuadPart, list[2].PhysicalAddress.QuadPart);
}

TEST_F(Submission, Patch_SameFenceAsSubmit) {
  UINT patched = 0;
  miniport_.on_patch = [&](const DXGKARG_PATCH* args) {
    patched = args->SubmissionFenceId;
    EXPECT_EQ(args->PatchLocationListSubmissionLength, 2u);
    EXPECT_EQ(args->DmaBufferSubmissionEndOffset, 8u);
    return STATUS_SUCCESS;
  };
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(submitted(), (std::vector<UINT>{patched}));
}

TEST_F(Submission, PrivateData_AreSubmittedUpToWhereTheDriverWrote) {
  miniport_.on_present = [](DXGKARG_PRESENT* args) {
    EXPECT_EQ(args->DmaBufferPrivateDataSize, 256u);
    args->pDmaBufferPrivateData = static_cast<std::byte*>(args->pDmaBufferPrivateData) + 24;
    return WritePresent(*args);
  };
  miniport_.on_patch = [](const DXGKARG_PATCH* args) {
    EXPECT_EQ(args->DmaBufferPrivateDataSubmissionEndOffset, 24u);
    return STATUS_SUCCESS;
  };
  UINT end = 0;
  miniport_.on_submit = [&](const DXGKARG_SUBMITCOMMAND* args) {
    EXPECT_EQ(args->DmaBufferPrivateDataSize, 256u);
    end = args->DmaBufferPrivateDataSubmissionEndOffset;
    miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    return STATUS_SUCCESS;
  };
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(end, 24u);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(Submission, MoreThanInFlight_WaitsAndFollowsInOrder) {
  for (std::uint32_t i = 0; i < kInFlightUnlessTold + 3; ++i) ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(submitted().size(), kInFlightUnlessTold);
  miniport_.CompleteDma(0, 2);
  EXPECT_TRUE(Soon([&] { return submitted().size() == kInFlightUnlessTold + 2; }));
  miniport_.CompleteDma(0, 3);
  EXPECT_TRUE(Soon([&] { return submitted().size() == kInFlightUnlessTold + 3; }));
  for (UINT i = 0; i < submitted().size(); ++i) EXPECT_EQ(submitted()[i], i + 1);
}

class DeeperQueue : public Submission {
 protected:
  static constexpr UINT kCap = kInFlightUnlessTold + 3;
  void SetUp() override {
    miniport_.caps.SchedulingCaps.HwQueuePacketCap = kCap;
    Submission::SetUp();
  }
};

TEST_F(DeeperQueue, DriverAsksForMore_GetsThatManyAndNoneBeyond) {
  for (UINT i = 0; i < kCap + 2; ++i) ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(submitted().size(), kCap);
  miniport_.CompleteDma(0, 1);
  EXPECT_TRUE(Soon([&] { return submitted().size() == kCap + 1; }));
}

TEST_F(Submission, AllDmaBuffersInUse_PresentWaitsForOne) {
  for (std::uint32_t i = 0; i < kPacketsPerContext; ++i) ASSERT_EQ(Present(), STATUS_SUCCESS);
  std::atomic<bool> returned{false};
  std::thread presenter([&] {
    EXPECT_EQ(Present(), STATUS_SUCCESS);
    returned = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(returned);
  miniport_.CompleteDma(0, 1);
  presenter.join();
}

TEST_F(Submission, Signal_BehindAPacket_ComesWithItsCompletion) {
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(5), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 0u);
  miniport_.CompleteDma(0, 1);
  EXPECT_EQ(Wait(5), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 5u);
}

TEST_F(Submission, Signal_NothingBefore_ComesAtOnce_AndNeverFalls) {
  ASSERT_EQ(Signal(5), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 5u);
  ASSERT_EQ(Signal(3), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 5u);
}

TEST_F(Submission, WaitFromGpu_HoldsBackWhatIsBehind) {
  ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_TRUE(submitted().empty());
  ASSERT_EQ(SignalFromCpu(fence_, 1), STATUS_SUCCESS);
  EXPECT_TRUE(Soon([&] { return submitted().size() == 1; }));
}

// The worker may look at the fence after it was set back: the next signal reaches the waiter all the same.
TEST_F(Submission, WaitFromGpu_ForAFenceThatIsSetBackOnTheWay_EndsWithTheNextSignal) {
  const D3DKMT_HANDLE held = fence_;
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  const auto set_back = [&] {
    const UINT64 zero = 0;
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU rewind{};
    rewind.hDevice = device_;
    rewind.ObjectCount = 1;
    rewind.ObjectHandleArray = &held;
    rewind.FenceValueArray = &zero;
    rewind.Flags.AllowFenceRewind = 1;
    return D3DKMTSignalSynchronizationObjectFromCpu(&rewind);
  };
  for (UINT64 round = 1; round <= 300; ++round) {
    ASSERT_EQ(HoldContext(held, 1), STATUS_SUCCESS);
    ASSERT_EQ(Signal(round), STATUS_SUCCESS);
    ASSERT_EQ(SignalFromCpu(held, 1), STATUS_SUCCESS);
    ASSERT_EQ(set_back(), STATUS_SUCCESS);
    ASSERT_EQ(SignalFromCpu(held, 1), STATUS_SUCCESS);
    ASSERT_EQ(Wait(round), STATUS_SUCCESS);
    ASSERT_EQ(set_back(), STATUS_SUCCESS);
  }
}

TEST_F(Submission, DestroyFence_WakesItsWaiters) {
  // A thread that comes too late finds no fence: then once more.
  EXPECT_TRUE(Soon([&] {
    EXPECT_EQ(CreateFence(), STATUS_SUCCESS);
    NTSTATUS status = STATUS_SUCCESS;
    std::thread waiter([&] { status = Wait(1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{fence_};
    EXPECT_EQ(D3DKMTDestroySynchronizationObject(&destroy), STATUS_SUCCESS);
    waiter.join();
    return status == STATUS_DEVICE_REMOVED;
  }));
}

TEST_F(Submission, WaitFromCpu_AnyAndAsync) {
  const D3DKMT_HANDLE first = fence_;
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  const D3DKMT_HANDLE objects[] = {first, fence_};
  const UINT64 values[] = {1, 1};
  const UniqueFd event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
  wait.hDevice = device_;
  wait.ObjectCount = 2;
  wait.ObjectHandleArray = objects;
  wait.FenceValueArray = values;
  wait.hAsyncEvent = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(event.get()));
  ASSERT_EQ(D3DKMTWaitForSynchronizationObjectFromCpu(&wait), STATUS_SUCCESS);
  eventfd_t count = 0;
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_NE(eventfd_read(event.get(), &count), 0);
  wait.hAsyncEvent = nullptr;
  wait.Flags.WaitAny = 1;
  EXPECT_EQ(D3DKMTWaitForSynchronizationObjectFromCpu(&wait), STATUS_SUCCESS);
  fence_ = first;
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(eventfd_read(event.get(), &count), 0);
}

TEST_F(Submission, DestroyAllocation_InUse_WaitsForTheEngine) {
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  std::atomic<bool> destroyed{false};
  std::thread destroyer([&] {
    EXPECT_EQ(DestroyAllocation(source_), STATUS_SUCCESS);
    destroyed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(destroyed);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 0u);
  miniport_.CompleteDma(0, 1);
  destroyer.join();
}

TEST_F(Submission, Render_ListsAndCommands_ReachTheDriver) {
  miniport_.on_render = [&](DXGKARG_RENDER* args) {
    EXPECT_EQ(args->CommandLength, 4u);
    EXPECT_EQ(std::memcmp(args->pCommand, "work", 4), 0);
    EXPECT_EQ(args->AllocationListSize, 0u);
    args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 4;
    return STATUS_SUCCESS;
  };
  std::memcpy(command_buffer_, "work", 4);
  D3DKMT_RENDER render{};
  render.hContext = context_;
  render.CommandLength = 4;
  ASSERT_EQ(D3DKMTRender(&render), STATUS_SUCCESS);
  EXPECT_EQ(submitted().size(), 1u);
  render.CommandLength = 1u << 30;
  EXPECT_EQ(D3DKMTRender(&render), STATUS_INVALID_PARAMETER);
}

TEST_F(Submission, Present_BufferFull_GoesOnAtMultipassOffset) {
  std::vector<UINT> offsets;
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    offsets.push_back(args->MultipassOffset);
    static_cast<void>(WritePresent(*args));
    if (args->MultipassOffset == 2) return STATUS_SUCCESS;
    ++args->MultipassOffset;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(offsets, (std::vector<UINT>{0, 1, 2}));
  EXPECT_EQ(submitted().size(), 3u);
}

}  // namespace
}  // namespace tandem::kernel
