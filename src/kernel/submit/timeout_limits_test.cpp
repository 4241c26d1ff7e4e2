// Timeouts that are forced, counted or switched off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kernel/testing/timeout_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

class ForcedTimeout : public Timeout {
 protected:
  template <class Data>
  NTSTATUS Escape(D3DKMT_ESCAPETYPE type, const Data& data) {
    Data copy = data;
    D3DKMT_ESCAPE escape{};
    escape.hAdapter = adapter_;
    escape.Type = type;
    escape.pPrivateDriverData = &copy;
    escape.PrivateDriverDataSize = sizeof(copy);
    return D3DKMTEscape(&escape);
  }
  NTSTATUS Force(D3DKMT_TDRDBGCTRLTYPE type) { return Escape(D3DKMT_ESCAPE_TDRDBGCTRL, type); }
  NTSTATUS ForceEngine(ULONG node) {
    D3DKMT_TDRDBGCTRL_ESCAPE data{};
    data.TdrControl = D3DKMT_TDRDBGCTRLTYPE_ENGINETDR;
    data.NodeOrdinal = node;
    return Escape(D3DKMT_ESCAPE_TDRDBGCTRL, data);
  }
};

TEST_F(ForcedTimeout, OfTheAdapter_ResetsItWithoutTimePassing_EveryDeviceIsReset) {
  Open();
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(adapter_resets_, 1);
  EXPECT_EQ(restarts_, 1);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_RESET);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_GPUTDR), STATUS_SUCCESS);
  EXPECT_EQ(AwaitReports(2).size(), 2u);
}

TEST_F(ForcedTimeout, OfAnEngine_LosesWhoRunsOnIt) {
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  EXPECT_EQ(ForceEngine(2), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_ENGINETDR), STATUS_INVALID_PARAMETER) << "Without a node.";
  EXPECT_EQ(ForceEngine(0), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(adapter_resets_, 0);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_HUNG);
}

TEST_F(ForcedTimeout, LimitAndDetection_AreSetByEscape) {
  Open();
  D3DKMT_VIDSCH_ESCAPE limit{};
  limit.Type = D3DKMT_VIDSCHESCAPETYPE_CONFIGURE_TDR_LIMIT;
  limit.TdrLimit.Count = 1;
  limit.TdrLimit.Time = 60;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, limit), STATUS_SUCCESS);
  D3DKMT_VIDSCH_ESCAPE detection{};
  detection.Type = D3DKMT_VIDSCHESCAPETYPE_TDRCONTROL;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, detection), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_NOT_SUPPORTED) << "Detection is off.";
  detection.TdrControl = 1;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, detection), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_UNCONDITIONAL), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(2).size(), 2u);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, limit), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  for (int i = 0; i < 20'000 && kernel_->Violation(luid_)->empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("VIDEO_TDR_FAILURE"));
}

TEST_F(ForcedTimeout, WhatThisKernelHasNot_IsRefused) {
  Open();
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_ENABLEBREAK), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCEDODTDR), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_TDRDBGCTRL, char{0}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, UINT{5}), STATUS_INVALID_PARAMETER);
  D3DKMT_VIDSCH_ESCAPE suspend{};
  suspend.Type = D3DKMT_VIDSCHESCAPETYPE_SUSPENDSCHEDULER;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, suspend), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDMM, suspend), STATUS_NOT_SUPPORTED);
}

TEST_F(Timeout, SixthWithinAMinute_StopsTheAdapter) {
  Open();
  for (UINT turn = 1; turn <= tdr_.limit_count + 1; ++turn) {
    ASSERT_NO_FATAL_FAILURE(HangIn(turn));
    if (turn <= tdr_.limit_count) {
      ASSERT_EQ(AwaitReports(turn).size(), turn);
    }
  }
  while (StateOf(device_) != D3DKMT_DEVICEEXECUTION_STOPPED) std::this_thread::yield();
  EXPECT_EQ(resets_.size(), tdr_.limit_count);
  EXPECT_EQ(CreateDevice(), STATUS_DEVICE_REMOVED);
}

TEST_F(Timeout, SixOverTime_DoNotStopTheAdapter) {
  Open();
  for (UINT turn = 1; turn <= tdr_.limit_count + 1; ++turn) {
    ASSERT_NO_FATAL_FAILURE(HangIn(turn));
    ASSERT_EQ(AwaitReports(turn).size(), turn);
    time_.Advance(tdr_.limit_time_ns / 5);
  }
  EXPECT_EQ(CreateDevice(), STATUS_SUCCESS);
}

TEST_F(Timeout, LevelOff_NothingIsPreempted) {
  tdr_.level = TdrLevel::kOff;
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(100 * tdr_.delay_ns);
  miniport_.CompleteDma(0, 1);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_TRUE(preemptions_.empty());
}

TEST_F(Timeout, LevelStop_StopsTheAdapterAtTheFirst) {
  tdr_.level = TdrLevel::kStop;
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Hang();
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_STOPPED);
  EXPECT_TRUE(resets_.empty());
}

}  // namespace
}  // namespace tandem::kernel
