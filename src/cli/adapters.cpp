#include "cli/adapters.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/driver_listing.h"
#include "cli/exit_codes.h"
#include "cli/pairs.h"
#include "config/selector.h"
#include "system/adapter_cache.h"
#include "system/system.h"
#include "system/tier_report.h"

namespace tandem::cli {
namespace {

std::string Roles(const config::AdapterInfo& adapter) {
  if (adapter.hidden) return adapter.can_render ? "render, hidden" : "hidden";
  if (adapter.can_render && adapter.can_display) return "render, display";
  if (adapter.can_render) return "render";
  return adapter.can_display ? "display" : "none";
}

std::string MemoryText(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  if (bytes < (1ULL << 30)) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(1ULL << 30));
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "-" : text;
}

std::string LinkText(const system::AdapterLink& link) {
  if (!link.none.empty()) return "none: " + link.none;
  const auto side = [](const char* name, const LinkMeasure& measure) {
    return fmt::format("{} {:.0f} MB/s after {:.0f} us", name, static_cast<double>(measure.bytes_per_second) / 1e6,
                       static_cast<double>(measure.latency_ns) / 1e3);
  };
  return side("out", link.out) + ", " + side("in", link.in) + " (measured)";
}

nlohmann::ordered_json LinkJson(const system::AdapterLink& link) {
  if (!link.none.empty()) return {{"none", link.none}};
  return {{"out_bytes_per_second", link.out.bytes_per_second},
          {"out_latency_ns", link.out.latency_ns},
          {"in_bytes_per_second", link.in.bytes_per_second},
          {"in_latency_ns", link.in.latency_ns}};
}

// The pair that is taken when nothing is asked for, by index; null with no such pair.
nlohmann::ordered_json AutoJson(std::span<const config::AdapterInfo> adapters) {
  const auto pair = config::ChooseAdapters(config::Settings{}, adapters);
  if (!pair.ok()) return nullptr;
  return {{"render", adapters[pair->render].index},
          {"render_reason", pair->render_reason},
          {"display", adapters[pair->display].index},
          {"display_reason", pair->display_reason}};
}

}  // namespace

std::string ToTable(std::span<const config::AdapterInfo> adapters, std::span<const system::AdapterLink> links,
                    std::span<const config::ClosedNode> closed, bool cached) {
  std::string text;
  const auto pair = config::ChooseAdapters(config::Settings{}, adapters);
  for (const config::AdapterInfo& adapter : adapters) {
    const auto place = static_cast<std::size_t>(&adapter - adapters.data());
    text += fmt::format("{}  {}  {} {}\n", adapter.index, adapter.name, adapter.can_render ? "--render" : "--display",
                        config::SelectorOf(place, adapters));
    text += fmt::format("   kind     {}, {}\n", adapter.kind, Roles(adapter));
    if (pair.ok() && place == pair->render) text += fmt::format("   auto     renders: {}\n", pair->render_reason);
    if (pair.ok() && place == pair->display) text += fmt::format("   auto     shows: {}\n", pair->display_reason);
    text += fmt::format("   driver   {}{}{}\n", adapter.driver, adapter.driver_detail.empty() ? "" : ": ", adapter.driver_detail);
    if (adapter.vendor_id != 0) {
      text += fmt::format("   device   {:04x}:{:04x}{}{}\n", adapter.vendor_id, adapter.device_id,
                          adapter.pci_address.empty() ? "" : " at ", adapter.pci_address);
      text += fmt::format("   uuid     {}{}\n", config::UuidText(adapter.device_uuid),
                          adapter.uuid_derived ? ", made of the device's properties: its driver has none" : "");
    }
    text += fmt::format("   tier     {}: {}\n", adapter.tier, adapter.tier_reason);
    text += fmt::format("   memory   {}\n", MemoryText(adapter.memory_bytes));
    text += fmt::format("   outputs  {}\n", Joined(adapter.outputs));
    if (place < links.size()) text += fmt::format("   link     {}\n", LinkText(links[place]));
  }
  for (const config::ClosedNode& node : closed) text += Sentence(node) + "\n";
  if (!pair.ok()) text += fmt::format("Without --render and --display there is no pair: {}\n", pair.error().message);
  if (cached) text += "This list is from the cache, and no device was opened; 'tandem adapters --wake' opens them.\n";
  return text;
}

