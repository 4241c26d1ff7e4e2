// D3DKMT_DEVICESTATE_PRESENT: which present is on the screen, and since when.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class PresentStatistics : public KernelFixture {
 protected:
  PresentStatistics() {
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      address_ = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
      return STATUS_SUCCESS;
    };
  }
  // The last paging buffers come while the adapter goes, and the hooks look at this object.
  ~PresentStatistics() override { kernel_.reset(); }

  NTSTATUS Flip(std::size_t buffer, UINT count) {
    D3DKMT_PRESENT present{};
    present.hContext = context_;
    present.hSource = buffers_[buffer];
    present.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    present.Flags.Flip = present.Flags.PresentCountValid = 1;
    present.PresentCount = count;
    return D3DKMTPresent(&present);
  }
  void BlankUntil(UINT64 value) {
    for (int i = 0; i < 20'000 && __atomic_load_n(fence_value_, __ATOMIC_ACQUIRE) < value; ++i) {
      miniport_.Vsync(0, address_);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  NTSTATUS Ask(UINT source, D3DKMT_PRESENT_STATS& stats) const {
    D3DKMT_GETDEVICESTATE state{};
    state.hDevice = device_;
    state.StateType = D3DKMT_DEVICESTATE_PRESENT;
    state.PresentState.VidPnSourceId = source;
    const NTSTATUS status = D3DKMTGetDeviceState(&state);
    stats = state.PresentState.PresentStats;
    return status;
  }

  std::array<D3DKMT_HANDLE, 2> buffers_{};
  std::atomic<std::uint64_t> address_{0};
};

TEST_F(PresentStatistics, FlipOnTheScreen_NamesItsPresentAndItsVerticalBlank) {
  Open();
  for (D3DKMT_HANDLE& buffer : buffers_) ASSERT_EQ(CreateAllocation(buffer), STATUS_SUCCESS);
  D3DKMT_PRESENT_STATS stats{};
  ASSERT_EQ(Ask(0, stats), STATUS_SUCCESS);
  EXPECT_EQ(stats.PresentCount, 0u);
  UINT last_refresh = 0;
  for (const UINT count : {7u, 9u}) {
    const std::int64_t flipped_ns = MonotonicClock().NowNs();
    ASSERT_EQ(Flip(count == 7 ? 0 : 1, count), STATUS_SUCCESS);
    ASSERT_EQ(Signal(count), STATUS_SUCCESS);
    ASSERT_EQ(Ask(0, stats), STATUS_SUCCESS);
    EXPECT_NE(stats.PresentCount, count) << "It is not on the screen.";
    BlankUntil(count);
    ASSERT_GE(*fence_value_, count);
    ASSERT_EQ(Ask(0, stats), STATUS_SUCCESS);
    EXPECT_EQ(stats.PresentCount, count);
    EXPECT_GE(stats.SyncQPCTime.QuadPart, flipped_ns);
    EXPECT_LE(stats.SyncQPCTime.QuadPart, MonotonicClock().NowNs());
    EXPECT_EQ(stats.SyncRefreshCount, stats.PresentRefreshCount);
    EXPECT_GT(stats.SyncRefreshCount, last_refresh);
    last_refresh = stats.SyncRefreshCount;
  }
}

TEST_F(PresentStatistics, SourceThatDoesNotExist_IsRefused) {
  Open();
  D3DKMT_PRESENT_STATS stats{};
  EXPECT_EQ(Ask(4, stats), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
