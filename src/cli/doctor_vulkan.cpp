// Checks of Vulkan's loader and drivers, and of the driver that draws OpenGL with Vulkan.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/doctor_checks.h"
#include "cli/opengl.h"
#include "system/driver_faults.h"
#include "system/machine.h"
#include "system/machine_probes.h"

namespace tandem::cli {
namespace {

constexpr std::size_t kFactsOfADevice = 3;

std::string DevicesText(const system::ProbeAnswer& answer, std::vector<SeenDriver>& seen) {
  std::string text;
  for (std::size_t at = 1; at + kFactsOfADevice <= answer.facts.size(); at += kFactsOfADevice) {
    const std::string& version = answer.facts[at + 2];
    seen.push_back({false, answer.facts[at + 1], version});
    text += (text.empty() ? "" : ", ") + answer.facts[at] + (version.empty() ? "" : fmt::format(" [{}]", version));
  }
  return text;
}

}  // namespace

Findings CheckVulkanLoader() {
  const system::ProbeAnswer answer = system::ProbeVulkanLoader();
  if (answer.works) return {{"loader", FindingState::kOk, fmt::format("The Vulkan loader has version {}.", answer.facts[0])}};
  return {{"loader", FindingState::kBroken, "The Vulkan loader, libvulkan.so.1, does not work. " + answer.sentence,
           "Install it: Debian's package is libvulkan1. Look for another libvulkan.so.1 in LD_LIBRARY_PATH."}};
}

Findings CheckVulkanDrivers(const Patient& patient, std::vector<SeenDriver>& seen) {
  Findings findings;
  const auto displays = system::FindDisplays(patient.root);
  const bool asleep = std::ranges::any_of(displays, [](const auto& display) { return display.asleep; });
  std::size_t work = 0;
  for (const std::string& manifest : system::VulkanManifests()) {
    const system::ProbeAnswer answer = system::ProbeVulkanDriver(manifest, !asleep);
    const std::string id = "driver." + std::filesystem::path(manifest).stem().string();
    if (!answer.works) {
      findings.push_back({id, FindingState::kBroken,
                          fmt::format("The Vulkan driver of {} does not work. {}", manifest, answer.sentence),
                          "Install the driver's package again, or remove the manifest."});
      continue;
    }
    ++work;
    const std::string devices = DevicesText(answer, seen);
    if (devices.empty() && !asleep) {
      findings.push_back({id, FindingState::kOk, fmt::format("{} loads, and has no device here.", answer.facts[0])});
    } else {
      findings.push_back({id, FindingState::kOk,
                          fmt::format("{} loads{}.", answer.facts[0],
                                      asleep ? "; its devices are not listed, because a GPU is asleep" : ": " + devices)});
    }
  }
  if (work == 0) {
    findings.push_back({"drivers", FindingState::kBroken, "No Vulkan driver works, so no adapter renders.",
                        "Install a driver: Debian's package of Mesa is mesa-vulkan-drivers."});
  }
  return findings;
}

Findings CheckDriverFaults(const std::vector<SeenDriver>& seen) {
  Findings findings;
  for (const SeenDriver& driver : seen) {
    const auto kind = driver.kernel ? system::DriverKind::kKernel : system::DriverKind::kVulkan;
    for (const system::DriverFault* fault : system::FaultsOf(kind, driver.name, driver.version)) {
      const std::string id = fmt::format("fault.{}", fault->id);
      if (std::ranges::find(findings, id, &Finding::id) != findings.end()) continue;
      const std::string text = fmt::format("{}: {}", driver.name, fault->fails);
      if (fault->worked_around) {
        findings.push_back(
            {id, FindingState::kOk,
             fmt::format("{} Tandem's work-around{}: {} {}", text,
                         fault->off.empty() ? "" : fmt::format(" (off with {})", fault->off), fault->answer, fault->source)});
      } else {
        findings.push_back({id, FindingState::kWarning, text, fmt::format("{} {}", fault->answer, fault->source)});
      }
    }
  }
  return findings;
}

Findings CheckOpenGl() {
  if (const auto missing = MissingZink(OpenGlPlacesHere()))
    return {{"opengl", FindingState::kWarning, "OpenGL programs are shown without Tandem.", *missing}};
  return {{"opengl", FindingState::kOk, "OpenGL programs draw with Vulkan by Mesa's zink."}};
}

}  // namespace tandem::cli
