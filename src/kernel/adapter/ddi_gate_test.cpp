#include "kernel/adapter/ddi_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

class Violations final : public DdiGate::Owner {
 public:
  void ReportViolation(const char* rule, const std::string& seen) override { reports.push_back(std::string(rule) + ": " + seen); }
  void OnUnwatchedCall() override { ++unwatched; }
  std::vector<std::string> reports;
  int unwatched = 0;
};

class DdiGateTest : public ::testing::Test {
 protected:
  Violations violations_;
  DdiGate gate_{violations_};
};

TEST_F(DdiGateTest, Call_EachDdi_RunsAtItsIrqlAndReturnsToTheCallers) {
  for (unsigned value = 0; value < static_cast<unsigned>(Ddi::kCount); ++value) {
    const Ddi ddi = static_cast<Ddi>(value);
    const KIRQL inside = gate_.Call(ddi, [this, ddi] {
      EXPECT_EQ(DdiGate::Current().gate, &gate_);
      EXPECT_EQ(DdiGate::Current().ddi, ddi);
      return CurrentIrql();
    });
    EXPECT_EQ(inside, RuleOf(ddi).irql) << RuleOf(ddi).name;
    EXPECT_EQ(CurrentIrql(), PASSIVE_LEVEL);
    EXPECT_EQ(DdiGate::Current().gate, nullptr);
  }
}

// Spot checks of the table against the functions' public pages.
TEST_F(DdiGateTest, Rules_OfKnownDdis_AreThePublishedOnes) {
  EXPECT_EQ(RuleOf(Ddi::kSubmitCommand).irql, DISPATCH_LEVEL);
  EXPECT_EQ(RuleOf(Ddi::kSubmitCommand).sync_class, SyncClass::kScheduler);
  EXPECT_FALSE(RuleOf(Ddi::kPatch).may_fail);
  EXPECT_EQ(RuleOf(Ddi::kPatch).irql, PASSIVE_LEVEL);
  EXPECT_EQ(RuleOf(Ddi::kPresent).level, SyncLevel::kZero);
  EXPECT_EQ(RuleOf(Ddi::kStartDevice).level, SyncLevel::kThree);
  EXPECT_EQ(RuleOf(Ddi::kCommitVidPn).level, SyncLevel::kTwo);
  EXPECT_EQ(RuleOf(Ddi::kSetVidPnSourceAddress).irql, PASSIVE_LEVEL);
  EXPECT_EQ(RuleOf(Ddi::kSetVidPnSourceAddressFlip).irql, DIRQL);
  EXPECT_EQ(RuleOf(Ddi::kCreateDevice).level, SyncLevel::kZero);
  EXPECT_STREQ(RuleOf(Ddi::kCollectDbgInfo).name, "DxgkDdiCollectDbgInfo");
  EXPECT_STREQ(RuleOf(Ddi::kEscapeHardwareAccess).name, "DxgkDdiEscape");
}

TEST_F(DdiGateTest, Call_PassesArgumentsAndStatus) {
  const auto ddi = [](int a, const int* b) -> NTSTATUS { return a == 3 && *b == 4 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL; };
  const int four = 4;
  EXPECT_EQ(gate_.Call(Ddi::kPatch, ddi, 3, &four), STATUS_SUCCESS);
  EXPECT_TRUE(violations_.reports.empty());
}

TEST_F(DdiGateTest, Call_DdiThatMayNotFailFails_ReportsTheRule) {
  EXPECT_EQ(gate_.Call(Ddi::kPresent, []() -> NTSTATUS { return STATUS_NO_MEMORY; }), STATUS_NO_MEMORY);
  EXPECT_TRUE(violations_.reports.empty());
  for (const Ddi ddi : {Ddi::kPatch, Ddi::kSubmitCommand, Ddi::kPreemptCommand, Ddi::kSetVidPnSourceAddressFlip}) {
    EXPECT_EQ(gate_.Call(ddi, []() -> NTSTATUS { return STATUS_NO_MEMORY; }), STATUS_NO_MEMORY);
  }
  ASSERT_EQ(violations_.reports.size(), 4U);
  EXPECT_EQ(violations_.reports[1], "DdiMayNotFail: DxgkDdiSubmitCommand returned STATUS_NO_MEMORY (0xC0000017).");
}

