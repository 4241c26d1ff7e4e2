#include "system/tier_report.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "config/card_selector.h"
#include "drivers/soft/soft_device.h"
#include "drivers/vulkan/vulkan_device.h"
#include "system/adapter_list.h"
#include "system/graphics.h"

namespace tandem::system {
namespace {

constexpr const char* kNoScanOut = "a window system cannot scan out foreign pages";

std::string WhyTier(std::uint32_t tier, const ImportAbilities& imports) {
  if (tier >= 3) return "It scans out the pages that the render adapter wrote.";
  if (tier == 2) return fmt::format("It renders to, samples and stores to images over shared pages; {}.", kNoScanOut);
  if (imports.memfd || imports.anonymous)
    return fmt::format("It copies between shared pages and its own images; {}.", kNoScanOut);
  return fmt::format("It imports no shared pages, so the processor makes its copies. {}", imports.reason);
}

// Precondition: the adapter was started.
ImportAbilities Ask(LUID luid, config::AdapterInfo& adapter) {
  const auto tier = Graphics::TierOf(luid);
  ImportAbilities imports;
  if (adapter.driver == "vulkan") {
    if (auto told = Graphics::VulkanImports(luid); told.ok()) imports = *std::move(told);
  }
  adapter.tier = tier.ok() ? *tier : 0;
  adapter.tier_reason = tier.ok() ? WhyTier(*tier, imports) : tier.error().message;
  if (adapter.driver == "vulkan" && !adapter.can_render)
    adapter.tier_reason = fmt::format("{} {}", adapter.tier_reason, kRendersNone);
  return imports;
}

// The probes of an adapter that does nothing, for the reason.
ImportAbilities None(const std::string& reason) {
  const PageAbility none{false, reason, 0, 0};
  return {false, false, reason, {}, {}, false, {none, none, none, none}, reason};
}

}  // namespace

Result<void> AskTiers(std::vector<config::AdapterInfo>& adapters, Clock& clock, const ProbeListener& listener) {
  auto graphics = Graphics::Create(clock, adapters, {});
  if (!graphics.ok()) return std::move(graphics).error();
  for (config::AdapterInfo& adapter : adapters) {
    if (adapter.driver == config::kCardKind) continue;  // a card is asked when it shows
    soft::DeviceDescription soft_device;
    vulkan::DeviceDescription vulkan_device;
    vulkan_device.own = vulkan::OwnDevice{adapter.icd_library, adapter.device_uuid, adapter.driver_uuid};
    const auto luid = adapter.driver == "vulkan" ? (*graphics)->AddVulkanAdapter(vulkan_device, adapter)
                                                 : (*graphics)->AddSoftAdapter(&soft_device, adapter);
    if (!luid.ok()) {
      adapter.tier = 0;
      adapter.tier_reason = luid.error().message;
      if (listener) listener(adapter, None(luid.error().message));
      continue;
    }
    const ImportAbilities imports = Ask(*luid, adapter);
    (*graphics)->RemoveAdapter(*luid);
    if (listener) listener(adapter, imports);
  }
  return {};
}

}  // namespace tandem::system
