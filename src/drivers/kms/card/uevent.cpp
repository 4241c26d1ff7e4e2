#include "drivers/kms/card/uevent.h"

#include <charconv>

namespace tandem::kms {
namespace {

std::optional<std::uint32_t> ToNumber(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

UeventAction ToAction(std::string_view text) {
  if (text == "add") return UeventAction::kAdd;
  if (text == "remove") return UeventAction::kRemove;
  if (text == "change") return UeventAction::kChange;
  return UeventAction::kOther;
}

void ReadPair(std::string_view key, std::string_view value, Uevent& event) {
  if (key == "ACTION") event.action = ToAction(value);
  if (key == "SUBSYSTEM") event.subsystem = value;
  if (key == "DEVPATH") event.device_path = value;
  if (key == "DEVNAME") event.device_name = value;
  if (key == "MAJOR") event.major = ToNumber(value);
  if (key == "MINOR") event.minor = ToNumber(value);
  if (key == "HOTPLUG") event.hotplug = value == "1";
  if (key == "LEASE") event.lease = value == "1";
  if (key == "CONNECTOR") event.connector_id = ToNumber(value);
  if (key == "WEDGED") event.wedged = value;
}

}  // namespace

bool EndsDevice(const Uevent& event) {
  if (event.action == UeventAction::kRemove) return true;
  return event.action == UeventAction::kChange && !event.wedged.empty() && event.wedged != "none";
}

std::optional<Uevent> ParseUevent(std::span<const char> message) {
  std::string_view rest(message.data(), message.size());
  const std::size_t header_end = rest.find('\0');
  if (header_end == std::string_view::npos) return std::nullopt;
  const std::string_view header = rest.substr(0, header_end);
  const std::size_t at = header.find('@');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  Uevent event;
  event.action = ToAction(header.substr(0, at));
  event.device_path = header.substr(at + 1);
  rest.remove_prefix(header_end + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;  // cut off
    const std::string_view pair = rest.substr(0, end);
    if (const std::size_t equals = pair.find('='); equals != std::string_view::npos) {
      ReadPair(pair.substr(0, equals), pair.substr(equals + 1), event);
    }
    rest.remove_prefix(end + 1);
  }
  return event;
}

}  // namespace tandem::kms
