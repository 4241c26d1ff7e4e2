// The kernel's messages about devices that come, go and change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tandem::kms {

enum class UeventAction : std::uint8_t { kAdd, kRemove, kChange, kOther };

// Views point into the parsed message.
struct Uevent {
  UeventAction action = UeventAction::kOther;
  std::string_view subsystem;          // "drm"
  std::string_view device_path;        // "/devices/…/drm/card0"
  std::string_view device_name;        // "dri/card0"; empty for devices without a node
  std::optional<std::uint32_t> major;  // of the device node
  std::optional<std::uint32_t> minor;
  bool hotplug = false;                       // HOTPLUG=1: a connector changed
  bool lease = false;                         // LEASE=1: leases changed
  std::optional<std::uint32_t> connector_id;  // the one that changed, where the kernel says it
  std::string_view wedged;                    // WEDGED=: how the device's hang can be mended; empty: it has not hung
};

// The device of the event works no longer: it was removed, or it hung and its driver cannot mend it. WEDGED=none means that the
// driver has mended it. Linux 6.15, Documentation/gpu/drm-uapi.rst, "Device Wedging".
[[nodiscard]] bool EndsDevice(const Uevent& event);

// Parses a message of NETLINK_KOBJECT_UEVENT's kernel group: "action@path" and KEY=VALUE strings, each ended by a zero byte.
// Takes any bytes; nothing for a message without this form. Keys that are not understood are skipped, and the last of a key
// counts.
[[nodiscard]] std::optional<Uevent> ParseUevent(std::span<const char> message);

}  // namespace tandem::kms
