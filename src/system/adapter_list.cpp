#include "system/adapter_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "config/adapter_tags.h"
#include "config/config_file.h"

namespace tandem::system {
namespace {

std::string KindOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return "cpu";
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
    case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM: break;
  }
  return "other";
}

std::string Joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

config::AdapterInfo VulkanAdapter(const vulkan::IcdDevice& device) {
  config::AdapterInfo info;
  info.name = device.name;
  info.kind = KindOf(device.type);
  info.driver = "vulkan";
  info.driver_detail = Joined(device.driver_name, device.driver_info);
  info.pci_address = device.pci_address;
  info.vendor_id = device.vendor_id;
  info.device_id = device.device_id;
  info.device_uuid = device.device_uuid;
  info.driver_uuid = device.driver_uuid;
  info.uuid_derived = device.uuid_derived;
  const bool textures = device.external_memory_host && device.linear_textures;
  info.tier = textures ? 2 : 1;
  info.tier_reason =
      textures ? "It renders to, samples and stores to images over shared pages; a window system cannot scan out foreign pages."
      : device.external_memory_host
          ? "It copies between shared pages and its own images; a window system cannot scan out foreign pages."
          : "Its driver imports no host memory, so the processor makes its copies.";
  info.memory_bytes = device.device_local_bytes;
  if (device.surfaces.xcb) info.outputs.emplace_back("wsi-xcb");
  if (device.surfaces.wayland) info.outputs.emplace_back("wsi-wayland");
  if (device.surfaces.headless) info.outputs.emplace_back("wsi-headless");
  info.icd_library = device.icd_library;
  info.icd_manifest = device.manifest_path;
  info.can_render = device.timeline_semaphore;
  info.can_display = device.surfaces.xcb || device.surfaces.wayland;
  if (!device.timeline_semaphore) info.tier_reason = fmt::format("{} {}", info.tier_reason, kRendersNone);
  return info;
}

config::AdapterInfo SoftAdapter() {
  config::AdapterInfo info;
  info.name = "Tandem software adapter";
  info.kind = "cpu";
  info.driver = "soft";
  info.tier = 3;
  info.tier_reason = "It scans out the pages that the render adapter wrote.";
  info.outputs = {"x11", "wayland", "headless", "png", "y4m", "raw"};
  info.can_display = true;
  return info;
}

}  // namespace

void HideTagged(std::span<config::AdapterInfo> adapters) {
  const auto path = config::ConfigFilePath("tandem.toml");
  if (!path) return;
  const auto read = config::ReadAdapterTags(*path);
  if (!read.ok()) {
    Log(LogLevel::kWarn, "No adapter is hidden. {}", read.error().message);
    return;
  }
  for (const std::string& problem : read->problems) Log(LogLevel::kWarn, "{}", problem);
  config::ApplyTags(read->tags, adapters);
}

AdapterList DescribeAdapters(const vulkan::Enumeration& enumeration) {
  AdapterList list;
  for (const vulkan::IcdDevice& device : enumeration.devices) {
    list.adapters.push_back(VulkanAdapter(device));
    list.surfaces.push_back(device.surfaces);
  }
  list.adapters.push_back(SoftAdapter());
  list.surfaces.emplace_back();
  for (std::size_t i = 0; i < list.adapters.size(); ++i) list.adapters[i].index = static_cast<std::uint32_t>(i);
  return list;
}

Result<AdapterList> ListOfKept(std::vector<config::AdapterInfo> adapters) {
  if (adapters.empty() || adapters.back().driver != "soft") {
    return Fail(ErrorKind::kInvalidArgument, "The kept list of adapters does not end with the software adapter.");
  }
  AdapterList list{std::move(adapters), {}};
  for (const config::AdapterInfo& adapter : list.adapters) {
    const auto shows = [&adapter](const char* output) {
      return adapter.driver == "vulkan" && std::ranges::find(adapter.outputs, output) != adapter.outputs.end();
    };
    list.surfaces.push_back({.xcb = shows("wsi-xcb"), .wayland = shows("wsi-wayland"), .headless = shows("wsi-headless")});
  }
  return list;
}

AdapterList ListAdapters(const vulkan::Enumeration& enumeration) {
  AdapterList list = DescribeAdapters(enumeration);
  HideTagged(list.adapters);
  return list;
}

}  // namespace tandem::system
