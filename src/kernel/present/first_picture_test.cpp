// The first flip of a source sets its mode, and waits for the picture that the mode shows; by a clock of the test's.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/testing/fake_clock.h"
#include "base/thread.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class FirstPicture : public KernelFixture {
 protected:
  static constexpr std::int64_t kLimitNs = 5'000'000'000;
  static constexpr std::int64_t kStartNs = 1'000'000'000;

  // Surfaces that the display was told to show, with their times.
  struct Programmed {
    bool mode_change;
    bool drawn;
    std::int64_t after_ns;
    bool operator==(const Programmed&) const = default;
  };

  FirstPicture() {
    clock_ = &time_;
    tdr_.delay_ns = tdr_.ddi_delay_ns = 1000 * kLimitNs;  // the watches look at nothing meanwhile
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!args->Flags.Paging) drawn_ = true;
      return STATUS_SUCCESS;
    };
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      programmed_.push_back({args->Flags.ModeChange != 0, drawn_, time_.NowNs() - kStartNs});
      changed_.notify_all();
      return STATUS_SUCCESS;
    };
  }
  ~FirstPicture() override { kernel_.reset(); }  // the last paging buffers come while the adapter goes

  // A picture is drawn when the fence has the value 1, and flipped to by a thread that waits for it.
  void FlipToWhatIsDrawnLater() {
    Open();
    ASSERT_EQ(CreateAllocation(picture_), STATUS_SUCCESS);
    ASSERT_EQ(HoldContext(fence_, 1), STATUS_SUCCESS);
    D3DKMT_PRESENT draw = Copy(picture_, picture_);
    ASSERT_EQ(D3DKMTPresent(&draw), STATUS_SUCCESS);
    auto program = Thread::Start("tandem-test", [this] {
      D3DKMT_PRESENT flip{};
      flip.hContext = context_;
      flip.hSource = picture_;
      flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
      flip.Flags.Flip = 1;
      EXPECT_EQ(D3DKMTPresent(&flip), STATUS_SUCCESS);
    });
    ASSERT_TRUE(program.ok());
    program_ = *std::move(program);
    time_.AwaitWaiterWithin(kLimitNs);
  }
  std::vector<Programmed> AwaitProgrammed(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return programmed_.size() >= count; });
    return programmed_;
  }

  FakeClock time_{kStartNs};
  D3DKMT_HANDLE picture_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool drawn_ = false;
  std::vector<Programmed> programmed_;
  Thread program_;
};

TEST_F(FirstPicture, DrawnJustBeforeTheLimit_TheModeShowsIt) {
  FlipToWhatIsDrawnLater();
  time_.Advance(kLimitNs - 1);
  // A thread that gives up decides it under the lock that the signal takes.
  ASSERT_EQ(SignalFromCpu(fence_, 1), STATUS_SUCCESS);
  program_.Join();
  EXPECT_EQ(AwaitProgrammed(1), (std::vector<Programmed>{{true, true, kLimitNs - 1}}));
}

TEST_F(FirstPicture, NotDrawnWithinTheLimit_TheModeDoesWithoutIt_AndTheFlipFollows) {
  FlipToWhatIsDrawnLater();
  time_.Advance(kLimitNs);
  EXPECT_EQ(AwaitProgrammed(1), (std::vector<Programmed>{{true, false, kLimitNs}}));
  ASSERT_EQ(SignalFromCpu(fence_, 1), STATUS_SUCCESS);
  program_.Join();
  EXPECT_EQ(AwaitProgrammed(2), (std::vector<Programmed>{{true, false, kLimitNs}, {false, true, kLimitNs}}));
}

}  // namespace
}  // namespace tandem::kernel
