// The soft adapter under the kernel: long buffers are preempted and finished; hung buffers cost their device.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "base/testing/fake_clock.h"
#include "conform/user_device.h"
#include "drivers/processor/user_commands.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "system/conformance_drivers.h"

namespace tandem {
namespace {

constexpr UINT kRenderNode = 0;

class Program : public conform::UserDevice {
 public:
  explicit Program(const conform::StartedAdapter& adapter) : UserDevice(system::SoftUnderTest(), adapter, kRenderNode) {}

  NTSTATUS Delay(std::uint64_t duration_ns, bool hangs) {
    processor::UserDelay delay;
    delay.duration_ns = duration_ns;
    delay.hangs = hangs ? 1 : 0;
    return Render(std::as_bytes(std::span(&delay, 1)), {}, {});
  }
};

class Recovery : public ::testing::Test {
 protected:
  void SetUp() override {
    tdr_.ddi_delay_ns = tdr_.limit_time_ns = 1'000'000'000'000'000;  // calls return, and timeouts count, at any clock speed
    auto kernel = kernel::Kernel::Create(clock_, tdr_);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    kernel_ = *std::move(kernel);
    auto driver = kernel_->LoadDriver(&soft::SoftDriverEntry, "soft");
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    auto luid = kernel_->AddAdapter(**driver, &description_, "soft0");
    ASSERT_TRUE(luid.ok()) << luid.error().message;
    luid_ = *luid;
  }
  [[nodiscard]] conform::StartedAdapter adapter() const { return {kernel_.get(), luid_}; }
  // Advances the clock until `done`, each time after both watches have handled their due work. The engine itself follows the
  // machine's clock.
  template <class Condition>
  void LetTimePassUntil(Condition done) {
    for (int turn = 0; turn < 2000; ++turn) {
      clock_.AwaitWaiters(2);
      if (done()) return;
      clock_.Advance(tdr_.delay_ns / 4);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a watch that was notified may still be on its way
    }
    ADD_FAILURE() << "It did not come.";
  }

  soft::DeviceDescription description_{3, 1 << 20, 1 << 20, nullptr};
  FakeClock clock_{1};
  kernel::TdrSettings tdr_;
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID luid_{};
};

TEST_F(Recovery, HungBuffer_CostsItsDeviceAndNobodyElse) {
  Program hung(adapter()), other(adapter());
  ASSERT_EQ(hung.Delay(processor::kMaxDelayNs, true), STATUS_SUCCESS);
  const UINT64 hung_done = hung.QueueSignal();
  ASSERT_EQ(other.Delay(0, false), STATUS_SUCCESS);
  const UINT64 other_done = other.QueueSignal();
  LetTimePassUntil([&] { return hung.State() != D3DKMT_DEVICEEXECUTION_ACTIVE; });
  EXPECT_EQ(hung.State(), D3DKMT_DEVICEEXECUTION_HUNG);
  EXPECT_EQ(hung.Wait(hung_done), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(other.Wait(other_done), STATUS_SUCCESS);  // waited behind the hung buffer
  EXPECT_EQ(other.State(), D3DKMT_DEVICEEXECUTION_ACTIVE);
  EXPECT_EQ(hung.Delay(0, false), STATUS_DEVICE_HUNG);
  Program again(adapter());
  ASSERT_EQ(again.Delay(0, false), STATUS_SUCCESS);
  const UINT64 again_done = again.QueueSignal();
  EXPECT_EQ(again.Wait(again_done), STATUS_SUCCESS);
  const auto reports = kernel_->Timeouts(luid_);
  ASSERT_TRUE(reports.ok());
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_STREQ(reports->front().name, "VIDEO_ENGINE_TIMEOUT_DETECTED");
  const std::string text(reinterpret_cast<const char*>(reports->front().debug_info.data()), reports->front().debug_info.size());
  EXPECT_NE(text.find("node 0: completed fence 0, busy"), std::string::npos) << text;
}

TEST_F(Recovery, LongBuffer_IsPreemptedAgainAndAgain_AndFinishes) {
  Program program(adapter());
  ASSERT_EQ(program.Delay(100'000'000, false), STATUS_SUCCESS);
  const UINT64 program_done = program.QueueSignal();
  const auto done = [&] { return program.fence_value() == program_done; };
  while (!done()) {
    const std::uint64_t submissions = kernel_->Counters(luid_)->submissions;
    clock_.Advance(tdr_.delay_ns);
    // The engine has as much time as it needs to answer; then it runs for a while.
    while (!done() && kernel_->Counters(luid_)->submissions == submissions) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(program.State(), D3DKMT_DEVICEEXECUTION_ACTIVE);
  EXPECT_GT(kernel_->Counters(luid_)->submissions, 1u);
  EXPECT_EQ(kernel_->Counters(luid_)->resets, 0u);
}

TEST_F(Recovery, HangsWithoutEnd_StopTheAdapter) {
  for (std::uint32_t turn = 0; turn <= tdr_.limit_count; ++turn) {
    Program hung(adapter());
    ASSERT_EQ(hung.Delay(processor::kMaxDelayNs, true), STATUS_SUCCESS);
    LetTimePassUntil([&] { return hung.State() != D3DKMT_DEVICEEXECUTION_ACTIVE; });
    EXPECT_EQ(hung.State(), turn < tdr_.limit_count ? D3DKMT_DEVICEEXECUTION_HUNG : D3DKMT_DEVICEEXECUTION_STOPPED);
  }
  EXPECT_NE(kernel_->Violation(luid_)->find("VIDEO_TDR_FAILURE"), std::string::npos) << *kernel_->Violation(luid_);
}

}  // namespace
}  // namespace tandem
