#include "cli/doctor.h"

#include <cstdio>
#include <iterator>
#include <utility>

#include "cli/doctor_checks.h"
#include "cli/doctor_text.h"
#include "cli/exit_codes.h"
#include "cli/terminal.h"

namespace tandem::cli {
namespace {

Findings Together(Findings first, Findings second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

}  // namespace

int Doctor(const DoctorCommand& command) {
  const Patient patient{command.root};
  std::vector<SeenDriver> seen;
  std::vector<FindingGroup> groups;
  groups.push_back({"Vulkan", Together(CheckVulkanLoader(), CheckVulkanDrivers(patient, seen))});
  groups.push_back({"OpenGL", CheckOpenGl()});
  groups.push_back({"Layers", CheckLayers(patient)});
  groups.push_back({"Devices", Together(CheckNodes(patient, seen), CheckSeat(patient))});
  groups.push_back({"Memory and links", Together(CheckMemory(patient), CheckPciLinks(patient))});
  groups.push_back({"Session", CheckSession()});
  groups.push_back({"Settings", Together(CheckSettings(), CheckEnvironment())});
  groups.push_back({"Known faults of drivers", CheckDriverFaults(seen)});
  const bool json = command.format == ListFormat::kJson;
  std::fputs((json ? DoctorJson(groups) : DoctorText(groups, StyleOfStandardOutput())).c_str(), stdout);
  return CountOf(groups, FindingState::kBroken) == 0 ? kExitOk : kExitDoctorBroken;
}

}  // namespace tandem::cli
