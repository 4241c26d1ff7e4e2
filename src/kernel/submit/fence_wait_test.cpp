#include "kernel/submit/fence_wait.h"

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/ended_thread.h"
#include "base/testing/sanitizer.h"

namespace tandem::kernel {
namespace {

NTSTATUS WaitForAll(const std::vector<std::shared_ptr<Fence>>& fences, std::uint64_t value) {
  const std::vector<std::uint64_t> values(fences.size(), value);
  return WaitForFences(fences, values, WaitFor::kAll);
}

std::vector<std::shared_ptr<Fence>> Fences(std::size_t count) {
  std::vector<std::shared_ptr<Fence>> fences;
  for (std::size_t i = 0; i < count; ++i) fences.push_back(std::make_shared<Fence>(0));
  return fences;
}

// Counts of fences with and without records of their own.
class FenceWaitOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FenceWaitOf, SignalledOneByOne_EndsWithTheLast) {
  const auto fences = Fences(GetParam());
  for (std::uint64_t value = 1; value <= 3; ++value) {
    std::thread signaller([&] {
      for (const auto& fence : fences) fence->Signal(value);
    });
    EXPECT_EQ(WaitForAll(fences, value), STATUS_SUCCESS);
    signaller.join();
  }
}

// Records of waits are reused while a signal that came second is still on its way to one.
TEST(FenceWait, TwoThreadsSignalAtOnce_EndsNoOtherWait) {
  constexpr std::uint64_t kRounds = 3000;
  const auto fences = Fences(2);
  const auto go = std::make_shared<Fence>(0);
  std::vector<std::thread> signallers;
  for (const auto& fence : fences) {
    signallers.emplace_back([&go, fence] {
      for (std::uint64_t value = 1; value <= kRounds; ++value) {
        EXPECT_EQ(WaitForAll({go}, value), STATUS_SUCCESS);
        EXPECT_GE(go->value(), value);
        fence->Signal(value);
      }
    });
  }
  for (std::uint64_t value = 1; value <= kRounds; ++value) {
    go->Signal(value);
    const std::vector<std::uint64_t> values(2, value);
    EXPECT_EQ(WaitForFences(fences, values, WaitFor::kAny), STATUS_SUCCESS);
    EXPECT_TRUE(fences[0]->value() >= value || fences[1]->value() >= value);
    EXPECT_EQ(WaitForAll(fences, value), STATUS_SUCCESS);
    for (const auto& fence : fences) EXPECT_EQ(fence->value(), value);
  }
  for (std::thread& signaller : signallers) signaller.join();
}

// The record is used again after a wait that ended by a loss.
TEST_P(FenceWaitOf, WaitAfterALoss_Succeeds) {
  const auto lost = Fences(GetParam());
  std::thread loser([&] { lost.back()->MarkLost(); });
  EXPECT_EQ(WaitForAll(lost, 1), STATUS_DEVICE_REMOVED);
  loser.join();
  const auto fences = Fences(GetParam());
  for (const auto& fence : fences) fence->Signal(1);
  EXPECT_EQ(WaitForAll(fences, 1), STATUS_SUCCESS);
}

TEST_P(FenceWaitOf, WaitingThreadEnded_SignalsAndOtherWaitsGoOn) {
  if (kUnderSanitizer) GTEST_SKIP() << "The sanitizer reports the end of a thread on another stack.";
  const auto fences = Fences(GetParam());
  {
    EndedThread ended([&] { static_cast<void>(WaitForAll(fences, 1)); });
    ended.AwaitSleep();
  }
  std::thread survivor([&] { EXPECT_EQ(WaitForAll(fences, 2), STATUS_SUCCESS); });
  for (const auto& fence : fences) fence->Signal(1);
  for (const auto& fence : fences) fence->Signal(2);
  survivor.join();
}

INSTANTIATE_TEST_SUITE_P(Counts, FenceWaitOf, ::testing::Values(1, 3, D3DDDI_MAX_OBJECT_WAITED_ON + 8));

}  // namespace
}  // namespace tandem::kernel
