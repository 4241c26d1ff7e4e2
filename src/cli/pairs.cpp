#include "cli/pairs.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "config/adapter_info.h"

namespace tandem::cli {
namespace {

std::string Rate(std::uint64_t bytes_per_second) {
  return bytes_per_second == 0 ? "not measured" : fmt::format("{:.2f} GB/s", static_cast<double>(bytes_per_second) / 1e9);
}

std::string SideText(const char* side, const system::PageAbility& ability) {
  if (!ability.works) return fmt::format("{}: no. {}", side, ability.reason);
  return fmt::format("{}: writes {}, reads {}. {}", side, Rate(ability.write_bytes_per_second),
                     Rate(ability.read_bytes_per_second), ability.reason);
}

nlohmann::ordered_json SideJson(const system::PageAbility& ability) {
  return {{"works", ability.works},
          {"reason", ability.reason},
          {"write_bytes_per_second", ability.write_bytes_per_second},
          {"read_bytes_per_second", ability.read_bytes_per_second}};
}

nlohmann::ordered_json PairJson(const system::AdapterPair& pair, const system::PairReport& report) {
  auto ways = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < system::kBackingWays; ++i) {
    const auto way = static_cast<system::BackingWay>(i);
    const system::BackingCandidate& candidate = pair.backing.candidates[i];
    ways.push_back({{"way", std::string(1, system::LetterOf(way))},
                    {"memory", system::NameOf(way)},
                    {"works", candidate.works()},
                    {"render", SideJson(candidate.render)},
                    {"display", SideJson(candidate.display)}});
  }
  nlohmann::ordered_json json{{"render", report.adapters[pair.render].index},
                              {"render_name", report.adapters[pair.render].name},
                              {"display", report.adapters[pair.display].index},
                              {"display_name", report.adapters[pair.display].name},
                              {"way", nullptr},
                              {"reason", pair.backing.reason},
                              {"ways", ways},
                              {"path", nullptr},
                              {"path_reason", pair.path_reason},
                              {"fences", pair.fences}};
  if (pair.backing.chosen) json["way"] = std::string(1, system::LetterOf(*pair.backing.chosen));
  if (!pair.path.empty()) json["path"] = pair.path;
  return json;
}

}  // namespace

std::string PairsTable(const system::PairReport& report) {
  std::string text;
  for (const system::AdapterPair& pair : report.pairs) {
    const config::AdapterInfo& render = report.adapters[pair.render];
    const config::AdapterInfo& display = report.adapters[pair.display];
    text += fmt::format("{} {} -> {} {}\n", render.index, render.name, display.index, display.name);
    for (std::size_t i = 0; i < system::kBackingWays; ++i) {
      const auto way = static_cast<system::BackingWay>(i);
      const system::BackingCandidate& candidate = pair.backing.candidates[i];
      text +=
          fmt::format("   {}{}       {}\n", pair.backing.chosen == way ? '*' : ' ', system::LetterOf(way), system::NameOf(way));
      text += fmt::format("            {}\n", SideText("render", candidate.render));
      text += fmt::format("            {}\n", SideText("display", candidate.display));
    }
    text += fmt::format("   memory   {}\n", pair.backing.reason);
    text += fmt::format("   path     {}: {}\n", pair.path.empty() ? "none" : pair.path, pair.path_reason);
    text += fmt::format("   fences   {}\n", pair.fences);
  }
  if (report.pairs.empty()) text += "No adapter renders what another one shows.\n";
  if (report.cached) text += "The probes' results are from the cache; 'tandem adapters --pairs --wake' probes again.\n";
  return text;
}

std::string PairsJson(const system::PairReport& report) {
  auto list = nlohmann::ordered_json::array();
  for (const system::AdapterPair& pair : report.pairs) list.push_back(PairJson(pair, report));
  const nlohmann::ordered_json all{{"pairs", list}, {"cached", report.cached}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int ListPairs(const AdaptersCommand& command) {
  const auto source = command.devices == ListedDevices::kAll ? system::PairSource::kMeasured : system::PairSource::kKept;
  const auto report = system::ReportPairs(MonotonicClock(), source);
  if (!report.ok()) {
    std::fprintf(stderr, "tandem adapters: %s\n", report.error().message.c_str());
    return kExitFailure;
  }
  std::fputs((command.format == ListFormat::kJson ? PairsJson(*report) : PairsTable(*report)).c_str(), stdout);
  return kExitOk;
}

}  // namespace tandem::cli
