#include "system/adapter_cache_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "config/selector.h"
#include "system/cache_fields.h"

namespace tandem::system {
namespace {

constexpr int kMaxDepth = 4;
constexpr std::size_t kMaxKeyLines = 1024;
constexpr std::size_t kMaxOutputs = 16;
constexpr std::uint32_t kMaxTier = 3;
constexpr std::string_view kKinds[] = {"discrete", "integrated", "virtual", "cpu", "other"};

Json ToObject(const config::AdapterInfo& adapter) {
  return {{"name", KeptText(adapter.name)},
          {"kind", adapter.kind},
          {"driver", adapter.driver},
          {"driver_detail", KeptText(adapter.driver_detail)},
          {"pci_address", adapter.pci_address},
          {"vendor_id", adapter.vendor_id},
          {"device_id", adapter.device_id},
          {"device_uuid", config::UuidText(adapter.device_uuid)},
          {"driver_uuid", config::UuidText(adapter.driver_uuid)},
          {"uuid_derived", adapter.uuid_derived},
          {"tier", adapter.tier},
          {"tier_reason", KeptText(adapter.tier_reason)},
          {"memory_bytes", adapter.memory_bytes},
          {"outputs", adapter.outputs},
          {"icd_library", KeptText(adapter.icd_library)},
          {"icd_manifest", KeptText(adapter.icd_manifest)},
          {"can_render", adapter.can_render},
          {"can_display", adapter.can_display}};
}

// True if the machine has the driver, and the device where that is one of the PCI bus.
bool IsOf(const Machine& machine, const config::AdapterInfo& adapter) {
  if (adapter.driver == "soft") return adapter.icd_library.empty() && adapter.icd_manifest.empty() && adapter.pci_address.empty();
  const bool driver = std::ranges::any_of(machine.drivers, [&](const Machine::Driver& known) {
    return known.manifest == adapter.icd_manifest && known.library == adapter.icd_library;
  });
  const bool device = adapter.pci_address.empty() || std::ranges::any_of(machine.displays, [&](const Machine::Display& known) {
                        return known.address == adapter.pci_address && known.vendor_id == adapter.vendor_id &&
                               known.device_id == adapter.device_id;
                      });
  return adapter.driver == "vulkan" && driver && device;
}

Result<config::AdapterInfo> ToAdapter(const Json& object, const Machine& machine) {
  Fields fields(object);
  config::AdapterInfo adapter;
  adapter.name = fields.Text("name");
  adapter.kind = fields.Text("kind");
  if (std::ranges::find(kKinds, adapter.kind) == std::end(kKinds)) fields.Refuse("kind");
  adapter.driver = fields.Text("driver");
  adapter.driver_detail = fields.Text("driver_detail");
  adapter.pci_address = fields.Text("pci_address");
  adapter.vendor_id = fields.Number32("vendor_id");
  adapter.device_id = fields.Number32("device_id");
  adapter.device_uuid = fields.Uuid("device_uuid");
  adapter.driver_uuid = fields.Uuid("driver_uuid");
  adapter.uuid_derived = fields.Flag("uuid_derived");
  adapter.tier = fields.Number32("tier", kMaxTier);
  adapter.tier_reason = fields.Text("tier_reason");
  adapter.memory_bytes = fields.Number("memory_bytes", std::numeric_limits<std::uint64_t>::max());
  adapter.outputs = fields.Texts("outputs", kMaxOutputs);
  adapter.icd_library = fields.Text("icd_library");
  adapter.icd_manifest = fields.Text("icd_manifest");
  adapter.can_render = fields.Flag("can_render");
  adapter.can_display = fields.Flag("can_display");
  if (!fields.wrong().empty()) {
    return Fail(ErrorKind::kInvalidArgument, "Field {} of an adapter is missing or outside its limits.", fields.wrong());
  }
  if (!IsOf(machine, adapter)) {
    return Fail(ErrorKind::kInvalidArgument, "Adapter {} has a device or a driver that this machine lacks.", adapter.name);
  }
  return adapter;
}

// One sentence about the first line that differs.
Error Difference(std::span<const std::string> kept, std::span<const std::string> now) {
  for (const std::string& line : now) {
    if (std::ranges::find(kept, line) == kept.end()) return Fail(ErrorKind::kNotFound, "It was made without '{}'.", line);
  }
  for (const std::string& line : kept) {
    if (std::ranges::find(now, line) == now.end()) return Fail(ErrorKind::kNotFound, "It was made with '{}'.", line);
  }
  return Fail(ErrorKind::kNotFound, "It was made with drivers in another order.");
}

}  // namespace

std::string AdapterCacheText(std::span<const config::AdapterInfo> adapters, const Machine& machine) {
  auto list = Json::array();
  for (const config::AdapterInfo& adapter : adapters) list.push_back(ToObject(adapter));
  return Json{{"key", machine.key}, {"adapters", list}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<config::AdapterInfo>> ParseAdapterCache(std::string_view text, const Machine& machine) {
  if (text.size() > kMaxAdapterCacheBytes) {
    return Fail(ErrorKind::kInvalidArgument, "It has more than {} bytes.", kMaxAdapterCacheBytes);
  }
  bool too_deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  const Json root = Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false);
  if (too_deep) return Fail(ErrorKind::kInvalidArgument, "It is nested deeper than {}.", kMaxDepth);
  if (root.is_discarded() || !root.is_object()) return Fail(ErrorKind::kInvalidArgument, "It is no JSON object.");
  Fields fields(root);
  const std::vector<std::string> key = fields.Texts("key", kMaxKeyLines);
  if (!fields.wrong().empty()) return Fail(ErrorKind::kInvalidArgument, "Its key is missing or outside its limits.");
  if (key != machine.key) return Difference(key, machine.key);
  const auto list = root.find("adapters");
  if (list == root.end() || !list->is_array() || list->empty() || list->size() > kMaxCachedAdapters) {
    return Fail(ErrorKind::kInvalidArgument, "It lists no adapters, or more than {}.", kMaxCachedAdapters);
  }
  std::vector<config::AdapterInfo> adapters;
  for (const Json& object : *list) {
    auto adapter = ToAdapter(object, machine);
    if (!adapter.ok()) return std::move(adapter).error();
    adapter->index = static_cast<std::uint32_t>(adapters.size());
    adapters.push_back(*std::move(adapter));
  }
  return adapters;
}

}  // namespace tandem::system
