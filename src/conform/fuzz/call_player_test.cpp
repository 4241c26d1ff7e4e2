// Notes that a run takes of its steps.
#include "conform/fuzz/call_player.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::conform {
namespace {

// Takes the edge of a step's first number, and breaks a rule at edge 9.
class EdgePlayer final : public CallPlayer {
 public:
  NTSTATUS Play(const CallStep& step) override {
    edges[step.numbers[0]] = 1;
    return STATUS_SUCCESS;
  }
  std::vector<std::string> Broken() override {
    return edges[9] != 0 ? std::vector<std::string>{"Rule: broken."} : std::vector<std::string>();
  }
  std::vector<std::string> End() override { return {}; }
  std::array<std::uint8_t, 11> edges{};
};

CallScript ThatTakes(const std::vector<std::uint64_t>& edges) {
  CallScript script;
  for (const std::uint64_t edge : edges) script.steps.push_back({Call::kPreempt, {edge}, {}});
  return script;
}

std::bitset<64> FirstNews(const RunNotes& notes) { return notes.news[0]; }

TEST(CallPlayer, EdgeThatNoStepTook_IsNewsOfItsStep) {
  RunNotes notes;
  EdgePlayer player;
  EXPECT_TRUE(Play(ThatTakes({2, 2, 10, 2, 3}), player, player.edges, notes).empty());
  EXPECT_EQ(FirstNews(notes), 0b10101);
  EXPECT_EQ(notes.steps, 5U);
  EXPECT_EQ(notes.edges, player.edges.size());
  notes.news = {};
  notes.steps = 0;
  EXPECT_TRUE(Play(ThatTakes({10, 3, 4}), player, player.edges, notes).empty());
  EXPECT_EQ(FirstNews(notes), 0b100) << "An earlier run took the others.";
}

TEST(CallPlayer, BrokenRule_EndsTheRunAtItsStep) {
  RunNotes notes;
  EdgePlayer player;
  std::array<std::uint8_t, 1> others{};
  EXPECT_EQ(Play(ThatTakes({1, 9, 2}), player, others, notes), std::vector<std::string>{"Rule: broken."});
  EXPECT_EQ(notes.steps, 2U);
}

}  // namespace
}  // namespace tandem::conform
