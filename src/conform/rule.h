// A rule of the driver contract that can be run: one sentence, where it stands, and a body that tries to see it broken.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "kernel/kernel.h"

namespace tandem::conform {

class Rig;

// Seed of the rules' random work, unless another is asked for.
inline constexpr std::uint32_t kFirstSeed = 1;

// What a rule needs to be tried at all.
enum class Needs {
  kRender,       // copies on the render adapter
  kDisplay,      // a display adapter that shows an output
  kTwoAdapters,  // frames that cross from the render adapter to the display adapter
};

// The kernel and the display that a rule is tried on.
struct RuleSetup {
  kernel::TrialSettings trial;
  std::int64_t refresh_period_ns = 4'000'000;
};

// Constant, of static storage.
struct Rule {
  std::string_view id;        // "Present.Blt.SubRects": stable, unique
  std::string_view sentence;  // what holds
  std::string_view source;    // document and section
  Needs needs = Needs::kRender;
  void (*body)(Rig& rig) = nullptr;
  // Where the published texts disagree or are silent: what this rule takes for right. Empty: they agree.
  std::string_view decides = {};
  RuleSetup setup = {};
};

// Thrown by bodies, caught by RunRule(). Both carry a sentence.
class RuleBroken final : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class NotApplicable final : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Unless `holds`, the rule is broken; the sentence says what was seen.
template <class... Args>
void Require(bool holds, fmt::format_string<Args...> seen, Args&&... args) {
  if (!holds) throw RuleBroken(fmt::format(seen, std::forward<Args>(args)...));
}

enum class Verdict { kPass, kFail, kNotApplicable };

// The rule's own body saw what is wrong, or the kernel stopped the adapter before.
enum class SeenBy { kNobody, kBody, kKernel };

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string seen;  // a sentence unless it passed
  SeenBy by = SeenBy::kNobody;
};

// Every rule of this build, in the order of the report.
[[nodiscard]] std::span<const Rule> AllRules();

// In this process and thread. What the body throws becomes the outcome; a violation that the kernel reported meanwhile fails the
// rule whatever the body saw.
[[nodiscard]] Outcome RunRule(const Rule& rule, Rig& rig);

}  // namespace tandem::conform
