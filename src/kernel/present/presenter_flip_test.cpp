// Flips whose commands stand in DMA buffers, flips to what is shown already, and drivers that get MMIO flips wrong.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "kernel/submit/limits.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class FlipPaths : public KernelFixture {
 protected:
  FlipPaths() {
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      programmed_.push_back(*args);
      return STATUS_SUCCESS;
    };
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (args->Flags.Flip) submitted_.push_back(*args);
      return STATUS_SUCCESS;
    };
  }
  // The last paging buffers come while the adapter goes, and the hooks look at this object.
  ~FlipPaths() override { kernel_.reset(); }

  void OpenWithBuffers() {
    Open();
    for (D3DKMT_HANDLE& buffer : buffers_) ASSERT_EQ(CreateAllocation(buffer), STATUS_SUCCESS);
  }
  // A driver that writes a flip as eight bytes and one patch location.
  void FlipByDma() {
    miniport_.caps.FlipCaps.FlipOnVSyncMmIo = miniport_.caps.FlipCaps.FlipImmediateMmIo = 0;
    miniport_.on_present = [this](DXGKARG_PRESENT* args) {
      seen_ = *args;
      auto* out = static_cast<std::byte*>(args->pDmaBuffer);
      std::memset(out, 0xF1, 8);
      *args->pPatchLocationListOut = {};
      args->pPatchLocationListOut->AllocationIndex = DXGK_PRESENT_SOURCE_INDEX;
      ++args->pPatchLocationListOut;
      args->pDmaBuffer = out + 8;
      return STATUS_SUCCESS;
    };
  }
  NTSTATUS Flip(std::size_t buffer, D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE, UINT source = 0,
                bool do_not_flip = false, bool do_not_wait = false) {
    D3DKMT_PRESENT present{};
    present.hContext = context_;
    present.hSource = buffers_[buffer];
    present.FlipInterval = interval;
    present.VidPnSourceId = source;
    present.Flags.Flip = 1;
    present.Flags.FlipDoNotFlip = do_not_flip ? 1u : 0u;
    present.Flags.FlipDoNotWait = do_not_wait ? 1u : 0u;
    return D3DKMTPresent(&present);
  }
  std::vector<DXGKARG_SUBMITCOMMAND> submitted() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return submitted_;
  }
  std::vector<DXGKARG_SETVIDPNSOURCEADDRESS> programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return programmed_;
  }
  // Vertical blanks, as they follow one another on a screen, until the fence has the value.
  bool BlankUntil(std::uint64_t address, UINT64 value) {
    for (int i = 0; i < 20'000 && __atomic_load_n(fence_value_, __ATOMIC_ACQUIRE) < value; ++i) {
      miniport_.Vsync(0, address);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return *fence_value_ >= value;
  }
  std::uint64_t LastAddress() { return static_cast<std::uint64_t>(programmed().back().PrimaryAddress.QuadPart); }

  std::array<D3DKMT_HANDLE, 3> buffers_{};
  std::mutex mutex_;
  std::vector<DXGKARG_SETVIDPNSOURCEADDRESS> programmed_;
  std::vector<DXGKARG_SUBMITCOMMAND> submitted_;
  DXGKARG_PRESENT seen_{};
};

TEST_F(FlipPaths, ImmediateFlips_TearingOrNot_AreProgrammedAtOnce) {
  OpenWithBuffers();
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_TRUE(BlankUntil(LastAddress(), 1));
  UINT64 value = 1;
  for (const auto interval : {D3DDDI_FLIPINTERVAL_IMMEDIATE, D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING}) {
    const std::size_t before = programmed().size();
    ASSERT_EQ(Flip(value, interval), STATUS_SUCCESS);
    ASSERT_EQ(programmed().size(), before + 1) << "No vertical blank is waited for.";
    EXPECT_EQ(programmed().back().Flags.FlipImmediate, 1u);
    ASSERT_EQ(Signal(++value), STATUS_SUCCESS);
    ASSERT_TRUE(BlankUntil(LastAddress(), value));
  }
}

TEST_F(FlipPaths, ImmediateFlips_OfADriverWithoutThem_AreRefused) {
  miniport_.caps.FlipCaps.FlipImmediateMmIo = 0;
  OpenWithBuffers();
  for (const auto interval : {D3DDDI_FLIPINTERVAL_IMMEDIATE, D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING}) {
    EXPECT_EQ(Flip(0, interval), STATUS_NOT_SUPPORTED);
  }
  EXPECT_TRUE(programmed().empty());
}

TEST_F(FlipPaths, DriverWithoutMmioFlips_GetsABuffer_AndIsToldInSubmitCommand) {
  FlipByDma();
  OpenWithBuffers();
  ASSERT_EQ(Flip(0, D3DDDI_FLIPINTERVAL_TWO), STATUS_SUCCESS);
  EXPECT_EQ(seen_.Flags.Flip, 1u);
  EXPECT_EQ(seen_.Flags.FlipWithNoWait, 0u);
  EXPECT_EQ(seen_.FlipInterval, D3DDDI_FLIPINTERVAL_TWO);
  EXPECT_NE(seen_.pDmaBuffer, nullptr);
  EXPECT_EQ(seen_.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX].hDeviceSpecificAllocation, nullptr);
  ASSERT_EQ(submitted().size(), 1u);
  EXPECT_EQ(submitted()[0].FlipInterval, D3DDDI_FLIPINTERVAL_TWO);
  EXPECT_EQ(submitted()[0].VidPnSourceId, 0u);
  EXPECT_EQ(submitted()[0].Flags.Present, 1u);
  ASSERT_EQ(programmed().size(), 1u);  // the mode, and no flip
  EXPECT_EQ(programmed()[0].Flags.ModeChange, 1u);
}

