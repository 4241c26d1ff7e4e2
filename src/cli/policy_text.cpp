#include "cli/policy_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace tandem::cli {
namespace {

using config::Source;
using Json = nlohmann::ordered_json;

const char* SourceName(Source source) {
  switch (source) {
    case Source::kDefault: break;
    case Source::kVendor: return "vendor";
    case Source::kAdministrator: return "administrator";
    case Source::kFile: return "user";
    case Source::kEnvironment: return "environment";
    case Source::kOption: return "option";
  }
  return "default";
}

std::string PatternText(const config::Pattern& pattern) { return fmt::format("{}:{}", ToString(pattern.kind), pattern.text); }

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string Dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Kind and text of each name that the program has.
std::vector<std::pair<std::string_view, std::string_view>> NamesOf(const config::ProgramIdentity& program) {
  const std::array<std::pair<std::string_view, std::string_view>, 7> all = {{{"exe", program.executable},
                                                                             {"windows", program.windows},
                                                                             {"steam", program.steam},
                                                                             {"flatpak", program.flatpak},
                                                                             {"desktop", program.desktop},
                                                                             {"application", program.names.application},
                                                                             {"engine", program.names.engine}}};
  std::vector<std::pair<std::string_view, std::string_view>> names;
  std::ranges::copy_if(all, std::back_inserter(names), [](const auto& name) { return !name.second.empty(); });
  return names;
}

// Those of a key together, the one that counts first; keys in the order of their first table.
std::vector<const config::Candidate*> Ordered(const config::Decision& decision) {
  std::vector<const config::Candidate*> ordered;
  const auto listed = [&](std::string_view key) {
    return std::ranges::any_of(ordered, [&](const config::Candidate* one) { return one->key == key; });
  };
  for (const config::Candidate& first : decision.candidates) {
    if (listed(first.key)) continue;
    const std::size_t begin = ordered.size();
    for (auto one = decision.candidates.rbegin(); one != decision.candidates.rend(); ++one) {
      if (one->key == first.key) ordered.push_back(&*one);
    }
    std::stable_partition(ordered.begin() + static_cast<std::ptrdiff_t>(begin), ordered.end(),
                          [](const config::Candidate* one) { return one->lost.empty(); });
  }
  return ordered;
}

}  // namespace

std::string PolicyListText(std::span<const config::PolicyFile> files, const TextStyle& style) {
  std::string text;
  for (const config::PolicyFile& file : files) {
    text += fmt::format("{}{} ({})\n", text.empty() ? "" : "\n", Escaped(file.path), SourceName(file.source));
    for (const config::PolicyTable& table : file.tables) {
      std::vector<std::string> patterns, values, locks;
      for (const config::Pattern& pattern : table.match) patterns.push_back(PatternText(pattern));
      for (const config::PolicyLine& line : table.lines) values.push_back(line.key + " = " + line.text);
      for (const config::PolicyLine& lock : table.locks) locks.push_back(lock.key);
      text += Wrapped(fmt::format("  {}: ", table.line), fmt::format("[{}]", Escaped(table.name)), style);
      text += Wrapped("     programs: ", patterns.empty() ? "every one" : Escaped(Joined(patterns)), style);
      text += Wrapped("     says:     ", values.empty() ? "nothing" : Escaped(Joined(values)), style);
      if (!locks.empty()) text += Wrapped("     locks:    ", Joined(locks), style);
    }
    for (const config::PolicyFault& fault : file.faults) text += Wrapped("  left out: ", Escaped(fault.Text()), style);
  }
  return text.empty() ? "There is no file of policy.\n" : text;
}

