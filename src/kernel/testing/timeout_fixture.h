// A GPU whose engines hang. Time is the test's.
#pragma once

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/sleep.h"
#include "kernel/testing/gpu_fixture.h"

namespace tandem::kernel {

class Timeout : public GpuFixture {
 protected:
  void SetUp() override {
    miniport_.caps.SupportPerEngineTDR = TRUE;
    miniport_.on_reset_engine = [this](DXGKARG_RESETENGINE* args) {
      Change([&] {
        resets_.push_back(*args);
        args->LastAbortedFenceId = last_aborted_;
      });
      return reset_status_;
    };
    miniport_.on_reset_from_timeout = [this] {
      Change([&] { ++adapter_resets_; });
      return STATUS_SUCCESS;
    };
    miniport_.on_restart_from_timeout = [this] {
      Change([&] { ++restarts_; });
      return STATUS_SUCCESS;
    };
    miniport_.on_collect = [this](const DXGKARG_COLLECTDBGINFO* args) {
      std::memcpy(args->pBuffer, "why", 3);
      Change([&] { reasons_.push_back(args->Reason); });
      return STATUS_SUCCESS;
    };
  }
  // The running buffer is too old, and its preemption does not come.
  void Hang() {
    const std::size_t before = preemptions_.size();
    time_.Advance(tdr_.delay_ns);
    ASSERT_TRUE(AwaitPreemptions(before + 1));
    time_.Advance(tdr_.delay_ns);
  }
  // The `turn`th hang of the adapter, counted from 1; each lost the device of the one before.
  void HangIn(UINT turn) {
    if (turn > 1) {
      ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
      ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
    }
    last_aborted_ = turn;
    ASSERT_EQ(Render('a'), STATUS_SUCCESS);
    Hang();
  }
  // A second device with a context.
  void OpenOther() {
    const auto device = device_, context = context_, fence = fence_;
    void* const buffer = command_buffer_;
    ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
    ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
    other_device_ = std::exchange(device_, device);
    other_context_ = std::exchange(context_, context);
    other_buffer_ = std::exchange(command_buffer_, buffer);
    fence_ = fence;
  }
  std::vector<TimeoutReport> AwaitReports(std::size_t count) {
    for (int i = 0; i < 20000; ++i) {
      auto reports = kernel_->Timeouts(luid_);
      if (reports.ok() && reports->size() >= count) return *reports;
      std::this_thread::yield();
      if (i > 1000) SleepFor(MonotonicClock(), 1'000'000);
    }
    return {};
  }

  UINT last_aborted_ = 1;
  NTSTATUS reset_status_ = STATUS_SUCCESS;
  std::vector<DXGKARG_RESETENGINE> resets_;
  int adapter_resets_ = 0, restarts_ = 0;
  std::vector<UINT> reasons_;
  D3DKMT_HANDLE other_device_ = 0, other_context_ = 0;
  void* other_buffer_ = nullptr;
};

}  // namespace tandem::kernel
