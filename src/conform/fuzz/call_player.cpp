#include "conform/fuzz/call_player.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

#include "kernel/ddi_counts.h"

namespace tandem::conform {
namespace {

// The device's doing, or none; no call of user mode.
bool IsEvent(Call call) { return call == Call::kInterrupt || call == Call::kRegister || call == Call::kPause; }

NTSTATUS PlayOne(const CallStep& step, CallPlayer& player) {
  try {
    return player.Play(step);
  } catch (const std::exception&) {  // the rig refuses what makes no sense
    return STATUS_INVALID_PARAMETER;
  }
}

// True if it was not there.
bool AddBit(std::size_t number, std::span<std::uint64_t> bits) {
  const std::uint64_t bit = std::uint64_t{1} << number % 64;
  const bool added = (bits[number / 64] & bit) == 0;
  bits[number / 64] |= bit;
  return added;
}

bool AddAnswers(const std::array<std::uint64_t, 64>& more, std::array<std::uint64_t, 64>& answers) {
  bool grew = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    grew = grew || (more[i] & ~answers[i]) != 0;
    answers[i] |= more[i];
  }
  return grew;
}

// Takes the edges back, so that the next step finds its own. The driver's threads may set others meanwhile.
bool AddEdges(std::span<std::uint8_t> edges, std::span<std::uint64_t> taken) {
  bool grew = false;
  const auto add = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (std::exchange(edges[i], std::uint8_t{0}) != 0 && AddBit(i, taken)) grew = true;
    }
  };
  constexpr std::size_t kTogether = sizeof(std::uint64_t);
  const std::size_t last = edges.size() - edges.size() % kTogether;
  const std::uint8_t* const bytes = edges.data();
  for (std::size_t begin = 0; begin < last; begin += kTogether) {
    std::uint64_t any = 0;
    std::memcpy(&any, bytes + begin, kTogether);
    if (any != 0) add(begin, begin + kTogether);
  }
  add(last, edges.size());
  return grew;
}

}  // namespace

std::vector<std::string> Play(const CallScript& script, CallPlayer& player, std::span<std::uint8_t> edges, RunNotes& notes) {
  edges = edges.first(std::min(edges.size(), kMostEdges));
  notes.edges = static_cast<std::uint32_t>(edges.size());
  for (const CallStep& step : script.steps) {
    const std::uint32_t number = notes.steps.fetch_add(1);
    const bool event = IsEvent(step.call);
    if (!event) notes.calls.fetch_add(1);
    const std::uint64_t before = kernel::DdiCallsSoFar();
    static_cast<void>(PlayOne(step, player));
    const kernel::DdiCounts counts = kernel::DdisSoFar();
    if (!event && counts.calls != before) notes.reached.fetch_add(1);
    const bool answers = AddAnswers(counts.seen, notes.seen.answers);
    if (AddEdges(edges, notes.seen.edges) || answers) AddBit(number, notes.news);
    if (auto broken = player.Broken(); !broken.empty()) return broken;
  }
  return player.Broken();
}

}  // namespace tandem::conform
