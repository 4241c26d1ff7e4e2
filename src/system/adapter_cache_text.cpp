#include "system/adapter_cache_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "config/selector.h"

namespace tandem::system {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 4;
constexpr std::size_t kMaxOutputs = 16;
constexpr std::size_t kMaxKeyLines = 1024;
constexpr std::uint32_t kMaxTier = 3;
constexpr std::string_view kKinds[] = {"discrete", "integrated", "virtual", "cpu", "other"};

std::string KeptText(std::string_view text) {
  const std::string printable = Printable(text);
  return std::string(FittingUtf8(printable, kMaxCachedTextBytes));
}

// The fields of one JSON object. A wrong one is remembered and read as empty.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  std::string Text(const char* name) {
    const Json* const value = Find(name);
    const auto* const text = value == nullptr ? nullptr : value->get_ptr<const std::string*>();
    if (text != nullptr && KeptText(*text) == *text) return *text;
    Refuse(name);
    return {};
  }
  std::uint64_t Number(const char* name, std::uint64_t limit) {
    const Json* const value = Find(name);
    const auto* const number = value == nullptr ? nullptr : value->get_ptr<const Json::number_unsigned_t*>();
    if (number != nullptr && *number <= limit) return *number;
    Refuse(name);
    return 0;
  }
  std::uint32_t Number32(const char* name, std::uint32_t limit = std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint32_t>(Number(name, limit));
  }
  bool Flag(const char* name) {
    const Json* const value = Find(name);
    if (value != nullptr && value->is_boolean()) return value->get<bool>();
    Refuse(name);
    return false;
  }
  std::array<std::uint8_t, 16> Uuid(const char* name) {
    const auto selector = config::ParseSelector(Text(name));
    if (selector.ok()) {
      if (const auto* const found = std::get_if<config::UuidSelector>(&*selector)) return found->uuid;
    }
    Refuse(name);
    return {};
  }
  std::vector<std::string> Texts(const char* name, std::size_t limit) {
    std::vector<std::string> texts;
    const Json* const list = Find(name);
    if (list == nullptr || !list->is_array() || list->size() > limit) {
      Refuse(name);
      return texts;
    }
    for (const Json& value : *list) {
      const auto* const text = value.get_ptr<const std::string*>();
      if (text == nullptr || KeptText(*text) != *text) {
        Refuse(name);
        return {};
      }
      texts.push_back(*text);
    }
    return texts;
  }
  void Refuse(const char* name) {
    if (wrong_.empty()) wrong_ = name;
  }

 private:
  [[nodiscard]] const Json* Find(const char* name) const {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    return object_.is_object() && found != object_.end() ? &*found : nullptr;
  }

  const Json& object_;
  std::string wrong_;
};

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