std::string ToJson(std::span<const config::AdapterInfo> adapters, std::span<const system::AdapterLink> links,
                   std::span<const config::ClosedNode> closed, bool cached) {
  auto list = nlohmann::ordered_json::array();
  for (const config::AdapterInfo& adapter : adapters) {
    list.push_back(
        {{"index", adapter.index},
         {"selector", config::SelectorOf(list.size(), adapters)},
         {"name", adapter.name},
         {"kind", adapter.kind},
         {"driver", adapter.driver},
         {"driver_detail", adapter.driver_detail},
         {"pci_address", adapter.pci_address.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(adapter.pci_address)},
         {"vendor_id", adapter.vendor_id},
         {"device_id", adapter.device_id},
         {"device_uuid", config::UuidText(adapter.device_uuid)},
         {"driver_uuid", config::UuidText(adapter.driver_uuid)},
         {"uuid_derived", adapter.uuid_derived},
         {"tier", adapter.tier},
         {"tier_reason", adapter.tier_reason},
         {"memory_bytes", adapter.memory_bytes},
         {"outputs", adapter.outputs},
         {"can_render", adapter.can_render},
         {"can_display", adapter.can_display},
         {"hidden", adapter.hidden}});
    if (list.size() <= links.size()) list.back()["link"] = LinkJson(links[list.size() - 1]);
  }
  auto nodes = nlohmann::ordered_json::array();
  for (const config::ClosedNode& node : closed) {
    nodes.push_back({{"node", node.path},
                     {"pci_address", node.pci_address},
                     {"blocked", node.reason == config::ClosedNode::Reason::kBlocked},
                     {"sentence", Sentence(node)}});
  }
  nlohmann::ordered_json all{{"adapters", list}, {"auto", AutoJson(adapters)}, {"closed_nodes", nodes}, {"cached", cached}};
  if (cached) all["closed_nodes"] = nullptr;
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int ListAdapters(const AdaptersCommand& command) {
  if (!command.driver.empty()) return ListDriver(command);
  if (command.pairs) return ListPairs(command);
  const auto print = [&](std::span<const config::AdapterInfo> adapters, std::span<const system::AdapterLink> links,
                         bool cached = false) {
    const auto closed = cached ? std::vector<config::ClosedNode>() : config::FindClosedNodes("");
    const bool json = command.format == ListFormat::kJson;
    std::fputs((json ? ToJson(adapters, links, closed, cached) : ToTable(adapters, links, closed, cached)).c_str(), stdout);
    return kExitOk;
  };
  const bool asleep = !command.links && command.devices == ListedDevices::kAwake && system::IsGpuAsleep();
  if (asleep || command.devices == ListedDevices::kCached) {
    const auto kept = system::CachedAdapters();
    if (kept.ok()) return print(*kept, {}, true);
    if (!asleep) {
      std::fprintf(stderr, "tandem adapters: No list is kept that fits this machine. %s 'tandem adapters --wake' makes one.\n",
                   kept.error().message.c_str());
      return kExitFailure;
    }
  }
  if (command.links) {
    const auto report = system::ReportLinks(MonotonicClock());
    if (report.ok()) return print(report->adapters, report->links);
    std::fprintf(stderr, "tandem adapters: %s\n", report.error().message.c_str());
    return kExitFailure;
  }
  std::vector<config::AdapterInfo> adapters = system::System::List();
  if (const auto asked = system::AskTiers(adapters, MonotonicClock()); !asked.ok()) {
    std::fprintf(stderr, "tandem adapters: %s\n", asked.error().message.c_str());
    return kExitFailure;
  }
  system::KeepTiers(adapters);
  return print(adapters, {});
}

}  // namespace tandem::cli
