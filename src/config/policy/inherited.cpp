#include "config/policy/inherited.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "config/selector.h"
#include "config/setting_table.h"
#include "config/setting_values.h"

namespace tandem::config {
namespace {

constexpr std::string_view kListed = "Vulkan drivers that it does not list are not loaded, so their adapters cannot be had.";
constexpr std::string_view kFilter =
    "The Vulkan loader leaves drivers out by it, and so does Tandem: their adapters cannot be had.";
constexpr std::string_view kFilterAbove =
    "The Vulkan loader leaves drivers out by it; Tandem's own driver loads them nevertheless.";
constexpr std::string_view kMesa = "Tandem renders on the adapter that it names, unless a setting names another.";
constexpr std::string_view kCardwire = "cardwire decides by it which adapters' nodes the program may open.";

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kVariables = {{{"VK_DRIVER_FILES", kListed},
                                                                                      {"VK_ICD_FILENAMES", kListed},
                                                                                      {"VK_LOADER_DRIVERS_SELECT", kFilter},
                                                                                      {"VK_LOADER_DRIVERS_DISABLE", kFilter},
                                                                                      {"MESA_VK_DEVICE_SELECT", kMesa},
                                                                                      {"DRI_PRIME", kMesa},
                                                                                      {"CARDWIRE_ALLOW", kCardwire},
                                                                                      {"CARDWIRE_FORCE_DGPU", kCardwire},
                                                                                      {"FORCE_GPU", kCardwire}}};

bool IsDriverForm(const Environment& environment) { return environment(kFormVariable) == ToString(ProgramForm::kDriver); }

// "10de:2684", which may end in '!'.
std::optional<std::string> DeviceId(std::string text) {
  if (text.ends_with('!')) text.pop_back();
  const auto selector = ParseSelector(text);
  return selector.ok() && std::holds_alternative<DeviceIdSelector>(*selector) ? std::optional(std::move(text)) : std::nullopt;
}

// "pci-0000_01_00_0".
std::optional<std::string> PciAddress(std::string_view text) {
  constexpr std::string_view kPrefix = "pci-";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  std::string address(text.substr(kPrefix.size()));
  std::ranges::replace(address, '_', ':');
  if (const std::size_t last = address.rfind(':'); last != std::string::npos) address[last] = '.';
  const auto selector = ParseSelector(address);
  return selector.ok() && std::holds_alternative<PciSelector>(*selector) ? std::optional(std::move(address)) : std::nullopt;
}

}  // namespace

std::string LimitingVariables(const Environment& environment) {
  std::string text;
  for (const auto& [name, meaning] : kVariables) {
    if (meaning != kListed && (meaning != kFilter || IsDriverForm(environment))) continue;
    if (const auto value = environment(name)) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, *value);
  }
  return text;
}

std::vector<InheritedVariable> InheritedSelection(const Environment& environment) {
  std::vector<InheritedVariable> variables;
  for (const auto& [name, meaning] : kVariables) {
    const std::string_view effect = meaning == kFilter && IsDriverForm(environment) ? kFilterAbove : meaning;
    if (auto value = environment(name)) variables.push_back({std::string(name), *std::move(value), std::string(effect)});
  }
  return variables;
}

std::optional<InheritedRender> InheritedRenderAdapter(const Environment& environment) {
  if (const auto text = environment("MESA_VK_DEVICE_SELECT")) {
    if (auto device = DeviceId(*text)) return InheritedRender{"MESA_VK_DEVICE_SELECT", *std::move(device)};
  }
  const auto prime = environment("DRI_PRIME");
  if (!prime) return std::nullopt;
  if (*prime == "1" || *prime == "1!") return InheritedRender{"DRI_PRIME", "high-performance"};
  if (auto address = PciAddress(*prime)) return InheritedRender{"DRI_PRIME", *std::move(address)};
  if (auto device = DeviceId(*prime)) return InheritedRender{"DRI_PRIME", *std::move(device)};
  return std::nullopt;
}

}  // namespace tandem::config
