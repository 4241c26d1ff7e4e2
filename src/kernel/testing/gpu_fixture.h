// A GPU that a test moves by hand: what the kernel hands to it stays until the test says that it is complete, and time passes
// when the test says so.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/testing/fake_clock.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {

// Threads: the driver's DDIs from any; everything else is the test's.
class GpuFixture : public KernelFixture {
 protected:
  struct Submitted {
    UINT node;
    UINT fence;
    char work;  // the first byte of the commands
    bool again;
    bool operator==(const Submitted&) const = default;
  };

  GpuFixture() {
    clock_ = &time_;
    segment_ = 1;  // no paging
    miniport_.complete_at_once = false;
    miniport_.on_render = [](DXGKARG_RENDER* args) {
      std::memcpy(args->pDmaBuffer, args->pCommand, args->CommandLength);
      args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + args->CommandLength;
      return STATUS_SUCCESS;
    };
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      const char work = *reinterpret_cast<const char*>(args->DmaBufferPhysicalAddress.QuadPart);
      Change([&] { submitted_.push_back({args->NodeOrdinal, args->SubmissionFenceId, work, args->Flags.Resubmission != 0}); });
      if (completes_) miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
      return STATUS_SUCCESS;
    };
    miniport_.on_preempt = [this](const DXGKARG_PREEMPTCOMMAND* args) {
      Change([&] { preemptions_.push_back(*args); });
      return STATUS_SUCCESS;
    };
  }
  // A device that is never complete would keep the teardown waiting.
  void TearDown() override {
    completes_ = true;
    for (UINT node = 0; node < 2 && kernel_ != nullptr; ++node) {
      UINT last = 0;
      for (const Submitted& one : submitted()) last = one.node == node ? std::max(last, one.fence) : last;
      if (last != 0) miniport_.CompleteDma(node, last);
    }
    kernel_.reset();
  }

  // One DMA buffer whose commands begin with `work`.
  NTSTATUS Render(D3DKMT_HANDLE context, void* command_buffer, char work) {
    std::memset(command_buffer, work, 4);
    D3DKMT_RENDER render{};
    render.hContext = context;
    render.CommandLength = 4;
    return D3DKMTRender(&render);
  }
  NTSTATUS Render(char work) { return Render(context_, command_buffer_, work); }

  // Blocks until the driver was told something that makes `condition` true, or for longer than any test should take.
  template <class Condition>
  bool Await(Condition condition) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), condition);
  }
  template <class F>
  void Change(F change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    change();
    changed_.notify_all();
  }
  std::vector<Submitted> submitted() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return submitted_;
  }
  // The work of each submission, in order.
  std::string works() {
    std::string works;
    for (const Submitted& one : submitted()) works += one.work;
    return works;
  }
  bool AwaitSubmissions(std::size_t count) {
    return Await([&] { return submitted_.size() >= count; });
  }
  bool AwaitPreemptions(std::size_t count) {
    return Await([&] { return preemptions_.size() >= count; });
  }
  D3DKMT_DEVICEEXECUTION_STATE StateOf(D3DKMT_HANDLE device) {
    D3DKMT_GETDEVICESTATE state{};
    state.hDevice = device;
    state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
    EXPECT_EQ(D3DKMTGetDeviceState(&state), STATUS_SUCCESS);
    return state.ExecutionState;
  }

  FakeClock time_{1'000'000'000};
  std::atomic<bool> completes_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Submitted> submitted_;
  std::vector<DXGKARG_PREEMPTCOMMAND> preemptions_;
};

}  // namespace tandem::kernel
