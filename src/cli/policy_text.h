// Texts of tandem policy, for people and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "config/policy/decide.h"
#include "config/policy/inherited.h"
#include "config/policy/policy_file.h"

namespace tandem::cli {

// A decision, and what the command saw beside it.
struct Explanation {
  config::Decision decision;
  std::vector<config::InheritedVariable> inherited;
  bool layer_is_on = false;  // in the environment that was looked at
};

[[nodiscard]] std::string PolicyListText(std::span<const config::PolicyFile> files, const TextStyle& style);
[[nodiscard]] std::string PolicyListJson(std::span<const config::PolicyFile> files);
[[nodiscard]] std::string ExplanationText(const Explanation& explanation, const TextStyle& style);
[[nodiscard]] std::string ExplanationJson(const Explanation& explanation);
// One sentence: whether Tandem serves the program, and by which line.
[[nodiscard]] std::string DecisionSentence(const Explanation& explanation);

}  // namespace tandem::cli
