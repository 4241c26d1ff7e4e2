#include "cli/driver_listing.h"

#include <cstdint>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/conform.h"
#include "cli/conform_candidates.h"
#include "cli/conform_trial.h"
#include "cli/exit_codes.h"
#include "conform/contained.h"
#include "kernel/kernel.h"

namespace tandem::cli {
namespace {

// DXGK_WDDMVERSION has a digit of the major version, and one of the minor one.
std::string VersionText(std::uint32_t version) {
  return version < 0x1000 ? "unknown" : fmt::format("{}.{}", version >> 12, version >> 8 & 0xF);
}

std::string ToTable(const nlohmann::json& report) {
  const bool display_only = report["class"] == "display-only";
  std::string text = fmt::format("{}\n   class    {}, WDDM {}\n   device   {}\n", report["name"].get<std::string>(),
                                 report["class"].get<std::string>(), report["wddm_version"].get<std::string>(),
                                 report["device"].get<std::string>());
  if (display_only) {
    text += fmt::format("   mode     {} x {} on a screen of 1920 x 1080\n", report["mode_width"].get<std::uint32_t>(),
                        report["mode_height"].get<std::uint32_t>());
  } else {
    text += fmt::format("   tier     {}\n   sources  {}, targets {}\n   nodes    {}\n   memory   {} MiB of its own\n",
                        report["tier"].get<std::uint32_t>(), report["vidpn_sources"].get<std::uint32_t>(),
                        report["targets"].get<std::uint32_t>(), report["nodes"].get<std::uint32_t>(),
                        report["local_memory_bytes"].get<std::uint64_t>() >> 20);
  }
  const bool shows = display_only || report["device"].get<std::string>().starts_with("virtio GPU");
  text += fmt::format("   use      {}tandem conform --driver FILE\n", shows ? "tandem run --display-driver FILE, " : "");
  return text;
}

}  // namespace

std::string ToJson(const system::DriverReport& report) {
  const kernel::AdapterDescription& adapter = report.adapter;
  nlohmann::ordered_json json{{"name", adapter.driver_name},
                              {"class", report.display_only ? "display-only" : "full"},
                              {"wddm_version", VersionText(adapter.wddm_version)},
                              {"device", report.device},
                              {"vidpn_sources", adapter.vidpn_sources},
                              {"targets", adapter.targets}};
  if (report.display_only) {
    json["mode_width"] = report.mode_width;
    json["mode_height"] = report.mode_height;
  } else {
    json["tier"] = adapter.cross_adapter_tier;
    json["nodes"] = adapter.nodes;
    json["local_memory_bytes"] = adapter.local_memory_bytes;
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int ListDriver(const AdaptersCommand& command) {
  ConformCommand conform;
  conform.driver = command.driver;
  conform.registry = command.registry;
  if (auto set = SetForDrivers(command.registry, false); !set.ok()) {
    std::fprintf(stderr, "tandem adapters: %s\n", set.error().message.c_str());
    return kExitFailure;
  }
  const auto candidates = FindCandidates(conform);
  const conform::ContainedOutcome ended =
      candidates.ok() ? RunAlone(conform, candidates->front(), kReportTrial)
                      : conform::ContainedOutcome{{conform::Verdict::kFail, candidates.error().message}, {}};
  const auto report = nlohmann::json::parse(ended.outcome.seen, nullptr, false);
  if (ended.outcome.verdict == conform::Verdict::kFail || !report.is_object()) {
    std::fprintf(stderr, "tandem adapters: %s\n", ended.outcome.seen.c_str());
    return kExitFailure;
  }
  std::fputs(command.format == ListFormat::kJson ? (ended.outcome.seen + "\n").c_str() : ToTable(report).c_str(), stdout);
  return kExitOk;
}

}  // namespace tandem::cli
