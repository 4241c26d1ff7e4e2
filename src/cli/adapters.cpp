#include "cli/adapters.h"

#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "compose/system.h"

namespace tandem::cli {
namespace {

std::string UuidText(const std::array<std::uint8_t, 16>& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

std::string Roles(const coproc::AdapterInfo& adapter) {
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

}  // namespace

std::string ToTable(std::span<const coproc::AdapterInfo> adapters) {
  std::string text;
  for (const coproc::AdapterInfo& adapter : adapters) {
    text += fmt::format("{}  {}\n", adapter.index, adapter.name);
    text += fmt::format("   kind     {}, {}\n", adapter.kind, Roles(adapter));
    text += fmt::format("   driver   {}{}{}\n", adapter.driver, adapter.driver_detail.empty() ? "" : ": ", adapter.driver_detail);
    if (adapter.vendor_id != 0) {
      text += fmt::format("   device   {:04x}:{:04x}{}{}\n", adapter.vendor_id, adapter.device_id,
                          adapter.pci_address.empty() ? "" : " at ", adapter.pci_address);
      text += fmt::format("   uuid     {}\n", UuidText(adapter.device_uuid));
    }
    text += fmt::format("   tier     {}: {}\n", adapter.tier, adapter.tier_reason);
    text += fmt::format("   memory   {}\n", MemoryText(adapter.memory_bytes));
    text += fmt::format("   outputs  {}\n", Joined(adapter.outputs));
  }
  return text;
}

std::string ToJson(std::span<const coproc::AdapterInfo> adapters) {
  auto list = nlohmann::ordered_json::array();
  for (const coproc::AdapterInfo& adapter : adapters) {
    list.push_back(
        {{"index", adapter.index},
         {"name", adapter.name},
         {"kind", adapter.kind},
         {"driver", adapter.driver},
         {"driver_detail", adapter.driver_detail},
         {"pci_address", adapter.pci_address.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(adapter.pci_address)},
         {"vendor_id", adapter.vendor_id},
         {"device_id", adapter.device_id},
         {"device_uuid", UuidText(adapter.device_uuid)},
         {"driver_uuid", UuidText(adapter.driver_uuid)},
         {"tier", adapter.tier},
         {"tier_reason", adapter.tier_reason},
         {"memory_bytes", adapter.memory_bytes},
         {"outputs", adapter.outputs},
         {"can_render", adapter.can_render},
         {"can_display", adapter.can_display}});
  }
  return nlohmann::ordered_json{{"adapters", list}}.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int ListAdapters(const AdaptersCommand& command) {
  auto system = compose::System::Create(coproc::Settings{});
  if (!system.ok()) {
    std::fprintf(stderr, "tandem adapters: %s\n", system.error().message.c_str());
    return kExitFailure;
  }
  const auto& adapters = (*system)->adapters();
  std::fputs((command.format == ListFormat::kJson ? ToJson(adapters) : ToTable(adapters)).c_str(), stdout);
  return kExitOk;
}

}  // namespace tandem::cli
