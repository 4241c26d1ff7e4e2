// A frame in the steady state: no memory is allocated.
#include <gtest/gtest.h>

#include <atomic>

#include "kernel/testing/heap.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

// A driver that does nothing and writes nothing down; the test is its engine.
std::atomic<UINT> submitted_fence{0};
FakeMiniport* quiet = nullptr;

class SteadyState : public KernelFixture {
 protected:
  void SetUp() override {
    quiet = &miniport_;
    segment_ = 1;
    DRIVER_INITIALIZATION_DATA& table = miniport_.table;
    table.DxgkDdiPresent = [](HANDLE, DXGKARG_PRESENT* args) { return WritePresent(*args); };
    table.DxgkDdiPatch = [](HANDLE, CONST DXGKARG_PATCH*) { return STATUS_SUCCESS; };
    table.DxgkDdiSubmitCommand = [](HANDLE, CONST DXGKARG_SUBMITCOMMAND* args) {
      submitted_fence = args->SubmissionFenceId;
      return STATUS_SUCCESS;
    };
    table.DxgkDdiInterruptRoutine = [](CONST PVOID, ULONG) -> BOOLEAN {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
      note.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      note.DmaCompleted.SubmissionFenceId = submitted_fence;
      quiet->kernel().DxgkCbNotifyInterrupt(quiet->kernel().DeviceHandle, &note);
      quiet->kernel().DxgkCbQueueDpc(quiet->kernel().DeviceHandle);
      return TRUE;
    };
    table.DxgkDdiDpcRoutine = [](CONST PVOID) { quiet->kernel().DxgkCbNotifyDpc(quiet->kernel().DeviceHandle); };
    Open();
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(destination_), STATUS_SUCCESS);
  }
  // Present, signal, completion, wake-up.
  void Frame(UINT64 number) {
    const RECT rects[] = {{0, 0, 8, 8}, {8, 8, 16, 16}};
    D3DKMT_PRESENT present = Copy(source_, destination_);
    present.SubRectCnt = 2;
    present.pSrcSubRects = rects;
    ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
    ASSERT_EQ(Signal(number), STATUS_SUCCESS);
    miniport_.device().Bus.RaiseInterrupt(miniport_.device().Bus.Context, 0);
    ASSERT_EQ(Wait(number), STATUS_SUCCESS);
  }

  D3DKMT_HANDLE source_ = 0, destination_ = 0;
};

TEST_F(SteadyState, Frames_AllocateNothing) {
  if (!heap::IsWatched()) GTEST_SKIP() << "A sanitizer has operator new for itself.";
  for (UINT64 frame = 1; frame <= 100; ++frame) Frame(frame);
  heap::StartCounting();
  for (UINT64 frame = 101; frame <= 300; ++frame) Frame(frame);
  EXPECT_EQ(heap::StopCounting(), 0u);
}

}  // namespace
}  // namespace tandem::kernel
