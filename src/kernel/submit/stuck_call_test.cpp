// A DDI that does not return: its adapter is given up, who waits is let go, the others live on.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/testing/fake_clock.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

// The clock of kernels that can never be torn down.
FakeClock& Time() {
  static auto* const time = new FakeClock(1'000'000'000);
  return *time;
}

class StuckCall : public KernelFixture {
 protected:
  StuckCall() {
    clock_ = &Time();
    tdr_.ddi_delay_ns = 4'000'000;
  }
  void OpenWithSurface() {
    Open();
    ASSERT_EQ(CreateAllocation(surface_), STATUS_SUCCESS);
  }
  // A copy of the surface to itself.
  NTSTATUS Present() const {
    D3DKMT_PRESENT present = Copy(surface_, surface_);
    return D3DKMTPresent(&present);
  }
  // The driver's side: stays until the test lets it go.
  NTSTATUS Stay() {
    entered_ = true;
    entered_.notify_all();
    leave_.wait(false);
    return STATUS_SUCCESS;
  }
  void AwaitEntered() { entered_.wait(false); }
  // Time passes until the adapter is given up.
  std::string AwaitViolation() {
    for (int i = 0; i < 20'000; ++i) {
      const auto violation = kernel_->Violation(luid_);
      if (violation.ok() && !violation->empty()) return *violation;
      Time().Advance(1'000'000);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // for other calls to come back between two looks
    }
    return "";
  }
  void LetGo() {
    leave_ = true;
    leave_.notify_all();
  }

  D3DKMT_HANDLE surface_ = 0;
  std::atomic<bool> entered_{false}, leave_{false};
};

TEST_F(StuckCall, Present_AdapterIsGivenUp_WaitersAreFreed_AndItsRemovalDoesNotWait) {
  OpenWithSurface();
  D3DKMT_HANDLE primary = 0;
  ASSERT_EQ(CreatePrimary(primary), STATUS_SUCCESS);
  miniport_.on_present = [this](DXGKARG_PRESENT*) { return Stay(); };
  NTSTATUS stuck = STATUS_PENDING, waited = STATUS_PENDING, gated = STATUS_PENDING;
  std::thread presenting([&] { stuck = Present(); });
  AwaitEntered();
  std::thread waiting([&] { waited = Wait(1); });
  // CommitVidPn is level 2: it waits until nobody else is in the driver.
  std::thread committing([&] {
    D3DKMT_SETDISPLAYMODE mode{};
    mode.hDevice = device_;
    mode.hPrimaryAllocation = primary;
    mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    mode.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
    gated = D3DKMTSetDisplayMode(&mode);
  });
  EXPECT_NE(AwaitViolation().find("DdiReturns: DxgkDdiPresent has not returned for 4 ms"), std::string::npos);
  waiting.join();
  committing.join();
  EXPECT_EQ(waited, STATUS_DEVICE_REMOVED);
  EXPECT_EQ(gated, STATUS_DEVICE_REMOVED);
  EXPECT_EQ(CreateFence(), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS) << "The program need not know.";
  const auto removed = kernel_->RemoveAdapter(luid_);
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error().kind, ErrorKind::kTimeout);
  kernel_.reset();
  // A new kernel starts while the call is still inside.
  ASSERT_TRUE(Kernel::Create(Time(), tdr_).ok());
  LetGo();
  presenting.join();
  EXPECT_NE(stuck, STATUS_PENDING);
}

TEST_F(StuckCall, ThatComesBackLate_AdapterIsGone_AndIsRemovedAsEver) {
  OpenWithSurface();
  miniport_.on_present = [this](DXGKARG_PRESENT*) { return Stay(); };
  std::thread presenting([&] { static_cast<void>(Present()); });
  AwaitEntered();
  EXPECT_NE(AwaitViolation(), "");
  LetGo();
  presenting.join();
  EXPECT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  EXPECT_EQ(miniport_.count("DxgkDdiStopDevice"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiRemoveDevice"), 1u);
}

TEST_F(StuckCall, SubmitCommand_FenceWaitersAreFreed) {
  OpenWithSurface();
  miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND*) { return Stay(); };
  std::thread presenting([&] { static_cast<void>(Present()); });
  AwaitEntered();
  NTSTATUS waited = STATUS_PENDING;
  std::thread waiting([&] { waited = Wait(1); });
  EXPECT_NE(AwaitViolation().find("DdiReturns: DxgkDdiSubmitCommand"), std::string::npos);
  waiting.join();
  EXPECT_EQ(waited, STATUS_DEVICE_REMOVED);
  EXPECT_FALSE(kernel_->RemoveAdapter(luid_).ok());
  LetGo();
  presenting.join();
}

TEST_F(StuckCall, SubmitCommand_RemovalThatBeganBefore_IsToldToo) {
  OpenWithSurface();
  miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND*) { return Stay(); };
  std::thread presenting([&] { static_cast<void>(Present()); });
  AwaitEntered();
  std::atomic<bool> answered{false};
  bool removed = true;
  std::thread removing([&] {
    removed = kernel_->RemoveAdapter(luid_).ok();
    answered = true;
  });
  for (int i = 0; i < 20'000 && !answered; ++i) {
    Time().Advance(1'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(answered);
  removing.join();
  EXPECT_FALSE(removed);
  LetGo();
  presenting.join();
}

// The packet became ready by a fence, so that the kernel's own thread is in the driver with it.
TEST_F(StuckCall, SubmitCommandOfTheWorker_WhoDestroysContextOrDevice_IsLetGo) {
  OpenWithSurface();
  miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND*) { return Stay(); };
  const D3DKMT_HANDLE busy = context_;
  ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  std::thread signalling([this] { static_cast<void>(SignalFromCpu(fence_, 1)); });
  AwaitEntered();
  std::atomic<int> answered{0};
  std::thread context([&] {
    const D3DKMT_DESTROYCONTEXT destroy{busy};
    EXPECT_EQ(D3DKMTDestroyContext(&destroy), STATUS_SUCCESS);
    ++answered;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until it waits
  EXPECT_NE(AwaitViolation().find("DdiReturns: DxgkDdiSubmitCommand"), std::string::npos);
  for (int i = 0; i < 10'000 && answered == 0; ++i) {
    Time().Advance(1'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(answered, 1) << "Who destroys the context waits for a call that does not come back.";
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS) << "The program need not know.";
  LetGo();
  context.join();
  signalling.join();
  // When the call has come back, the device goes.
  EXPECT_TRUE(Soon([this] { return DestroyDevice() == STATUS_INVALID_PARAMETER; }));
  EXPECT_TRUE(kernel_->RemoveAdapter(luid_).ok());
}

TEST_F(StuckCall, DetectionIsOff_NothingIsGivenUp) {
  tdr_.level = TdrLevel::kOff;
  OpenWithSurface();
  miniport_.on_present = [this](DXGKARG_PRESENT* args) {
    static_cast<void>(Stay());
    return WritePresent(*args);
  };
  std::thread presenting([&] { EXPECT_EQ(Present(), STATUS_SUCCESS); });
  AwaitEntered();
  for (int i = 0; i < 20; ++i) Time().Advance(1'000'000);
  LetGo();
  presenting.join();
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

}  // namespace
}  // namespace tandem::kernel
