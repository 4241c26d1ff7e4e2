// The one table of known faults of drivers that Tandem works around, or that `tandem doctor` warns of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tandem::system {

enum class DriverKind : std::uint8_t { kVulkan, kKernel };

struct DriverFault {
  std::string_view id;
  DriverKind kind = DriverKind::kVulkan;
  std::string_view driver;  // VkPhysicalDeviceDriverProperties::driverName, or the kernel driver's name in sysfs
  std::string_view first;   // versions with the fault, both included: of the Vulkan driver, or of the kernel; empty: unknown
  std::string_view last;
  std::string_view fails;     // a sentence
  std::string_view answer;    // a sentence: the work-around, or the advice
  std::string_view off;       // the switch of the work-around; empty: it has none
  std::string_view source;    // a public address, or the decision with our own measurement
  bool worked_around = true;  // false: doctor warns
};

[[nodiscard]] std::span<const DriverFault> DriverFaults();
// Precondition: `id` is a row's.
[[nodiscard]] const DriverFault& DriverFaultOf(std::string_view id);

// `version`: any text with a number such as "22.3.6" in it; without one, a fault with a range does not match.
[[nodiscard]] std::vector<const DriverFault*> FaultsOf(DriverKind kind, std::string_view driver, std::string_view version);

}  // namespace tandem::system
