// A testable rule of the driver contract: one sentence, its source, and a body that tries to see it broken.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kernel/kernel.h"
#include "kernel/tolerated.h"

namespace tandem::conform {

class Rig;

// Default seed of the rules' random work.
inline constexpr std::uint32_t kFirstSeed = 1;

// The adapters that a rule requires.
enum class Needs {
  kRender,       // copies on the render adapter
  kDisplay,      // a display adapter that shows an output
  kTwoAdapters,  // frames that cross from the render adapter to the display adapter
};

// Settings of the kernel and the display for a rule.
struct RuleSetup {
  kernel::TrialSettings trial;
  kernel::TdrSettings tdr = {};
  std::int64_t refresh_period_ns = 4'000'000;
  kernel::AdapterVisibility render_visibility = kernel::AdapterVisibility::kListed;
  bool unloads = false;  // what a driver leaves behind when it is unloaded breaks the rule
};

// Constant, with static storage.
struct Rule {
  std::string_view id;        // "Present.Blt.SubRects": stable, unique
  std::string_view sentence;  // the rule
  std::string_view source;    // document and section
  Needs needs = Needs::kRender;
  void (*body)(Rig& rig) = nullptr;
  // The rule's decision where the published texts disagree or are silent; empty if they agree.
  std::string_view decides = {};
  RuleSetup setup = {};
};

// Bodies throw these; RunRule() catches them. Both carry a sentence.
class RuleBroken final : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class NotApplicable final : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Breaks the rule unless `holds`; the sentence `seen` describes the observation.
template <class... Args>
void Require(bool holds, fmt::format_string<Args...> seen, Args&&... args) {
  if (!holds) throw RuleBroken(fmt::format(seen, std::forward<Args>(args)...));
}

enum class Verdict { kPass, kFail, kNotApplicable };

// The rule's body detected the fault, or the kernel stopped the adapter first.
enum class SeenBy { kNobody, kBody, kKernel };

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string seen;  // a sentence; empty if the rule passed
  SeenBy by = SeenBy::kNobody;
  std::string left{};  // what the drivers left behind when they were unloaded; empty: nothing, or nobody looked
  std::vector<kernel::Tolerated> tolerated{};  // other rules that were broken meanwhile, and that Windows lets pass
};

// Every rule of this build, in the order of the report.
[[nodiscard]] std::span<const Rule> AllRules();

// Runs in this process and thread. An exception of the body becomes the outcome. A violation that the kernel reports meanwhile
// fails the rule, whatever the body saw.
[[nodiscard]] Outcome RunRule(const Rule& rule, Rig& rig);

}  // namespace tandem::conform