TEST_F(DdiGateTest, Call_ReturnsAtAnotherIrql_ReportsTheRuleAndRestores) {
  gate_.Call(Ddi::kRender, [] { internal::current_irql = DISPATCH_LEVEL; });
  ASSERT_EQ(violations_.reports.size(), 1U);
  EXPECT_EQ(violations_.reports[0], "DdiReturnsAtSameIrql: DxgkDdiRender was called at IRQL 0 and returned at 2.");
  EXPECT_EQ(CurrentIrql(), PASSIVE_LEVEL);
}

TEST_F(DdiGateTest, LevelZeroAndOtherClasses_FourThreads_AreInsideTogether) {
  std::barrier<> inside(4);
  std::vector<std::thread> threads;
  for (const Ddi ddi : {Ddi::kPresent, Ddi::kPresent, Ddi::kPatch, Ddi::kQueryChildStatus}) {
    threads.emplace_back([this, &inside, ddi] { gate_.Call(ddi, [&inside] { inside.arrive_and_wait(); }); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DdiGateTest, Interrupt_InsideLevelThree_IsNotHeldBack) {
  gate_.Call(Ddi::kResetFromTimeout, [this] {
    std::thread device([this] {
      gate_.Call(Ddi::kInterruptRoutine, [] {});
      gate_.Call(Ddi::kDpcRoutine, [] {});
      gate_.Call(Ddi::kSetVidPnSourceAddressFlip, []() -> NTSTATUS { return STATUS_SUCCESS; });
    });
    device.join();
    return STATUS_SUCCESS;
  });
}

// Callers inside the driver, and callers that may be beside them.
class Inside {
 public:
  void Enter(const DdiRule& rule) {
    switch (rule.level) {
      case SyncLevel::kZero: ++shared_; break;
      case SyncLevel::kOne:
        ++shared_;
        EXPECT_EQ(scheduler_.fetch_add(1), 0);
        break;
      default: EXPECT_EQ(exclusive_.fetch_add(1), 0); EXPECT_EQ(shared_.load(), 0);
    }
    if (rule.level < SyncLevel::kTwo) {
      EXPECT_EQ(exclusive_.load(), 0);
    }
  }
  void Leave(const DdiRule& rule) {
    switch (rule.level) {
      case SyncLevel::kZero: --shared_; break;
      case SyncLevel::kOne:
        --scheduler_;
        --shared_;
        break;
      default: --exclusive_;
    }
  }

 private:
  std::atomic<int> shared_{0}, scheduler_{0}, exclusive_{0};
};

TEST_F(DdiGateTest, Levels_ManyThreads_ExcludeOneAnother) {
  constexpr Ddi kDdis[] = {
      Ddi::kPresent,          Ddi::kPatch,           Ddi::kSubmitCommand, Ddi::kRender, Ddi::kBuildPagingBuffer,
      Ddi::kControlInterrupt, Ddi::kResetFromTimeout};
  Inside inside;
  std::vector<std::thread> threads;
  for (unsigned first = 0; first < 4; ++first) {
    threads.emplace_back([this, &inside, &kDdis, first] {
      for (unsigned turn = 0; turn < 2000; ++turn) {
        const Ddi ddi = kDdis[(turn + first * 2) % std::size(kDdis)];
        gate_.Call(ddi, [&inside, ddi] {
          inside.Enter(RuleOf(ddi));
          inside.Leave(RuleOf(ddi));
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DdiGateTest, Pass_BetweenItsCalls_KeepsItsClassOut) {
  std::atomic<int> calls{0};
  std::atomic<bool> waits{false};
  std::thread other;
  {
    DdiGate::Pass pass(gate_, Ddi::kSubmitCommand);
    pass.Call(Ddi::kPatch, [&] {
      EXPECT_EQ(CurrentIrql(), PASSIVE_LEVEL);
      other = std::thread([&] {
        waits = true;
        gate_.Call(Ddi::kBuildPagingBuffer, [&] { EXPECT_EQ(calls.load(), 2); });
      });
      while (!waits) std::this_thread::yield();
      ++calls;
    });
    EXPECT_EQ(DdiGate::Current().gate, nullptr);
    EXPECT_EQ(CurrentIrql(), PASSIVE_LEVEL);
    pass.Call(Ddi::kSubmitCommand, [&] {
      EXPECT_EQ(CurrentIrql(), DISPATCH_LEVEL);
      EXPECT_EQ(DdiGate::Current().ddi, Ddi::kSubmitCommand);
      ++calls;
    });
  }
  other.join();
  EXPECT_FALSE(gate_.occupied());
}

TEST_F(DdiGateTest, Pass_GivenUpBetweenItsCalls_CallsNothing) {
  DdiGate::Pass pass(gate_, Ddi::kSubmitCommand);
  EXPECT_EQ(pass.Call(Ddi::kPatch, [] { return STATUS_SUCCESS; }), STATUS_SUCCESS);
  gate_.GiveUp();
  bool called = false;
  EXPECT_EQ(pass.Call(Ddi::kSubmitCommand,
                      [&] {
                        called = true;
                        return STATUS_SUCCESS;
                      }),
            STATUS_DEVICE_REMOVED);
  EXPECT_FALSE(called);
}

TEST_F(DdiGateTest, InterruptScope_ManyThreads_ExcludesTheInterruptRoutine) {
  int unguarded = 0;  // the thread sanitizer looks on
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([this, &unguarded, thread] {
      for (int turn = 0; turn < 1000; ++turn) {
        if (thread == 0) {
          const DdiGate::InterruptScope scope(gate_);
          EXPECT_EQ(CurrentIrql(), DIRQL);
          ++unguarded;
        } else {
          gate_.Call(thread == 1 ? Ddi::kInterruptRoutine : Ddi::kSetVidPnSourceAddressFlip, [&unguarded] { ++unguarded; });
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unguarded, 3000);
}

TEST_F(DdiGateTest, Look_SeesWhatStaysInside_AndNotWhatComesBack) {
  EXPECT_FALSE(gate_.Look(1).any);
  gate_.Call(Ddi::kPresent, [this] {
    EXPECT_EQ(violations_.unwatched, 1);
    EXPECT_FALSE(gate_.Look(2).overdue.has_value());
    const DdiGate::Found found = gate_.Look(2);
    EXPECT_TRUE(found.any);
    EXPECT_EQ(found.overdue, Ddi::kPresent);
  });
  gate_.Call(Ddi::kPresent, [this] { EXPECT_FALSE(gate_.Look(2).overdue.has_value()) << "Another call, in the same slot."; });
  EXPECT_EQ(violations_.unwatched, 1) << "The last look found a call, so there is another look.";
  EXPECT_FALSE(gate_.Look(2).any);
  gate_.Call(Ddi::kPresent, [] {});
  EXPECT_EQ(violations_.unwatched, 2);
}

TEST_F(DdiGateTest, Look_CallsOfOnePass_CountsEachFromItsBegin) {
  DdiGate::Pass pass(gate_, Ddi::kSubmitCommand);
  pass.Call(Ddi::kPatch, [this] { EXPECT_FALSE(gate_.Look(2).overdue.has_value()); });
  pass.Call(Ddi::kSubmitCommand, [this] {
    EXPECT_FALSE(gate_.Look(2).overdue.has_value());
    EXPECT_EQ(gate_.Look(2).overdue, Ddi::kSubmitCommand);
  });
  EXPECT_EQ(violations_.unwatched, 1);
}

TEST_F(DdiGateTest, GiveUp_WaitersAtEveryLevelAreLetGo_AndNobodyIsLetIn) {
  std::atomic<bool> inside{false}, leave{false};
  std::thread stuck([&] {
    gate_.Call(Ddi::kSubmitCommand, [&] {
      inside = true;
      inside.notify_all();
      leave.wait(false);
    });
  });
  inside.wait(false);
  const auto answer = [] { return STATUS_SUCCESS; };
  std::vector<std::thread> waiters;
  std::atomic<int> refused{0};
  for (const Ddi ddi : {Ddi::kSubmitCommand, Ddi::kCommitVidPn, Ddi::kCommitVidPn, Ddi::kResetFromTimeout}) {
    waiters.emplace_back([&, ddi] { refused += gate_.Call(ddi, answer) == STATUS_DEVICE_REMOVED ? 1 : 0; });
  }
  gate_.GiveUp();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(refused, 4);
  EXPECT_TRUE(gate_.occupied());
  for (const Ddi ddi : {Ddi::kPresent, Ddi::kSetVidPnSourceAddressFlip, Ddi::kInterruptRoutine})
    EXPECT_EQ(gate_.Call(ddi, answer), STATUS_DEVICE_REMOVED) << RuleOf(ddi).name;
  EXPECT_FALSE(DdiGate::InterruptScope(gate_).entered() && gate_.given_up());
  leave = true;
  leave.notify_all();
  stuck.join();
  EXPECT_FALSE(gate_.occupied());
  EXPECT_TRUE(violations_.reports.empty());
}

}  // namespace
}  // namespace tandem::kernel
