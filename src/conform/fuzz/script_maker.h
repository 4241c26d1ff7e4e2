// Random call sequences, and mutations of those that saw something new.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "conform/fuzz/call_script.h"

namespace tandem::conform {

// Deterministic for a seed and the scripts that were kept. Threads: one.
class ScriptMaker {
 public:
  // `side` is the driver's: display-only or full.
  ScriptMaker(ScriptDevice device, CallSide side, std::uint64_t seed) : device_(device), side_(side), random_(seed) {}

  // The next script, at most kMostMadeSteps long.
  [[nodiscard]] CallScript Next();
  // Scripts to mutate from now on.
  void Keep(CallScript script) { kept_.push_back(std::move(script)); }
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }

 private:
  [[nodiscard]] CallScript Fresh();
  [[nodiscard]] CallScript Mutated();
  void MutateOnce(std::vector<CallStep>& steps);
  [[nodiscard]] CallStep RandomStep();
  void MakeSense(CallStep& step);
  [[nodiscard]] std::uint64_t RandomNumber(FieldKind kind);
  [[nodiscard]] std::vector<std::byte> RandomData();
  // 0 to `count` - 1.
  [[nodiscard]] std::uint64_t Below(std::uint64_t count) { return random_() % count; }
  [[nodiscard]] bool OneIn(std::uint64_t count) { return Below(count) == 0; }
  template <std::size_t count>
  [[nodiscard]] std::uint64_t OneOf(const std::array<std::uint64_t, count>& values) {
    return values[Below(count)];
  }

  const ScriptDevice device_;
  const CallSide side_;
  std::mt19937_64 random_;
  std::vector<CallScript> kept_;
};

inline constexpr std::size_t kMostMadeSteps = 128;

}  // namespace tandem::conform
