// Flips through the thunks, with a screen that the test moves.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kernel/submit/limits.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class Flips : public KernelFixture {
 protected:
  void SetUp() override {
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      programmed_.push_back(static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart));
      modes_ += args->Flags.ModeChange;
      return STATUS_SUCCESS;
    };
    Open();
    for (D3DKMT_HANDLE& buffer : buffers_) ASSERT_EQ(CreateAllocation(buffer), STATUS_SUCCESS);
  }
  D3DKMT_PRESENT FlipOf(D3DKMT_HANDLE allocation) const {
    D3DKMT_PRESENT present{};
    present.hContext = context_;
    present.hSource = allocation;
    present.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    present.Flags.Flip = 1;
    return present;
  }
  NTSTATUS Flip(std::size_t buffer) {
    D3DKMT_PRESENT present = FlipOf(buffers_[buffer]);
    return D3DKMTPresent(&present);
  }
  std::vector<std::uint64_t> programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return programmed_;
  }
  void Vsync() { miniport_.Vsync(0, programmed().back()); }

  std::array<D3DKMT_HANDLE, 3> buffers_{};
  std::mutex mutex_;
  std::vector<std::uint64_t> programmed_;
  UINT modes_ = 0;
};

TEST_F(Flips, First_SetsTheMode_AndRetiresByVsync) {
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  EXPECT_EQ(modes_, 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 1u);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(*fence_value_, 0u);
  Vsync();
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(Flips, Second_IsProgrammedAfterTheFirstIsOnTheScreen) {
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  ASSERT_EQ(Flip(1), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  const std::size_t before = programmed().size();
  Vsync();
  for (int i = 0; i < 20'000 && programmed().size() == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(programmed().size(), before + 1);
  EXPECT_EQ(*fence_value_, 0u);
  Vsync();
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(Flips, MoreThanPending_DoNotWait_IsRefused) {
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_EQ(Flip(i % 3), STATUS_SUCCESS);
  D3DKMT_PRESENT present = FlipOf(buffers_[0]);
  present.Flags.FlipDoNotWait = 1;
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_DEVICE_NOT_READY);
}

TEST_F(Flips, MoreThanPending_WaitsForTheScreen) {
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_EQ(Flip(i % 3), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  std::thread program([&] { status = Flip(0); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(status, STATUS_PENDING);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), kMaxPendingFlips) << "The driver is not asked for what cannot be queued yet.";
  Vsync();
  program.join();
  EXPECT_EQ(status, STATUS_SUCCESS);
}

TEST_F(Flips, MoreThanPending_TheAdapterGoes_TheWaitEnds) {
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_EQ(Flip(i % 3), STATUS_SUCCESS);
  NTSTATUS status = STATUS_PENDING;
  std::thread program([&] { status = Flip(0); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  program.join();
  EXPECT_EQ(status, STATUS_DEVICE_REMOVED);
}

TEST_F(Flips, DestroyScannedOut_SwitchesTheSourceOff) {
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Vsync();
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(DestroyAllocation(buffers_[0]), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 2u);
  EXPECT_EQ(Flip(1), STATUS_SUCCESS);
  EXPECT_EQ(modes_, 2u);
}

TEST_F(Flips, SourceOfAnotherDevice_IsRefused) {
  const D3DKMT_VIDPNSOURCEOWNER_TYPE exclusive = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
  const D3DKMT_HANDLE first = device_;
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  D3DKMT_SETVIDPNSOURCEOWNER owner{device_, &exclusive, &source, 1};
  ASSERT_EQ(D3DKMTSetVidPnSourceOwner(&owner), STATUS_SUCCESS);
  EXPECT_EQ(Flip(0), STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER);
  owner.hDevice = first;
  EXPECT_EQ(D3DKMTSetVidPnSourceOwner(&owner), STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
  EXPECT_EQ(Flip(0), STATUS_SUCCESS);
}

// Windows 10 and 11 were seen to answer so.
TEST_F(Flips, OwnersOfASource_ChangeAsOnWindows) {
  constexpr auto kUnowned = D3DKMT_VIDPNSOURCEOWNER_UNOWNED, kShared = D3DKMT_VIDPNSOURCEOWNER_SHARED,
                 kExclusive = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, kEmulated = D3DKMT_VIDPNSOURCEOWNER_EMULATED;
  const D3DKMT_HANDLE first = device_;
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  const D3DKMT_HANDLE second = device_;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
  const auto set = [&](D3DKMT_HANDLE device, int type) {
    const auto typed = static_cast<D3DKMT_VIDPNSOURCEOWNER_TYPE>(type);
    const D3DKMT_SETVIDPNSOURCEOWNER data{device, &typed, &source, 1};
    return D3DKMTSetVidPnSourceOwner(&data);
  };
  const auto release = [](D3DKMT_HANDLE device) {
    const D3DKMT_SETVIDPNSOURCEOWNER data{device, nullptr, nullptr, 0};
    EXPECT_EQ(D3DKMTSetVidPnSourceOwner(&data), STATUS_SUCCESS);
  };
  const auto exclusive = [this] {
    const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP data{adapter_, 0};
    const NTSTATUS status = D3DKMTCheckVidPnExclusiveOwnership(&data);
    EXPECT_TRUE(status == STATUS_SUCCESS || status == STATUS_GRAPHICS_PRESENT_OCCLUDED) << status;
    return status == STATUS_GRAPHICS_PRESENT_OCCLUDED;
  };
  struct Change {
    int before, after;
    NTSTATUS status;
    bool exclusive;
  };
  for (const Change& change : {Change{kUnowned, kUnowned, STATUS_SUCCESS, false},
                               {kUnowned, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI, STATUS_INVALID_PARAMETER, false},
                               {kUnowned, kEmulated + 1, STATUS_INVALID_PARAMETER, false},
                               {kUnowned, kShared, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, false},
                               {kUnowned, kExclusive, STATUS_SUCCESS, true},
                               {kExclusive, kUnowned, STATUS_SUCCESS, false},
                               {kExclusive, kExclusive, STATUS_SUCCESS, true},
                               {kExclusive, kShared, STATUS_INVALID_PARAMETER, true},
                               {kExclusive, kEmulated, STATUS_INVALID_PARAMETER, true},
                               {kEmulated, kEmulated, STATUS_SUCCESS, false},
                               {kEmulated, kShared, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, false},
                               {kEmulated, kExclusive, STATUS_INVALID_PARAMETER, false}}) {
    SCOPED_TRACE(testing::Message() << change.before << " to " << change.after);
    EXPECT_EQ(set(first, change.before), STATUS_SUCCESS);
    EXPECT_EQ(set(first, change.after), change.status);
    EXPECT_EQ(exclusive(), change.exclusive);
    release(first);
    EXPECT_FALSE(exclusive());
  }
  for (const int before : {kExclusive, kEmulated}) {
    EXPECT_EQ(set(first, before), STATUS_SUCCESS);
    release(second);
    for (const int after : {kShared, kExclusive, kEmulated}) EXPECT_EQ(set(second, after), STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE);
    EXPECT_EQ(set(second, kUnowned), STATUS_SUCCESS);
    EXPECT_EQ(exclusive(), before == kExclusive);
    release(first);
  }
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
}

TEST_F(Flips, OneFieldBroken_IsRefused) {
  const auto broken = [&](auto change) {
    D3DKMT_PRESENT present = FlipOf(buffers_[0]);
    change(present);
    return D3DKMTPresent(&present);
  };
  EXPECT_EQ(broken([](auto& p) { p.VidPnSourceId = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.FlipInterval = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(6); }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.Flags.Blt = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.Flags.Flip = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.Flags.Rotate = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.Flags.FlipStereo = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([](auto& p) { p.Flags.FlipStereoTemporaryMono = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([](auto& p) { p.Flags.FlipStereo = p.Flags.FlipStereoPreferRight = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([](auto& p) { p.Flags.FlipStereo = p.Flags.FlipStereoTemporaryMono = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.Flags.FlipStereoTemporaryMono = p.Flags.FlipStereoPreferRight = 1; }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.Flags.BltStereoUseRight = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.BroadcastContextCount = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([](auto& p) { p.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) {
              p.Flags.Flip = 0;
              p.Flags.ColorFill = 1;
              p.BroadcastContextCount = 1;
            }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.PrivateDriverDataSize = 4; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& p) { p.SubRectCnt = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(modes_, 0u);
}

TEST_F(Flips, WaitForVerticalBlank_ReturnsWithIt_AndWithTheAdapter) {
  ASSERT_EQ(Flip(0), STATUS_SUCCESS);
  const D3DKMT_WAITFORVERTICALBLANKEVENT wait{adapter_, device_, 0};
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  std::thread first([&] { status = D3DKMTWaitForVerticalBlankEvent(&wait); });
  while (status == STATUS_PENDING) {  // one that comes before it waits is none for it
    Vsync();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  first.join();
  EXPECT_EQ(status, STATUS_SUCCESS);
  std::thread second([&] { status = D3DKMTWaitForVerticalBlankEvent(&wait); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it waits by then, or comes too late, which is the same to it
  EXPECT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  second.join();
  EXPECT_EQ(status, STATUS_DEVICE_REMOVED);
}

}  // namespace
}  // namespace tandem::kernel
