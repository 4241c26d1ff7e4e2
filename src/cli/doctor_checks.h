// Checks of what Tandem needs on this machine, in groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::cli {

enum class FindingState : std::uint8_t { kOk, kWarning, kBroken };

struct Finding {
  std::string id;  // stable: "udmabuf", "driver.lvp_icd.x86_64"
  FindingState state = FindingState::kOk;
  std::string text;
  std::string advice{};  // empty if the state is kOk
};
using Findings = std::vector<Finding>;

// Folders of the kernel and of the system are those below `root`; "" is the machine's own. Environment variables hold as they
// are.
struct Patient {
  std::string root;
};

// A driver whose known faults concern this machine.
struct SeenDriver {
  bool kernel = false;
  std::string name;
  std::string version;
};

[[nodiscard]] Findings CheckVulkanLoader();
[[nodiscard]] Findings CheckLayers(const Patient& patient);
// Adds the drivers of the devices to `seen`.
[[nodiscard]] Findings CheckVulkanDrivers(const Patient& patient, std::vector<SeenDriver>& seen);
[[nodiscard]] Findings CheckOpenGl();
[[nodiscard]] Findings CheckNodes(const Patient& patient, std::vector<SeenDriver>& seen);
[[nodiscard]] Findings CheckSeat(const Patient& patient);
[[nodiscard]] Findings CheckMemory(const Patient& patient);
[[nodiscard]] Findings CheckPciLinks(const Patient& patient);
[[nodiscard]] Findings CheckSession();
[[nodiscard]] Findings CheckSettings();
[[nodiscard]] Findings CheckEnvironment();
[[nodiscard]] Findings CheckDriverFaults(const std::vector<SeenDriver>& seen);

}  // namespace tandem::cli