std::string PolicyListJson(std::span<const config::PolicyFile> files) {
  auto list = Json::array();
  for (const config::PolicyFile& file : files) {
    auto tables = Json::array();
    for (const config::PolicyTable& table : file.tables) {
      auto match = Json::array();
      for (const config::Pattern& pattern : table.match) match.push_back(PatternText(pattern));
      auto values = Json::object();
      for (const config::PolicyLine& line : table.lines) values[line.key] = {{"value", line.text}, {"line", line.line}};
      auto locks = Json::array();
      for (const config::PolicyLine& lock : table.locks) locks.push_back(lock.key);
      tables.push_back({{"table", table.name}, {"line", table.line}, {"match", match}, {"values", values}, {"lock", locks}});
    }
    auto faults = Json::array();
    for (const config::PolicyFault& fault : file.faults) {
      faults.push_back({{"line", fault.line == 0 ? Json() : Json(fault.line)}, {"sentence", fault.sentence}});
    }
    list.push_back({{"file", file.path}, {"source", SourceName(file.source)}, {"tables", tables}, {"faults", faults}});
  }
  return Dumped({{"files", list}});
}

std::string DecisionSentence(const Explanation& explanation) {
  const config::Decision& decision = explanation.decision;
  if (explanation.layer_is_on || decision.traced.settings.use == config::Use::kNever) return decision.reason;
  if (decision.traced.settings.use == config::Use::kAlways) {
    return decision.reason + " The layer is not switched on in this environment: tandem enable does that for the session.";
  }
  return "Tandem serves this program when tandem run or a launcher starts it (use = \"when-launched\").";
}

std::string ExplanationText(const Explanation& explanation, const TextStyle& style) {
  const config::Decision& decision = explanation.decision;
  std::string text;
  for (const auto& [kind, name] : NamesOf(decision.program))
    text += Wrapped("Program:   ", fmt::format("{}:{}", kind, Escaped(name)), style);
  if (text.empty()) text = "Program:   any\n";
  text += Wrapped("Decision:  ", Escaped(DecisionSentence(explanation)), style);
  for (const config::Candidate* const one : Ordered(decision)) {
    const std::string place = Escaped(config::PlaceOf(one->origin));
    const std::string said = fmt::format("{} = {}", one->key, Escaped(one->text));
    const bool locked = decision.traced.locks.contains(one->key);
    text += one->lost.empty() ? Wrapped("Counts:    ", fmt::format("{}  {}{}", said, place, locked ? " (locked)" : ""), style)
                              : Wrapped("  lost:    ", fmt::format("{}  {}: {}.", said, place, Escaped(one->lost)), style);
  }
  for (const config::InheritedVariable& variable : explanation.inherited) {
    text += Wrapped("Inherited: ", fmt::format("{}={}: {}", variable.name, Escaped(variable.value), variable.meaning), style);
  }
  for (const config::PolicyFault& fault : decision.faults) text += Wrapped("Left out:  ", Escaped(fault.Text()), style);
  return text;
}

std::string ExplanationJson(const Explanation& explanation) {
  const config::Decision& decision = explanation.decision;
  auto program = Json::object();
  for (const auto& [kind, name] : NamesOf(decision.program)) program[std::string(kind)] = name;
  auto lines = Json::array();
  for (const config::Candidate* const one : Ordered(decision)) {
    const bool of_file = one->origin.line != 0;
    lines.push_back({{"key", one->key},
                     {"value", one->text},
                     {"counts", one->lost.empty()},
                     {"source", SourceName(one->origin.source)},
                     {"file", of_file ? Json(one->origin.name) : Json()},
                     {"line", of_file ? Json(one->origin.line) : Json()},
                     {"table", of_file ? Json(one->origin.table) : Json()},
                     {"variable", of_file ? Json() : Json(one->origin.name)},
                     {"lost", one->lost.empty() ? Json() : Json(one->lost)}});
  }
  auto inherited = Json::array();
  for (const config::InheritedVariable& variable : explanation.inherited) {
    inherited.push_back({{"variable", variable.name}, {"value", variable.value}, {"meaning", variable.meaning}});
  }
  auto faults = Json::array();
  for (const config::PolicyFault& fault : decision.faults) faults.push_back(fault.Text());
  return Dumped({{"program", program},
                 {"use", ToString(decision.traced.settings.use)},
                 {"served", decision.served && explanation.layer_is_on},
                 {"layer_is_on", explanation.layer_is_on},
                 {"launched", decision.launched && explanation.layer_is_on},
                 {"reason", DecisionSentence(explanation)},
                 {"lines", lines},
                 {"inherited", inherited},
                 {"faults", faults}});
}

}  // namespace tandem::cli