TEST_F(FlipPaths, DmaFlip_IsDoneWhenTheScreenShowsIt_AndNotWhenTheBufferIs) {
  FlipByDma();
  OpenWithBuffers();
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  const std::uint64_t first = LastAddress();
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 0u);
  miniport_.Vsync(0, first + 1);  // something else
  EXPECT_EQ(*fence_value_, 0u);
  EXPECT_TRUE(BlankUntil(first, 1));
}

TEST_F(FlipPaths, DmaFlips_OneOnTheScreenRetiresThoseBeforeIt) {
  FlipByDma();
  OpenWithBuffers();
  std::vector<std::uint64_t> addresses;
  const auto inner = miniport_.on_present;
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    addresses.push_back(static_cast<std::uint64_t>(args->pAllocationList[DXGK_PRESENT_SOURCE_INDEX].PhysicalAddress.QuadPart));
    return inner(args);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(Flip(i), STATUS_SUCCESS);
    ASSERT_EQ(Signal(i + 1), STATUS_SUCCESS);
  }
  EXPECT_TRUE(BlankUntil(addresses[2], 3));
}

TEST_F(FlipPaths, DmaFlip_WithAFlipPendingRegister_DoesNotWait_UnlessItIsImmediate) {
  FlipByDma();
  miniport_.caps.FlipCaps.FlipOnVSyncWithNoWait = 1;
  OpenWithBuffers();
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  EXPECT_EQ(seen_.Flags.FlipWithNoWait, 1u);
  EXPECT_EQ(submitted().back().Flags.FlipWithNoWait, 1u);
  ASSERT_EQ(Flip(1, D3DDDI_FLIPINTERVAL_IMMEDIATE), STATUS_SUCCESS);
  EXPECT_EQ(seen_.Flags.FlipWithNoWait, 0u);
}

TEST_F(FlipPaths, DmaFlips_MoreThanPending_AreRefusedBeforeTheDriverIsAsked) {
  FlipByDma();
  OpenWithBuffers();
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_EQ(Flip(i % 3), STATUS_SUCCESS);
  EXPECT_EQ(Flip(0, D3DDDI_FLIPINTERVAL_ONE, 0, false, true), STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), kMaxPendingFlips);
}

TEST_F(FlipPaths, DmaFlipWithoutACommandOrAReference_StopsTheAdapter) {
  FlipByDma();
  const auto inner = miniport_.on_present;
  miniport_.on_present = [inner](DXGKARG_PRESENT* args) {
    static_cast<void>(inner(args));
    --args->pPatchLocationListOut;
    return STATUS_SUCCESS;
  };
  OpenWithBuffers();
  EXPECT_EQ(Flip(0), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find("Present.EveryReferenceIsListed"), std::string::npos);
}

TEST_F(FlipPaths, MmioFlipThatWantsABuffer_StopsTheAdapter) {
  miniport_.on_present = [](DXGKARG_PRESENT* args) {
    EXPECT_EQ(args->pDmaBuffer, nullptr);
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  OpenWithBuffers();
  EXPECT_EQ(Flip(0), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find("Present.MmioFlipWritesNothing"), std::string::npos);
}

TEST_F(FlipPaths, MmioFlipWithoutMemory_IsAskedAgain_AndARefusalIsTold) {
  int failures = 2;
  NTSTATUS status = STATUS_NO_MEMORY;
  miniport_.on_present = [&](DXGKARG_PRESENT*) { return failures-- > 0 ? status : STATUS_SUCCESS; };
  OpenWithBuffers();
  EXPECT_EQ(Flip(0), STATUS_SUCCESS);
  status = STATUS_ILLEGAL_INSTRUCTION;
  failures = 1;
  EXPECT_EQ(Flip(1), STATUS_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(Flip(1), STATUS_SUCCESS);
}

TEST_F(FlipPaths, FlipToWhatIsShown_IsARealFlip_AndAWaitForAVerticalBlank) {
  OpenWithBuffers();
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  miniport_.Vsync(0, LastAddress());
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  const std::size_t before = programmed().size();
  EXPECT_EQ(Flip(1, D3DDDI_FLIPINTERVAL_ONE, 0, true), STATUS_INVALID_PARAMETER);  // not what is shown
  ASSERT_EQ(Flip(0, D3DDDI_FLIPINTERVAL_ONE, 0, true), STATUS_SUCCESS);
  ASSERT_EQ(programmed().size(), before + 1);
  EXPECT_EQ(programmed().back().Flags.FlipOnNextVSync, 1u);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 1u);
  miniport_.Vsync(0, LastAddress());
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
}

TEST_F(FlipPaths, TwoSources_FlipOnTheirOwn) {
  miniport_.sources = miniport_.children = 2;
  OpenWithBuffers();
  ASSERT_EQ(Flip(0, D3DDDI_FLIPINTERVAL_ONE, 0), STATUS_SUCCESS);
  const std::uint64_t left = LastAddress();
  ASSERT_EQ(Flip(1, D3DDDI_FLIPINTERVAL_ONE, 1), STATUS_SUCCESS);
  const std::uint64_t right = LastAddress();
  ASSERT_NE(left, right);
  EXPECT_EQ(programmed().back().VidPnSourceId, 1u);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  miniport_.Vsync(0, left);
  EXPECT_EQ(*fence_value_, 0u);
  miniport_.Vsync(1, right);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

}  // namespace
}  // namespace tandem::kernel
