// Mode changes beside other work: what was built for the mode before runs first, engines are idle meanwhile, and nobody waits who
// need not. Time is the test's.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/testing/fake_clock.h"
#include "base/thread.h"
#include "kernel/submit/limits.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class ModeOrder : public KernelFixture {
 protected:
  ModeOrder() {
    clock_ = &time_;
    tdr_.delay_ns = tdr_.ddi_delay_ns = 1000 * kModeTimeoutNs;  // the watches look at nothing meanwhile
    segment_ = 1;                                               // no paging: every submission is the test's
    miniport_.sources = miniport_.children = 2;
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      submitted_fence_ = args->SubmissionFenceId;
      return Happened('s');
    };
    miniport_.on_commit_vidpn = [this](const DXGKARG_COMMITVIDPN*) {
      if (in_commit_) in_commit_();
      return Happened('c');
    };
    // Paths turn as they are asked to.
    miniport_.on_enum_vidpn_cofunc_modality = [this](const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
      return WithTopology(args->hConstrainingVidPn, [](auto topology, const auto& functions) {
        const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
        EXPECT_EQ(functions.pfnAcquireFirstPathInfo(topology, &path), STATUS_SUCCESS);
        D3DKMDT_VIDPN_PRESENT_PATH supported = *path;
        supported.ContentTransformation.RotationSupport.Value = 0x1F;
        EXPECT_EQ(functions.pfnUpdatePathSupportInfo(topology, &supported), STATUS_SUCCESS);
        return functions.pfnReleasePathInfo(topology, path);
      });
    };
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      shown_ = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
      return STATUS_SUCCESS;
    };
  }
  void SetUp() override {
    Open();
    ASSERT_EQ(CreatePrimary(primary_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
    ASSERT_EQ(SetMode(D3DDDI_ROTATION_90), STATUS_SUCCESS);
    miniport_.Vsync(0, shown_);
    // Interrupts are delivered in their order: with that of the copy, the mode is on the screen.
    D3DKMT_PRESENT copy = Copy(source_, source_);
    ASSERT_EQ(D3DKMTPresent(&copy), STATUS_SUCCESS);
    ASSERT_EQ(Signal(1), STATUS_SUCCESS);
    ASSERT_EQ(Wait(1), STATUS_SUCCESS);
    ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
    happened_.clear();
  }
  ~ModeOrder() override { kernel_.reset(); }

  NTSTATUS SetMode(D3DDDI_ROTATION rotation) { return SetDisplayMode(primary_, rotation); }
  // A copy to the primary, turned as its path is.
  NTSTATUS DrawTurned() {
    D3DKMT_PRESENT present = Copy(source_, primary_);
    present.Flags.Rotate = 1;
    return D3DKMTPresent(&present);
  }
  NTSTATUS Happened(char what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    happened_ += what;
    return STATUS_SUCCESS;
  }
  std::string happened() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return happened_;
  }
  Thread Run(std::function<void()> body) {
    auto thread = Thread::Start("tandem-test", std::move(body));
    EXPECT_TRUE(thread.ok());
    return *std::move(thread);
  }
  // For others to come as far as they can.
  static void GiveTime() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

  FakeClock time_{1'000'000'000};
  std::function<void()> in_commit_;
  std::atomic<std::uint64_t> shown_{0};
  std::atomic<UINT> submitted_fence_{0};
  D3DKMT_HANDLE primary_ = 0, source_ = 0;
  std::mutex mutex_;
  std::string happened_;  // 's': SubmitCommand, 'c': CommitVidPn
};

TEST_F(ModeOrder, PresentThatWaitsInItsContext_RunsBeforeTheMode) {
  ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
  ASSERT_EQ(DrawTurned(), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  Thread program = Run([&] { status = SetMode(D3DDDI_ROTATION_IDENTITY); });
  GiveTime();
  EXPECT_EQ(happened(), "");
  ASSERT_EQ(SignalFromCpu(fence_, 1), STATUS_SUCCESS);
  program.Join();
  EXPECT_EQ(status, STATUS_SUCCESS);
  EXPECT_EQ(happened(), "sc");
}

TEST_F(ModeOrder, PresentThatNeverRuns_TheModeIsRefused_AndTheOneBeforeStays) {
  ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
  ASSERT_EQ(DrawTurned(), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  Thread program = Run([&] { status = SetMode(D3DDDI_ROTATION_IDENTITY); });
  time_.AwaitWaiterWithin(kModeTimeoutNs);
  time_.Advance(kModeTimeoutNs);
  program.Join();
  EXPECT_EQ(status, STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(happened(), "");
  ASSERT_EQ(SignalFromCpu(fence_, 1), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  ASSERT_EQ(Wait(2), STATUS_SUCCESS);
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  EXPECT_EQ(happened(), "sc");
}

TEST_F(ModeOrder, CopyThatBeginsDuringAModeChange_IsTurnedAsTheNewMode) {
  std::atomic<bool> committing{false}, leave{false};
  in_commit_ = [&] {
    committing = true;
    while (!leave) std::this_thread::yield();
  };
  std::atomic<LONG> right{0};
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    right = args->DstRect.right;
    return WritePresent(*args);
  };
  Thread mode = Run([&] { EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS); });
  ASSERT_TRUE(Soon([&] { return committing.load(); }));
  Thread copy = Run([&] { EXPECT_EQ(DrawTurned(), STATUS_SUCCESS); });
  GiveTime();
  leave = true;
  mode.Join();
  copy.Join();
  EXPECT_EQ(right, 64);
  EXPECT_EQ(happened(), "cs");
}

// A fence that nobody signals holds a device's turned copies. Other sources are other devices' to use.
TEST_F(ModeOrder, TurnedCopyThatWaitsForADmaBuffer_OtherSourcesFlipAndGoDark) {
  const D3DKMT_HANDLE device = device_, context = context_, fence = fence_;
  ASSERT_EQ(HoldContext(fence, 1), STATUS_SUCCESS);
  Thread stuck = Run([this, context] {
    D3DKMT_PRESENT present = Copy(source_, primary_);
    present.hContext = context;
    present.Flags.Rotate = 1;
    for (std::uint32_t i = 0; i <= kPacketsPerContext; ++i) EXPECT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  });
  ASSERT_TRUE(Soon([this] { return miniport_.count("DxgkDdiPresent") == kPacketsPerContext + 1; })) << "And one at the start.";
  GiveTime();
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  std::atomic<bool> done{false};
  Thread other = Run([&] {
    D3DKMT_HANDLE surface = 0;
    EXPECT_EQ(CreateAllocation(surface), STATUS_SUCCESS);
    D3DKMT_PRESENT flip{};
    flip.hContext = context_;
    flip.hSource = surface;
    flip.VidPnSourceId = 1;
    flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    flip.Flags.Flip = 1;
    EXPECT_EQ(D3DKMTPresent(&flip), STATUS_SUCCESS);
    EXPECT_EQ(DestroyAllocation(surface), STATUS_SUCCESS);
    done = true;
  });
  EXPECT_TRUE(Soon([&] { return done.load(); })) << "A copy to source 0 keeps source 1 waiting.";
  // That context answers requests that need no DMA buffer.
  device_ = device;
  std::atomic<bool> refused{false};
  Thread wrong = Run([&] {
    D3DKMT_PRESENT present = Copy(source_, primary_);
    present.hContext = context;
    present.Flags.SrcRectValid = 1;  // and empty
    EXPECT_EQ(D3DKMTPresent(&present), STATUS_INVALID_PARAMETER);
    refused = true;
  });
  EXPECT_TRUE(Soon([&] { return refused.load(); })) << "A present that waits keeps the context locked.";
  EXPECT_EQ(SignalFromCpu(fence, 1), STATUS_SUCCESS);
  stuck.Join();
  other.Join();
  wrong.Join();
}

// Level 2: no DMA buffer is in flight while the driver commits.
TEST_F(ModeOrder, CommitVidPn_WaitsForEngines_AndNothingIsSubmittedMeanwhile) {
  miniport_.complete_at_once = false;
  D3DKMT_HANDLE target = 0;
  ASSERT_EQ(CreateAllocation(target), STATUS_SUCCESS);
  D3DKMT_PRESENT elsewhere = Copy(source_, target);
  ASSERT_EQ(D3DKMTPresent(&elsewhere), STATUS_SUCCESS);
  ASSERT_EQ(happened(), "s");
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  elsewhere.hContext = context_;
  Thread mode = Run([&] { EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS); });
  time_.AwaitWaiterWithin(kIdleTimeoutNs);  // the change waits
  EXPECT_EQ(happened(), "s") << "An engine works.";
  ASSERT_EQ(D3DKMTPresent(&elsewhere), STATUS_SUCCESS);
  EXPECT_EQ(happened(), "s") << "The driver is about to commit.";
  miniport_.complete_at_once = true;
  miniport_.CompleteDma(0, submitted_fence_);
  mode.Join();
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(happened(), "scs");
}

}  // namespace
}  // namespace tandem::kernel
