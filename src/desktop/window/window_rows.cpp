#include "desktop/window/window_rows.h"

#include <utility>

#include <fmt/format.h>

#include "base/printable.h"
#include "config/settings.h"
#include "swapchain/swap_chain.h"

namespace tandem::desktop {
namespace {

std::string RolesOf(const config::AdapterInfo& adapter) {
  if (adapter.can_render && adapter.can_display) return "renders and shows";
  if (adapter.can_render) return "renders";
  return adapter.can_display ? "shows" : "does nothing here";
}

std::string RunningTitle(const status::LiveProgram& program, const status::LiveSwapChain& chain, std::int64_t now_ns) {
  const std::string name = Printable(program.program);
  if (status::IsIdle(chain, now_ns)) return name + ": idle";
  return fmt::format("{}: {:.1f} frames/s", name, status::ShownPerSecond(chain, now_ns));
}

// The name in app."name".
std::string ProgramOf(const std::string& table) {
  constexpr std::string_view kStart = "app.";
  if (!table.starts_with(kStart)) return {};
  std::string name = table.substr(kStart.size());
  if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace

std::vector<WindowRow> AdapterRows(std::span<const config::AdapterInfo> adapters) {
  std::vector<WindowRow> rows;
  for (const config::AdapterInfo& adapter : adapters) {
    std::string detail = fmt::format("{}, {}", adapter.kind, RolesOf(adapter));
    if (adapter.hidden) detail += ", hidden from programs";
    if (!adapter.pci_address.empty()) detail += ", at " + adapter.pci_address;
    if (adapter.memory_bytes != 0) {
      detail += fmt::format(", {:.1f} GiB", static_cast<double>(adapter.memory_bytes) / static_cast<double>(1ULL << 30));
    }
    if (!adapter.driver_detail.empty()) detail += ", " + adapter.driver_detail;
    rows.push_back({Printable(adapter.name), Printable(detail) + "\n" + Printable(adapter.tier_reason)});
  }
  return rows;
}

std::vector<WindowRow> RunningRows(const status::LivePrograms& found, std::int64_t now_ns) {
  std::vector<WindowRow> rows;
  for (const status::LiveProgram& program : found.programs) {
    if (program.swap_chains.empty()) rows.push_back({Printable(program.program), "shows nothing yet"});
    for (const status::LiveSwapChain& chain : program.swap_chains) {
      rows.push_back({RunningTitle(program, chain, now_ns),
                      Printable(fmt::format("{} → {}, {} × {}", chain.render, chain.display, chain.width, chain.height)) + "\n" +
                          Printable(fmt::format("Path {}: {}", ToString(chain.path), chain.path_reason))});
    }
  }
  return rows;
}

std::vector<ProgramRow> ProgramRows(std::span<const config::PolicyFile> files) {
  std::vector<ProgramRow> rows;
  for (const config::PolicyFile& file : files) {
    if (file.source != config::Source::kFile) continue;
    for (const config::PolicyTable& table : file.tables) {
      ProgramRow row;
      row.program = Printable(ProgramOf(table.name));
      if (row.program.empty()) continue;
      for (const config::PolicyLine& line : table.lines) {
        if (line.key == "use") {
          if (const auto use = config::ParseUse(line.text); use.ok()) row.use = *use;
        }
        if (line.key == "render") {
          if (const auto render = config::ParseSelectorText(line.text); render.ok()) row.render = *render;
        }
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tandem::desktop
