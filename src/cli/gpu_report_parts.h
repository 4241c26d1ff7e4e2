// The sections of a GPU report that touch a driver. Each runs in a process of its own, which a crash or a hang of the driver
// ends.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace tandem::cli {

struct ReportSection {
  const char* name = nullptr;      // "coding": of --part and in the report
  const char* title = nullptr;     // of the Markdown report
  const char* sentence = nullptr;  // what its table says
  std::uint32_t weight = 0;        // of a device's time; time that a section leaves goes to the next ones
};
// The last one, conform, has no process of its own: each of its trials has.
inline constexpr std::array<ReportSection, 7> kReportSections = {{
    {"device", "Device", "What the driver and the kernel say of it.", 5},
    {"sharing", "Shared pages and link",
     "System pages imported and tried with patterns both ways; copies between the device's own memory and pages.", 5},
    {"pairs", "Pairs with other adapters",
     "The memory that frames of each pair lie in, with the rates of each side's own probe, and the path that follows.", 5},
    {"memory", "Memory and queues", "Copies within the device's own memory, and copies to pages beside other work.", 10},
    {"coding", "Shaders for links",
     "A shader and the processor code the same picture. Shares compare with the bytes' time in memory and on the link.", 25},
    {"frames", "Frames",
     "Frames from the device to the software adapter on each path and in each encoding, every pixel shown compared; then to "
     "other devices.",
     20},
    {"conform", "Rules of the driver contract", "What `tandem conform` finds; each rule runs in a process of its own.", 30},
}};

// In the section's process: prints its rows on standard output, a line of JSON each, and tells the outcome to the parent.
// Returns the exit code.
[[nodiscard]] int RunReportPart(const GpuReportCommand& command);

struct SectionResult {
  std::string state;   // "done", "partial" (its time was over), "failed"
  std::string reason;  // a sentence; empty if it is done
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  bool wrong = false;  // a row says that something is wrong
};
// The section in a process of its own, at most `limit_ms`. `adapter` is an index of the machine's list.
[[nodiscard]] SectionResult RunSection(std::string_view section, std::uint32_t adapter, std::int64_t limit_ms);

}  // namespace tandem::cli
