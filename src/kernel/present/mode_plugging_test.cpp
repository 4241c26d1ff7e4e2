// Monitors of a full driver that go and come: the DDIs in their order, and the flips of a program meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/sleep.h"
#include "kernel/present/unseen_blanks.h"
#include "kernel/submit/flip_ledger.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

using testing::ElementsAre;

class Plugging : public KernelFixture {
 protected:
  Plugging() {
    miniport_.child_caps.HpdAwareness = HpdAwarenessInterruptible;
    miniport_.on_query_child_status = [this](DXGK_CHILD_STATUS* status) {
      status->HotPlug.Connected = connected_ ? TRUE : FALSE;
      return STATUS_SUCCESS;
    };
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      shown_ = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
      return STATUS_SUCCESS;
    };
    miniport_.on_commit_vidpn = [this](const DXGKARG_COMMITVIDPN* args) {
      return WithTopology(args->hFunctionalVidPn, [&](auto topology, const auto& functions) {
        SIZE_T paths = 0;
        const NTSTATUS status = functions.pfnGetNumPaths(topology, &paths);
        paths_ = static_cast<int>(paths);
        return status;
      });
    };
  }
  void SetUp() override {
    Open();
    ASSERT_EQ(CreatePrimary(primary_), STATUS_SUCCESS);
  }
  NTSTATUS Flip() {
    D3DKMT_PRESENT flip{};
    flip.hContext = context_;
    flip.hSource = primary_;
    flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    flip.Flags.Flip = 1;
    return D3DKMTPresent(&flip);
  }
  void Plug(bool plugged) {
    connected_ = plugged;
    DXGK_CHILD_STATUS status{};
    status.Type = StatusConnection;
    status.HotPlug.Connected = plugged ? TRUE : FALSE;
    EXPECT_EQ(miniport_.kernel().DxgkCbIndicateChildStatus(miniport_.kernel().DeviceHandle, &status), STATUS_SUCCESS);
  }
  // The display's DDIs so far, once the last one is `last`.
  std::vector<std::string> AwaitDisplayCalls(const std::string& last, std::size_t count) {
    while (miniport_.count(last) < count) SleepFor(MonotonicClock(), 1'000'000);
    std::vector<std::string> names;
    for (const std::string& name : miniport_.names()) {
      if (name == "DxgkDdiSetVidPnSourceVisibility" || name == "DxgkDdiCommitVidPn" || name == "DxgkDdiSetVidPnSourceAddress" ||
          name == "DxgkDdiQueryChildStatus")
        names.push_back(name);
    }
    return names;
  }

  std::atomic<bool> connected_{true};
  std::atomic<std::uint64_t> shown_{0};
  std::atomic<int> paths_{-1};
  D3DKMT_HANDLE primary_ = 0;
};

TEST_F(Plugging, MonitorThatGoesAndComes_TakesThePathOffAndBack) {
  ASSERT_EQ(Flip(), STATUS_SUCCESS);
  miniport_.Vsync(0, shown_);
  miniport_.ForgetCalls();
  Plug(false);
  EXPECT_THAT(AwaitDisplayCalls("DxgkDdiCommitVidPn", 1),
              ElementsAre("DxgkDdiQueryChildStatus", "DxgkDdiSetVidPnSourceVisibility", "DxgkDdiCommitVidPn"));
  EXPECT_EQ(paths_, 0);
  // The kernel plays the vertical blanks of these flips, of which the last ones may be pending.
  const std::int64_t began_ns = MonotonicClock().NowNs();
  for (std::int64_t i = 0; i < kMaxPendingFlips + 3; ++i) ASSERT_EQ(Flip(), STATUS_SUCCESS);
  EXPECT_GE(MonotonicClock().NowNs() - began_ns, 2 * kUnseenPeriodNs);
  D3DKMT_WAITFORVERTICALBLANKEVENT wait{adapter_, device_, 0};
  EXPECT_EQ(D3DKMTWaitForVerticalBlankEvent(&wait), STATUS_SUCCESS);
  miniport_.ForgetCalls();
  Plug(true);
  EXPECT_THAT(AwaitDisplayCalls("DxgkDdiSetVidPnSourceVisibility", 1),
              ElementsAre("DxgkDdiQueryChildStatus", "DxgkDdiCommitVidPn", "DxgkDdiSetVidPnSourceAddress",
                          "DxgkDdiSetVidPnSourceVisibility"));
  EXPECT_EQ(paths_, 1);
}

TEST_F(Plugging, ModeWithoutMonitor_IsRefused_AndAFlipIsNot) {
  Plug(false);
  while (kernel_->Monitor(luid_, 0)->connected) SleepFor(MonotonicClock(), 1'000'000);
  EXPECT_EQ(SetDisplayMode(primary_, D3DDDI_ROTATION_IDENTITY), STATUS_GRAPHICS_MONITOR_NOT_CONNECTED);
  EXPECT_EQ(Flip(), STATUS_SUCCESS);
  EXPECT_FALSE(kernel_->Monitor(luid_, 1).ok());
}

TEST_F(Plugging, SurfaceThatGoesWithoutMonitor_IsNotFlippedToLater) {
  Plug(false);
  while (kernel_->Monitor(luid_, 0)->connected) SleepFor(MonotonicClock(), 1'000'000);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Flip(), STATUS_SUCCESS);
  ASSERT_EQ(DestroyAllocation(primary_), STATUS_SUCCESS);
  miniport_.ForgetCalls();
  SleepFor(MonotonicClock(), 3 * kUnseenPeriodNs);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceAddress"), 0U);
}

}  // namespace
}  // namespace tandem::kernel
