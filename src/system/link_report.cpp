#include "system/link_report.h"

#include <utility>

#include "drivers/vulkan/icd/enumeration.h"
#include "system/adapter_list.h"
#include "system/graphics.h"
#include "system/tier_report.h"

namespace tandem::system {
namespace {

AdapterLink LinkOf(Graphics& graphics, const config::AdapterInfo& adapter) {
  if (adapter.kind == "cpu") return {{}, {}, "Its memory is the system's."};
  vulkan::DeviceDescription description;
  description.own = vulkan::OwnDevice{adapter.icd_library, adapter.device_uuid, adapter.driver_uuid};
  const auto luid = graphics.AddVulkanAdapter(description, adapter);
  if (!luid.ok()) return {{}, {}, luid.error().message};
  const auto imports = Graphics::VulkanImports(*luid);
  graphics.RemoveAdapter(*luid);
  if (!imports.ok()) return {{}, {}, imports.error().message};
  if (imports->link_out.bytes_per_second == 0) return {{}, {}, "The link was not measured; TANDEM_LOG=warn shows the reason."};
  return {imports->link_out, imports->link_in, {}};
}

}  // namespace

Result<LinkReport> ReportLinks(Clock& clock) {
  LinkReport report;
  report.adapters = ListAdapters(vulkan::EnumerateDevices()).adapters;
  if (auto asked = AskTiers(report.adapters, clock); !asked.ok()) return std::move(asked).error();
  auto graphics = Graphics::Create(clock, report.adapters, {});
  if (!graphics.ok()) return std::move(graphics).error();
  for (const config::AdapterInfo& adapter : report.adapters) report.links.push_back(LinkOf(**graphics, adapter));
  return report;
}

}  // namespace tandem::system
