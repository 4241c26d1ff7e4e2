// Drivers that wait inside a DDI: for a DPC in a call that nobody else may be in, for a while in a submission. What they do not
// need goes on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/thread.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class DriverWaits : public KernelFixture {
 protected:
  void SetUp() override {
    segment_ = 1;  // no paging: every submission is the test's
    miniport_.on_dpc = [this] {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++dpcs_;
      changed_.notify_all();
    };
    Open();
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(destination_), STATUS_SUCCESS);
  }
  void TearDown() override { kernel_.reset(); }

  NTSTATUS Present() {
    D3DKMT_PRESENT present = Copy(source_, destination_);
    return D3DKMTPresent(&present);
  }
  // The driver's side: its device interrupts, and its DPC routine runs soon. False when it does not.
  bool InterruptAndAwaitDpc() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int before = dpcs_;
    lock.unlock();
    miniport_.Vsync(0, 0x1000);
    lock.lock();
    return changed_.wait_for(lock, seconds(4), [&] { return dpcs_ > before; });
  }

  D3DKMT_HANDLE source_ = 0, destination_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int dpcs_ = 0;
};

// CommitVidPn is level 2: who submits meanwhile waits at the gate, and must not keep the DPC thread waiting with it.
TEST_F(DriverWaits, CommitVidPnForDpcs_WhileAPacketBecomesReady_BothAreDone) {
  D3DKMT_HANDLE primary = 0;
  ASSERT_EQ(CreatePrimary(primary), STATUS_SUCCESS);
  ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  std::atomic<bool> committing{false}, released{false};
  int rounds = 0;
  miniport_.on_commit_vidpn = [&](const DXGKARG_COMMITVIDPN*) {
    committing = true;
    while (!released) std::this_thread::yield();
    // Long enough for the submission to come as far as it can.
    for (rounds = 0; rounds < 50 && InterruptAndAwaitDpc(); ++rounds) std::this_thread::sleep_for(milliseconds(1));
    return STATUS_SUCCESS;
  };
  NTSTATUS committed = STATUS_PENDING;
  auto mode = Thread::Start("tandem-test", [&] {
    D3DKMT_SETDISPLAYMODE set{};
    set.hDevice = device_;
    set.hPrimaryAllocation = primary;
    set.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    set.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
    committed = D3DKMTSetDisplayMode(&set);
  });
  ASSERT_TRUE(mode.ok());
  ASSERT_TRUE(Soon([&] { return committing.load(); }));
  ASSERT_EQ(SignalFromCpu(fence_, 1), STATUS_SUCCESS);
  released = true;
  mode->Join();
  EXPECT_EQ(rounds, 50) << "A DPC did not run while the driver waited for it.";
  EXPECT_EQ(committed, STATUS_SUCCESS) << *kernel_->Violation(luid_);
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
}

TEST_F(DriverWaits, SubmitCommandForAWhile_OthersQueueAndSignalMeanwhile) {
  const D3DKMT_HANDLE busy = context_;
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  std::atomic<bool> inside{false}, leave{false};
  miniport_.on_submit = [&](const DXGKARG_SUBMITCOMMAND* args) {
    inside = true;
    while (!leave) std::this_thread::yield();
    miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    return STATUS_SUCCESS;
  };
  auto submitting = Thread::Start("tandem-test", [&] {
    D3DKMT_PRESENT present = Copy(source_, destination_);
    present.hContext = busy;
    EXPECT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  });
  ASSERT_TRUE(submitting.ok());
  ASSERT_TRUE(Soon([&] { return inside.load(); }));
  std::atomic<bool> done{false};
  auto others = Thread::Start("tandem-test", [&] {
    EXPECT_EQ(Signal(1), STATUS_SUCCESS);
    EXPECT_EQ(Wait(1), STATUS_SUCCESS);
    EXPECT_EQ(Present(), STATUS_SUCCESS) << "It waits for its turn in the queue, and not the thread.";
    EXPECT_EQ(Signal(2), STATUS_SUCCESS);
    done = true;
  });
  ASSERT_TRUE(others.ok());
  EXPECT_TRUE(Soon([&] { return done.load(); })) << "A submission keeps other contexts waiting.";
  leave = true;
  submitting->Join();
  others->Join();
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
}

// The interrupt is there before the call has returned, as on other processors. The DMA buffer is still the driver's.
TEST_F(DriverWaits, CompletedInsideSubmitCommand_BufferIsNotGivenAgainBeforeItReturns) {
  std::atomic<const void*> inside{nullptr};
  std::atomic<int> reused{0};
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    if (args->pDmaBuffer == inside) ++reused;
    return WritePresent(*args);
  };
  miniport_.on_submit = [&](const DXGKARG_SUBMITCOMMAND* args) {
    inside = reinterpret_cast<const void*>(args->DmaBufferPhysicalAddress.QuadPart);
    miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    for (int i = 0; i < 3; ++i) static_cast<void>(InterruptAndAwaitDpc());
    inside = nullptr;
    return STATUS_SUCCESS;
  };
  auto other = Thread::Start("tandem-test", [&] {
    for (int i = 0; i < 40; ++i) EXPECT_EQ(Present(), STATUS_SUCCESS);
  });
  ASSERT_TRUE(other.ok());
  for (int i = 0; i < 40; ++i) EXPECT_EQ(Present(), STATUS_SUCCESS);
  other->Join();
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(reused, 0);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

// A copy that is queued for the paging node during the call finds the node taken; the interrupt finds it still taken.
TEST_F(DriverWaits, PagingCompletedInsideSubmitCommand_WorkQueuedMeanwhileIsStarted) {
  D3DKMT_CREATECONTEXT create{};
  create.hDevice = device_;
  create.NodeOrdinal = 1;
  ASSERT_EQ(D3DKMTCreateContext(&create), STATUS_SUCCESS);
  context_ = create.hContext;
  std::atomic<bool> inside{false}, queued{false};
  miniport_.complete_at_once = false;
  miniport_.on_submit = [&](const DXGKARG_SUBMITCOMMAND* args) {
    const bool paging = args->Flags.Paging != 0;
    if (paging) inside = true;
    while (paging && !queued) std::this_thread::yield();
    miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    // The DPC that completes the packet is over when another has run behind it.
    for (int i = 0; paging && i < 3; ++i) static_cast<void>(InterruptAndAwaitDpc());
    return STATUS_SUCCESS;
  };
  segment_ = 2;  // the aperture: an allocation is mapped by the paging node
  auto pager = Thread::Start("tandem-test", [&] {
    D3DKMT_HANDLE mapped = 0;
    EXPECT_EQ(CreateAllocation(mapped), STATUS_SUCCESS);
  });
  ASSERT_TRUE(pager.ok());
  ASSERT_TRUE(Soon([&] { return inside.load(); }));
  EXPECT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(Signal(1), STATUS_SUCCESS);
  queued = true;
  pager->Join();
  EXPECT_TRUE(Soon([&] { return __atomic_load_n(fence_value_, __ATOMIC_ACQUIRE) == 1; })) << "Nobody looked at the queue again.";
  EXPECT_EQ(Present(), STATUS_SUCCESS) << "It would start what was left.";
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  kernel_.reset();  // the last paging comes while the adapter goes, and the hook looks at what stands here
}

}  // namespace
}  // namespace tandem::kernel
