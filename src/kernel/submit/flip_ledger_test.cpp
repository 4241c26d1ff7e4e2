// Places, surfaces and modes of flips, with a host that only records what it is given.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "kernel/submit/flip_ledger.h"
#include "kernel/testing/started_miniport.h"

namespace tandem::kernel {
namespace {

class FlipLedgerTest : public StartedMiniport, public FlipLedger::Host, public MemoryWaiters::Owner {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(Start());
    monitor_.emplace(*adapter_);
    memory_.emplace(*monitor_, *this);
    ledger_.emplace(*monitor_, *memory_);
    ledger_->SetHost(this);
    context_.device = &device_;
    context_.driver_context = this;
    for (Allocation* surface : {&first_, &second_}) surface->residency.Admit(1, 0);
  }

  NTSTATUS QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) override {
    EXPECT_EQ(driver_context, context_.driver_context);
    queued_.push_back({flip.allocation, cookie});
    return answer_;
  }
  void ForgetContext(HANDLE driver_context) override { forgotten_ = driver_context; }
  std::span<ContextQueue* const> Contexts() override { return {}; }
  void OnAnswered(ContextQueue& /*context*/) override {}
  void OnReturned() override {}

  // The flip's packets are complete, so it is issued at once.
  void Flip(Allocation& surface) {
    ASSERT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kRefuse), STATUS_SUCCESS);
    PendingFlip flip;
    flip.allocation = &surface;
    ASSERT_TRUE(ledger_->Begin(flip));
    const WorkLock lock(*monitor_);
    context_.flips.push({0, 0, nullptr, 0, flip});
    ledger_->Issue(context_);
  }
  void Retire(std::uint64_t cookie) {
    ledger_->Retire(0, cookie);
    const WorkLock lock(*monitor_);
    ledger_->Collect();
  }

  struct Queued {
    Allocation* allocation;
    std::uint64_t cookie;
  };
  DeviceCondition device_;
  ContextQueue context_;
  Allocation first_, second_;
  NTSTATUS answer_ = STATUS_SUCCESS;
  std::vector<Queued> queued_;
  HANDLE forgotten_ = nullptr;
  std::optional<WorkMonitor> monitor_;
  std::optional<MemoryWaiters> memory_;
  std::optional<FlipLedger> ledger_;
};

TEST_F(FlipLedgerTest, Surface_OnTheScreen_IsInUseUntilAnotherOneReplacesIt) {
  ASSERT_NO_FATAL_FAILURE(Flip(first_));
  Retire(queued_.back().cookie);
  EXPECT_EQ(first_.uses, 1u);
  ASSERT_NO_FATAL_FAILURE(Flip(second_));
  EXPECT_EQ(ledger_->SourcesOf(first_), 1u);
  EXPECT_EQ(ledger_->SourcesOf(second_), 1u);
  const std::uint64_t releases = memory_->releases();
  Retire(queued_.back().cookie);
  EXPECT_EQ(first_.uses, 0u);
  EXPECT_FALSE(first_.residency.pinned());
  EXPECT_EQ(second_.uses, 1u);
  EXPECT_EQ(ledger_->SourcesOf(first_), 0u);
  EXPECT_EQ(memory_->releases(), releases + 1);
  EXPECT_EQ(context_.flips_retired, 2u);
}

TEST_F(FlipLedgerTest, Flip_ThatTheHostRefuses_CountsAsRetired) {
  answer_ = STATUS_DEVICE_REMOVED;
  ASSERT_NO_FATAL_FAILURE(Flip(first_));
  EXPECT_EQ(context_.flips_retired, 1u);
}

TEST_F(FlipLedgerTest, Flip_BeforeItsPackets_IsNotIssued) {
  ASSERT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kRefuse), STATUS_SUCCESS);
  PendingFlip flip;
  flip.allocation = &first_;
  ASSERT_TRUE(ledger_->Begin(flip));
  const WorkLock lock(*monitor_);
  context_.flips.push({1, 0, nullptr, 0, flip});
  ledger_->Issue(context_);
  EXPECT_TRUE(queued_.empty());
  context_.packets_complete = 1;
  ledger_->Issue(context_);
  EXPECT_EQ(queued_.size(), 1u);
}

TEST_F(FlipLedgerTest, Reserve_WithAFullQueue_RefusesUntilAPlaceIsFree) {
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i)
    ASSERT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kRefuse), STATUS_SUCCESS);
  EXPECT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kRefuse), STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(ledger_->Reserve(context_, 1, FlipLedger::FullQueue::kRefuse), STATUS_SUCCESS);
  ledger_->Release(0);
  EXPECT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kRefuse), STATUS_SUCCESS);
  // A lost device waits for no place.
  device_.MarkLost(DeviceLoss::kHung);
  EXPECT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kWait), device_.status());
  EXPECT_EQ(ledger_->Reserve(context_, kMaxFlipSources, FlipLedger::FullQueue::kWait), STATUS_INVALID_PARAMETER);
}

TEST_F(FlipLedgerTest, Planes_OfWhichOneIsNotResident_AreGivenBackWithTheirPlace) {
  Allocation absent;
  PlaneSet planes;
  planes.count = 2;
  planes.allocations = {&first_, &absent};
  planes.taken = true;
  PendingFlip flip;
  flip.allocation = &first_;
  flip.planes = &planes;
  for (std::uint32_t i = 0; i < 2 * kMaxPendingFlips; ++i) {
    ASSERT_EQ(ledger_->Reserve(context_, 0, FlipLedger::FullQueue::kRefuse), STATUS_SUCCESS);
    EXPECT_FALSE(ledger_->Begin(flip));
  }
  EXPECT_FALSE(planes.taken);
  EXPECT_FALSE(first_.residency.pinned());
  EXPECT_EQ(first_.uses, 0u);
}

TEST_F(FlipLedgerTest, Mode_IsIssuedOnceAtATime_AndTakesNoPlace) {
  std::uint64_t cookie = 0;
  ASSERT_EQ(ledger_->IssueMode(0, first_, cookie), STATUS_SUCCESS);
  EXPECT_EQ(ledger_->IssueMode(0, second_, cookie), STATUS_DEVICE_NOT_READY);
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_NO_FATAL_FAILURE(Flip(second_));
  ledger_->CancelMode(0);
  EXPECT_EQ(first_.uses, 0u);
  EXPECT_EQ(ledger_->AwaitMode(0), STATUS_SUCCESS);
}

TEST_F(FlipLedgerTest, Drop_EndsFlipsAndTheSurfaceOnTheScreen) {
  ASSERT_NO_FATAL_FAILURE(Flip(first_));
  Retire(queued_.back().cookie);
  ASSERT_NO_FATAL_FAILURE(Flip(second_));
  const WorkLock lock(*monitor_);
  ledger_->Drop(0);
  EXPECT_EQ(first_.uses, 0u);
  EXPECT_EQ(second_.uses, 0u);
  EXPECT_EQ(context_.flips_retired, 2u);
}

TEST_F(FlipLedgerTest, Context_ThatGoes_IsNamedByNoFlip) {
  ASSERT_NO_FATAL_FAILURE(Flip(first_));
  {
    const WorkLock lock(*monitor_);
    ledger_->ForgetContext(context_);
  }
  EXPECT_EQ(forgotten_, context_.driver_context);
  Retire(queued_.back().cookie);
  EXPECT_EQ(context_.flips_retired, 0u);
}

}  // namespace
}  // namespace tandem::kernel
