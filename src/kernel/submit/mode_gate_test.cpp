// Commands that are built for a mode, and changes of that mode.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "kernel/submit/mode_gate.h"
#include "kernel/testing/started_miniport.h"

namespace tandem::kernel {
namespace {

class ModeGateTest : public StartedMiniport {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(Start());
    monitor_.emplace(*adapter_);
    gate_.emplace(*monitor_);
  }

  std::optional<WorkMonitor> monitor_;
  std::optional<ModeGate> gate_;
};

TEST_F(ModeGateTest, BeginBuild_WhileTheModeChanges_WaitsForTheEndOfTheChange) {
  ASSERT_EQ(gate_->BeginChange(0), STATUS_SUCCESS);
  ASSERT_EQ(gate_->BeginBuild(0b10), STATUS_SUCCESS) << "Source 1 keeps its mode.";
  std::atomic<bool> built{false};
  std::thread builder([&] {
    EXPECT_EQ(gate_->BeginBuild(0b01), STATUS_SUCCESS);
    built = true;
  });
  clock_.AwaitWaiterWithin(kModeTimeoutNs);
  EXPECT_FALSE(built);
  gate_->EndChange(0);
  builder.join();
  EXPECT_TRUE(built);
}

TEST_F(ModeGateTest, BeginChange_WithACommandThatNeverRuns_GivesUp_AndLetsOthersBuild) {
  Packet packet;
  ASSERT_EQ(gate_->BeginBuild(0b01), STATUS_SUCCESS);
  gate_->BuildFor(packet, 0b01);
  gate_->EndBuild(0b01);
  std::optional<NTSTATUS> changed;
  std::thread changer([&] { changed = gate_->BeginChange(0); });
  clock_.AwaitWaiterWithin(kModeTimeoutNs);
  clock_.Advance(kModeTimeoutNs);
  changer.join();
  EXPECT_EQ(changed, STATUS_DEVICE_NOT_READY);
  ASSERT_EQ(gate_->BeginBuild(0b01), STATUS_SUCCESS);
  gate_->EndBuild(0b01);
  {
    const WorkLock lock(*monitor_);
    gate_->EndPacket(packet.built_for);
  }
  EXPECT_EQ(gate_->BeginChange(0), STATUS_SUCCESS);
}

TEST_F(ModeGateTest, BeginBuild_WhenTheAdapterGoes_ReturnsDuringAChange) {
  ASSERT_EQ(gate_->BeginChange(0), STATUS_SUCCESS);
  monitor_->MarkLost();
  EXPECT_EQ(gate_->BeginBuild(0b01), STATUS_DEVICE_REMOVED);
}

}  // namespace
}  // namespace tandem::kernel
