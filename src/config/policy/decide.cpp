#include "config/policy/decide.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/env.h"
#include "config/config_file.h"
#include "config/policy/policy_folders.h"
#include "config/setting_table.h"

namespace tandem::config {
namespace {

std::string_view OwnerOf(Source source) {
  switch (source) {
    case Source::kDefault: return "default";
    case Source::kVendor: return "the vendor's file";
    case Source::kAdministrator: return "the administrator's file";
    case Source::kFile: return "the user's file";
    case Source::kEnvironment: return "the environment";
    case Source::kOption: return "the command line";
  }
  return "";
}

bool IsOfFile(const Origin& origin) { return origin.source != Source::kEnvironment && origin.source != Source::kOption; }

// A sentence without its full stop.
std::string ReasonOfLoss(const Origin& lost, const Origin& won) {
  if (!IsOfFile(won)) return fmt::format("{} outweighs files", won.name);
  if ((lost.table == "default") != (won.table == "default")) return "a table that names the program outweighs [default]";
  if (lost.source != won.source) return fmt::format("{} outweighs {}", OwnerOf(won.source), OwnerOf(lost.source));
  return lost.name == won.name ? "a later table of the file outweighs it" : "a later file of the folder outweighs it";
}

class Decider {
 public:
  Decider(const ProgramIdentity& program, std::span<const PolicyFile> files, const Environment& environment)
      : files_(files), environment_(environment) {
    decision_.program = program;
  }

  Result<Decision> Run() {
    for (const PolicyFile& file : files_) {
      decision_.faults.insert(decision_.faults.end(), file.faults.begin(), file.faults.end());
    }
    AddTables([](const PolicyTable& table) { return table.match.empty(); });
    AddTables([this](const PolicyTable& table) {
      return std::ranges::any_of(table.match, [this](const Pattern& one) { return Matches(one, decision_.program); });
    });
    AddEnvironment();
    ChooseCandidates();
    if (auto applied = Apply(); !applied.ok()) return std::move(applied).error();
    if (auto used = SayUse(); !used.ok()) return std::move(used).error();
    for (const PolicyFault& fault : decision_.faults) decision_.traced.notices.push_back(fault.Text());
    return std::move(decision_);
  }

 private:
  template <class Fits>
  void AddTables(Fits fits) {
    for (const PolicyFile& file : files_) {
      for (const PolicyTable& table : file.tables) {
        if (!fits(table)) continue;
        const auto at = [&](const PolicyLine& line) {
          return Origin{.source = file.source, .name = file.path, .line = line.line, .table = table.name};
        };
        for (const PolicyLine& line : table.lines) decision_.candidates.push_back({line.key, line.text, at(line), {}});
        for (const PolicyLine& lock : table.locks) decision_.traced.locks.insert_or_assign(lock.key, at(lock));
      }
    }
  }

  void AddEnvironment() {
    for (const Setting& setting : SettingTable()) {
      auto text = environment_(setting.variable);
      if (!text) continue;
      Origin origin{.source = Source::kEnvironment, .name = setting.variable};
      decision_.candidates.push_back({std::string(setting.key), *std::move(text), std::move(origin), {}});
    }
  }

  void ChooseCandidates() {
    std::map<std::string_view, Candidate*> winners;
    for (Candidate& candidate : decision_.candidates) {
      const auto lock = decision_.traced.locks.find(candidate.key);
      const bool locked = lock != decision_.traced.locks.end() && candidate.origin.source > Source::kAdministrator;
      if (locked) {
        candidate.lost = fmt::format("{} locks it", PlaceOf(lock->second));
        decision_.traced.notices.push_back(LockedSentence(candidate.key, candidate.origin, lock->second));
        continue;
      }
      Candidate*& winner = winners[candidate.key];
      if (winner != nullptr) winner->lost = ReasonOfLoss(winner->origin, candidate.origin);
      winner = &candidate;
    }
  }

  Result<void> Apply() {
    for (const Candidate& candidate : decision_.candidates) {
      if (!candidate.lost.empty()) continue;
      if (candidate.key == kUseKey) {
        const auto use = ParseUse(candidate.text);
        if (!use.ok()) return use.error();
        decision_.traced.settings.use = *use;
        decision_.traced.origins.insert_or_assign(candidate.key, candidate.origin);
        continue;
      }
      const Setting& setting = *FindSetting(candidate.key);
      Result<void> set = SetUnlocked(decision_.traced, setting, candidate.text, candidate.origin);
      if (!set.ok()) return std::move(set).error().Context(candidate.origin.name);
    }
    return {};
  }

  Result<bool> Flag(const char* name) const {
    const auto text = environment_(name);
    if (!text) return false;
    auto flag = ParseFlag(*text);
    if (!flag.ok()) return std::move(flag).error().Context(name);
    return flag;
  }

  Result<void> SayUse() {
    const auto enabled = Flag("TANDEM_ENABLE");
    if (!enabled.ok()) return enabled.error();
    const auto session = Flag(kSessionVariable);
    if (!session.ok()) return session.error();
    Settings& settings = decision_.traced.settings;
    settings.enabled = *enabled;
    settings.inherited_render = InheritedRenderAdapter(environment_);
    settings.drivers_limited_by = LimitingVariables(environment_);
    decision_.launched = !*session || environment_("TANDEM_RENDER") || environment_("TANDEM_DISPLAY");
    const Origin origin = decision_.traced.OriginOf(kUseKey);
    const std::string said = origin.source == Source::kDefault ? std::string("By default") : PlaceOf(origin);
    switch (settings.use) {
      case Use::kNever: decision_.reason = fmt::format("{} leaves this program alone (use = \"never\").", said); break;
      case Use::kAlways:
        decision_.served = true;
        decision_.reason = fmt::format("{} has Tandem serve this program (use = \"always\").", said);
        break;
      case Use::kWhenLaunched:
        decision_.served = decision_.launched;
        decision_.reason = decision_.launched
                               ? "The program was launched for Tandem (use = \"when-launched\")."
                               : fmt::format(
                                     "{} this program is served when tandem run or a launcher starts it, and none did "
                                     "(use = \"when-launched\").",
                                     said == "By default" ? said : "By " + said);
        break;
    }
    return {};
  }

  const std::span<const PolicyFile> files_;
  const Environment& environment_;
  Decision decision_;
};

}  // namespace

std::string PlaceOf(const Origin& origin) {
  if (origin.source == Source::kDefault || !IsOfFile(origin)) return origin.name.empty() ? "default" : origin.name;
  return fmt::format("{}:{}, [{}]", origin.name, origin.line, origin.table);
}

Result<Decision> Decide(const ProgramIdentity& program, std::span<const PolicyFile> files, const Environment& environment) {
  return Decider(program, files, environment).Run();
}

Result<Decision> DecideForThisProcess(ApplicationNames names) {
  const ProgramIdentity program = IdentifyThisProcess(std::move(names));
  const std::vector<PolicyFile> files = ReadPolicyFiles(PolicyFoldersHere(), &program);
  return Decide(program, files, OwnEnvironment());
}

}  // namespace tandem::config
