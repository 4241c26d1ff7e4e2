// Contexts with priorities: who goes first, who is interrupted, and what stays in order.
#include <gtest/gtest.h>

#include "kernel/submit/limits.h"
#include "kernel/testing/gpu_fixture.h"

namespace tandem::kernel {
namespace {

class Priority : public GpuFixture {
 protected:
  struct Worker {
    D3DKMT_HANDLE context = 0;
    void* buffer = nullptr;
  };
  Worker OpenContext(UINT node, INT priority) {
    D3DKMT_CREATECONTEXT create{};
    create.hDevice = device_;
    create.NodeOrdinal = node;
    EXPECT_EQ(D3DKMTCreateContext(&create), STATUS_SUCCESS);
    SetPriority(create.hContext, priority);
    return {create.hContext, create.pCommandBuffer};
  }
  static void SetPriority(D3DKMT_HANDLE context, INT priority) {
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY set{context, priority};
    EXPECT_EQ(D3DKMTSetContextSchedulingPriority(&set), STATUS_SUCCESS);
  }
  void Render(const Worker& worker, const char* works) {
    for (const char* work = works; *work != 0; ++work)
      ASSERT_EQ(GpuFixture::Render(worker.context, worker.buffer, *work), STATUS_SUCCESS);
  }
  // The work that was handed out, one completion after another, until `count` were.
  std::string CompleteUntil(std::size_t count) {
    for (UINT fence = 1; submitted().size() < count; ++fence) {
      miniport_.CompleteDma(0, fence);
      EXPECT_TRUE(AwaitSubmissions(std::min<std::size_t>(count, fence + kInFlightUnlessTold)));
    }
    return works();
  }
  DXGKARG_PREEMPTCOMMAND AwaitPreemption(std::size_t number) {
    EXPECT_TRUE(AwaitPreemptions(number));
    const std::lock_guard<std::mutex> lock(mutex_);
    return preemptions_.at(number - 1);
  }
};

TEST_F(Priority, InProcess_OrdersContextsOfOnePriority_AndNoOthers) {
  Open();
  const Worker low = OpenContext(0, 0), high = OpenContext(0, 0), above = OpenContext(0, 1);
  const auto set = [](D3DKMT_HANDLE context, INT priority) {
    const D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY data{context, priority};
    return D3DKMTSetContextInProcessSchedulingPriority(&data);
  };
  ASSERT_EQ(set(high.context, kHighestPriority), STATUS_SUCCESS);
  ASSERT_EQ(set(above.context, kLowestPriority), STATUS_SUCCESS);
  EXPECT_EQ(set(low.context, kHighestPriority + 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(set(0, 0), STATUS_INVALID_PARAMETER);
  D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY get{high.context, 99};
  EXPECT_EQ(D3DKMTGetContextInProcessSchedulingPriority(&get), STATUS_SUCCESS);
  EXPECT_EQ(get.Priority, kHighestPriority);
  Render(low, "llllll");
  Render(high, "hh");
  Render(above, "aa");
  EXPECT_EQ(CompleteUntil(10), "llllaahhll");
}

TEST_F(Priority, SetAndGet) {
  Open();
  D3DKMT_GETCONTEXTSCHEDULINGPRIORITY get{context_, 99};
  EXPECT_EQ(D3DKMTGetContextSchedulingPriority(&get), STATUS_SUCCESS);
  EXPECT_EQ(get.Priority, 0);
  for (const INT priority : {kLowestPriority, kHighestPriority}) {
    SetPriority(context_, priority);
    EXPECT_EQ(D3DKMTGetContextSchedulingPriority(&get), STATUS_SUCCESS);
    EXPECT_EQ(get.Priority, priority);
  }
  for (const INT priority : {kLowestPriority - 1, kHighestPriority + 1}) {
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY set{context_, priority};
    EXPECT_EQ(D3DKMTSetContextSchedulingPriority(&set), STATUS_INVALID_PARAMETER);
  }
  const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY wrong{device_, 0};
  EXPECT_EQ(D3DKMTSetContextSchedulingPriority(&wrong), STATUS_INVALID_PARAMETER);
}

TEST_F(Priority, Higher_OvertakesWhatWaits) {
  Open();
  const Worker low = OpenContext(0, -3), middle = OpenContext(0, 0), high = OpenContext(0, 5);
  Render(low, "abcdefg");
  Render(middle, "m");
  Render(high, "xy");
  EXPECT_EQ(CompleteUntil(10), "abcdxymefg");
}

TEST_F(Priority, Equal_WhoWaitsLonger_GoesFirst) {
  Open();
  const Worker one = OpenContext(0, 1), two = OpenContext(0, 1);
  Render(one, "abcd12");
  Render(two, "34");
  // A context's next buffer waits since its turn in the context has come.
  EXPECT_EQ(CompleteUntil(8), "abcd1324");
}

TEST_F(Priority, Raised_WhatWaitsGoesFirst) {
  Open();
  const Worker one = OpenContext(0, 0), two = OpenContext(0, 0);
  Render(one, "abcd1");
  Render(two, "2");
  SetPriority(two.context, 1);
  EXPECT_EQ(CompleteUntil(6), "abcd21");
}

TEST_F(Priority, Nodes_DoNotHoldEachOtherUp) {
  Open();
  const Worker copy = OpenContext(1, -7), draw = OpenContext(0, 7);
  Render(draw, "abcdef");
  Render(copy, "z");
  EXPECT_EQ(works(), "abcdz");
}

TEST_F(Priority, Higher_WaitsForTheQuantum_ThenTheLowerIsPreempted) {
  Open();
  const Worker low = OpenContext(0, 0), high = OpenContext(0, 1);
  Render(low, "ab");
  Render(high, "x");
  time_.Advance(kPreemptionQuantumNs - 1);
  EXPECT_EQ(miniport_.count("DxgkDdiPreemptCommand"), 0u);
  time_.Advance(1);
  const DXGKARG_PREEMPTCOMMAND request = AwaitPreemption(1);
  EXPECT_EQ(request.NodeOrdinal, 0u);
  // Nothing is handed out until it is answered.
  Render(high, "y");
  EXPECT_EQ(submitted().size(), 3u);
  miniport_.AnswerPreemption(0, request.PreemptionFenceId, 0);
  ASSERT_TRUE(AwaitSubmissions(7));
  const auto all = submitted();
  EXPECT_EQ((std::vector<Submitted>(all.begin() + 3, all.end())),
            (std::vector<Submitted>{{0, 4, 'x', true}, {0, 5, 'y', false}, {0, 6, 'a', true}, {0, 7, 'b', true}}));
  EXPECT_EQ(miniport_.count("DxgkDdiPatch"), 7u);
}

TEST_F(Priority, Preempted_WhatWasCompleteIsNotSubmittedAgain) {
  Open();
  const Worker low = OpenContext(0, 0), high = OpenContext(0, 1);
  Render(low, "ab");
  Render(high, "x");
  time_.Advance(kPreemptionQuantumNs);
  miniport_.AnswerPreemption(0, AwaitPreemption(1).PreemptionFenceId, 1);
  ASSERT_TRUE(AwaitSubmissions(5));
  EXPECT_EQ(works(), "abxxb");
}

TEST_F(Priority, Preempted_OrderOfAContextStays_AlsoWhenItsPriorityRises) {
  Open();
  const Worker low = OpenContext(0, 0), high = OpenContext(0, 1);
  Render(low, "abc");
  Render(high, "xyz");
  time_.Advance(kPreemptionQuantumNs);
  const UINT request = AwaitPreemption(1).PreemptionFenceId;
  SetPriority(low.context, 7);
  Render(low, "d");
  miniport_.AnswerPreemption(0, request, 0);
  ASSERT_TRUE(AwaitSubmissions(8));
  EXPECT_EQ(works(), "abcxxyza");
  // One slot at a time: x to z leave, b to d follow in their order.
  for (UINT fence = 5; fence <= 8; ++fence) miniport_.CompleteDma(0, fence);
  ASSERT_TRUE(AwaitSubmissions(11));
  EXPECT_EQ(works(), "abcxxyzabcd");
}

TEST_F(Priority, Equal_IsNotPreemptedForEachOther) {
  Open();
  const Worker one = OpenContext(0, 1), two = OpenContext(0, 1);
  Render(one, "abcd");
  Render(two, "12");
  time_.Advance(10 * kPreemptionQuantumNs);
  // The watch looks at the node when the delay is over, and not before.
  EXPECT_EQ(miniport_.count("DxgkDdiQueryCurrentFence"), 0u);
  EXPECT_EQ(miniport_.count("DxgkDdiPreemptCommand"), 0u);
}

TEST_F(Priority, FenceBetweenContexts_HoldsTheHigherBack) {
  Open();
  const Worker low = OpenContext(0, -7), high = OpenContext(0, 7);
  context_ = high.context;
  ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
  Render(high, "x");
  Render(low, "a");
  context_ = low.context;
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(works(), "a");
  miniport_.CompleteDma(0, 1);
  ASSERT_TRUE(AwaitSubmissions(2));
  EXPECT_EQ(works(), "ax");
}

}  // namespace
}  // namespace tandem::kernel
