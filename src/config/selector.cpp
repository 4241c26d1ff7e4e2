#include "config/selector.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "config/card_selector.h"
#include "config/setting_values.h"

namespace tandem::config {
namespace {

constexpr std::string_view kPowerSaving = "power-saving";
constexpr std::string_view kHighPerformance = "high-performance";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return Lower(c); });
  return lower;
}

bool IsHex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// All of `text`, which has at most 8 digits' worth of value.
std::optional<std::uint32_t> Number(std::string_view text, int base) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<PciSelector> AsPci(const std::string& text) {
  const std::string full = std::ranges::count(text, ':') == 1 ? "0000:" + text : text;
  // dddd:bb:dd.f
  const std::string_view view = full;
  if (view.size() != 12 || view[4] != ':' || view[7] != ':' || view[10] != '.') return std::nullopt;
  if (!IsHex(view.substr(0, 4)) || !IsHex(view.substr(5, 2)) || !IsHex(view.substr(8, 2)) || !IsHex(view.substr(11)))
    return std::nullopt;
  return PciSelector{full};
}

std::optional<DeviceIdSelector> AsDeviceId(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto digits = [](std::string_view part) { return part.starts_with("0x") ? part.substr(2) : part; };
  const std::string_view vendor = digits(text.substr(0, colon));
  const std::string_view device = digits(text.substr(colon + 1));
  if (!IsHex(vendor) || !IsHex(device) || vendor.size() > 8 || device.size() > 8) return std::nullopt;
  return DeviceIdSelector{*Number(vendor, 16), *Number(device, 16)};
}

std::optional<UuidSelector> AsUuid(std::string_view text) {
  const bool hyphens = text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
  if (!hyphens && text.size() != 32) return std::nullopt;
  std::string digits(text);
  if (hyphens) std::erase(digits, '-');
  if (digits.size() != 32 || !IsHex(digits)) return std::nullopt;
  UuidSelector selector;
  for (std::size_t i = 0; i < selector.uuid.size(); ++i) {
    selector.uuid[i] = static_cast<std::uint8_t>(*Number(std::string_view(digits).substr(2 * i, 2), 16));
  }
  return selector;
}

struct Matcher {
  const AdapterInfo& adapter;

  bool operator()(const IndexSelector& selector) const { return adapter.index == selector.index; }
  bool operator()(const PciSelector& selector) const { return Lower(adapter.pci_address) == selector.address; }
  bool operator()(const DeviceIdSelector& selector) const {
    return adapter.vendor_id == selector.vendor_id && adapter.device_id == selector.device_id;
  }
  bool operator()(const UuidSelector& selector) const { return adapter.device_uuid == selector.uuid; }
  bool operator()(const PurposeSelector& selector) const {
    return adapter.can_render && (adapter.kind == "discrete") != selector.power_saving;
  }
  bool operator()(const NameSelector& selector) const { return Lower(adapter.name).find(selector.part) != std::string::npos; }
};

std::string List(std::span<const AdapterInfo> adapters, const std::vector<std::size_t>& positions) {
  std::string text;
  for (const std::size_t position : positions) {
    const AdapterInfo& adapter = adapters[position];
    text += (text.empty() ? "" : ", ") + std::to_string(adapter.index) + " '" + adapter.name + "'";
  }
  return text.empty() ? "none" : text;
}

// Kinds by the power that they take, the least first.
int PowerRank(std::string_view kind) {
  constexpr std::array<std::string_view, 4> kKinds = {"integrated", "virtual", "cpu", "discrete"};
  return static_cast<int>(std::ranges::find(kKinds, kind) - kKinds.begin());
}

// Kinds by their speed, the fastest first.
int SpeedRank(std::string_view kind) {
  constexpr std::array<std::string_view, 4> kKinds = {"discrete", "integrated", "virtual", "cpu"};
  return static_cast<int>(std::ranges::find(kKinds, kind) - kKinds.begin());
}

// The first of the best; hidden adapters are had by their own name alone.
std::optional<std::size_t> BestFor(const PurposeSelector& purpose, std::span<const AdapterInfo> adapters) {
  const auto rank = [&](const AdapterInfo& adapter) {
    return purpose.power_saving ? PowerRank(adapter.kind) : SpeedRank(adapter.kind);
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (!adapters[i].can_render || adapters[i].hidden) continue;
    if (!best || rank(adapters[i]) < rank(adapters[*best])) best = i;
  }
  return best;
}

std::vector<std::size_t> AllOf(std::span<const AdapterInfo> adapters) {
  std::vector<std::size_t> positions(adapters.size());
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  return positions;
}

}  // namespace

Result<Selector> ParseSelector(std::string_view text) {
  if (text.empty()) return Fail(ErrorKind::kInvalidArgument, "An adapter selector is empty.");
  if (text.size() > kMaxSelectorBytes) {
    return Fail(ErrorKind::kLimit, "An adapter selector has {} bytes, at most {} are allowed.", text.size(), kMaxSelectorBytes);
  }
  const std::string lower = Lower(text);
  if (lower == kPowerSaving || lower == kHighPerformance) return Selector(PurposeSelector{lower == kPowerSaving});
  if (const auto uuid = AsUuid(lower)) return Selector(*uuid);
  if (const auto index = Number(lower, 10)) return Selector(IndexSelector{*index});
  if (auto pci = AsPci(lower)) return Selector(*std::move(pci));
  if (const auto device = AsDeviceId(lower)) return Selector(*device);
  return Selector(NameSelector{lower});
}

bool Matches(const Selector& selector, const AdapterInfo& adapter) { return std::visit(Matcher{adapter}, selector); }

Result<std::size_t> FindAdapter(std::string_view text, std::span<const AdapterInfo> adapters) {
  if (IsCardSelector(text)) return FindCard(text, adapters);
  auto selector = ParseSelector(text);
  if (!selector.ok()) return std::move(selector).error();
  if (const auto* const purpose = std::get_if<PurposeSelector>(&*selector)) {
    if (const auto best = BestFor(*purpose, adapters)) return *best;
    return Fail(ErrorKind::kNotFound, "No adapter of this machine runs Vulkan programs, so none fits '{}'.", text);
  }
  std::vector<std::size_t> fits;
  std::vector<std::size_t> whole_name;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (!Matches(*selector, adapters[i])) continue;
    fits.push_back(i);
    if (Lower(adapters[i].name) == Lower(text)) whole_name.push_back(i);
  }
  if (fits.size() == 1) return fits.front();
  if (whole_name.size() == 1) return whole_name.front();
  if (fits.empty()) {
    return Fail(ErrorKind::kNotFound, "No adapter fits '{}'; there are: {}.", text, List(adapters, AllOf(adapters)));
  }
  return Fail(ErrorKind::kInvalidArgument, "'{}' fits {} adapters: {}; give the index.", text, fits.size(), List(adapters, fits));
}

std::string UuidText(const std::array<std::uint8_t, 16>& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

std::string SelectorOf(std::size_t position, std::span<const AdapterInfo> adapters) {
  const AdapterInfo& adapter = adapters[position];
  const auto finds = [&](const std::string& text) {
    const auto found = FindAdapter(text, adapters);
    return found.ok() && *found == position;
  };
  if (!adapter.pci_address.empty() && finds(adapter.pci_address)) return adapter.pci_address;
  const std::string uuid = UuidText(adapter.device_uuid);
  if (adapter.device_uuid != decltype(adapter.device_uuid){} && finds(uuid)) return uuid;
  return std::to_string(adapter.index);
}

}  // namespace tandem::config
