// The log of MangoHud: the machine in two lines, then a line for each frame. A column that Tandem does not measure is empty.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <sys/utsname.h>

#include <fmt/format.h>

#include "base/printable.h"
#include "status/frame_format.h"

namespace tandem::status {
namespace {

constexpr std::string_view kMachine = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n";
constexpr std::string_view kMangoHudColumns =
    "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,ram_used,"
    "swap_used,process_rss,cpu_mhz,elapsed\n";
constexpr std::string_view kUnmeasured = ",,,,,,,,,,,,,,";  // from cpu_load to cpu_mhz

// The first value in a file of lines such as "MemTotal:  123 kB" and NAME="value", or the first line without a `key`.
std::string ValueIn(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (key.empty()) return line;
    const std::size_t end = line.find(separator);
    if (!line.starts_with(key) || end == std::string::npos) continue;
    std::string value = line.substr(end + 1);
    std::erase(value, '"');
    value.erase(0, std::min(value.find_first_not_of(" \t"), value.size()));
    return value;
  }
  return {};
}

// Readers split these lines at commas, in quotes or not.
std::string Field(const std::string& text) {
  std::string field = Printable(text);
  std::ranges::replace(field, ',', ' ');
  return field;
}

class MangoHud final : public FrameFormat {
 public:
  void AddHead(std::string& text, const FrameLogRun& run) const override {
    utsname kernel{};
    uname(&kernel);
    const std::string ram = ValueIn("/proc/meminfo", "MemTotal", ':');
    fmt::format_to(std::back_inserter(text), "{}{},{},{},{},{},{},{}\n{}", kMachine,
                   Field(ValueIn("/etc/os-release", "PRETTY_NAME", '=')), Field(ValueIn("/proc/cpuinfo", "model name", ':')),
                   Field(run.render_adapter), ram.substr(0, ram.find(' ')), Field(kernel.release), Field(run.driver),
                   Field(ValueIn("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", '\n')), kMangoHudColumns);
  }

  void AddLine(std::string& text, const FrameLogRun& run, const LoggedChain& chain,
               const FrameQueue::Entry& entry) const override {
    const double frame_ms = static_cast<double>(chain.SincePresent(entry.line)) / 1e6;
    if (frame_ms <= 0) return;
    fmt::format_to(std::back_inserter(text), "{:.3f},{:.4f}{}{}\n", 1000 / frame_ms, frame_ms, kUnmeasured,
                   entry.line.presented_ns - run.begin_ns);
  }
};

}  // namespace

const FrameFormat& MangoHudFormat() {
  static const MangoHud format;
  return format;
}

}  // namespace tandem::status
