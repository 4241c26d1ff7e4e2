#include "cli/gpu_report.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/printable.h"
#include "base/replacement_file.h"
#include "cli/conform.h"
#include "cli/conform_candidates.h"
#include "cli/exit_codes.h"
#include "cli/gpu_report_parts.h"
#include "cli/gpu_report_text.h"
#include "cli/version.h"
#include "config/selector.h"
#include "conform/plan.h"
#include "system/conformance_drivers.h"
#include "system/system.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

// Time of a GPU against that of a processor that is a device.
constexpr double kShareOfGpu = 4;
constexpr std::int64_t kLeastSectionMs = 1'000;
constexpr std::uint32_t kLongestTrialS = 20;

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return "unknown processor";
}

Json Machine() {
  utsname system{};
  static_cast<void>(uname(&system));
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char time[32] = "";
  std::strftime(time, sizeof(time), "%Y-%m-%d %H:%M UTC", &utc);
  return {{"processor", ProcessorName()},
          {"processors", std::thread::hardware_concurrency()},
          {"kernel", system.release},
          {"tandem", kVersion},
          {"time", time}};
}

// The rules of one driver until the time is over; what was not tried is counted.
SectionResult RunConform(const config::AdapterInfo& adapter, std::int64_t limit_ms) {
  const std::int64_t end_ns = MonotonicClock().NowNs() + limit_ms * 1'000'000;
  ConformCommand command;
  command.adapter = std::to_string(adapter.index);
  command.limit_s = kLongestTrialS;
  SectionResult result;
  const auto candidates = FindCandidates(command);
  if (!candidates.ok() || candidates->empty()) {
    result.state = "failed";
    result.reason = candidates.ok() ? "No driver was found." : candidates.error().message;
    return result;
  }
  const Candidate& candidate = candidates->front();
  std::vector<conform::Trial> plan{conform::StartTrial(candidate.driver, system::SoftUnderTest())};
  const std::vector<conform::Trial> rules = TrialsFor(command, candidate);
  plan.insert(plan.end(), rules.begin(), rules.end());
  std::size_t passed = 0, failed = 0, not_applicable = 0, tried = 0;
  for (; tried < plan.size() && MonotonicClock().NowNs() < end_ns; ++tried) {
    const std::int64_t left_s = (end_ns - MonotonicClock().NowNs()) / 1'000'000'000;
    command.limit_s = static_cast<std::uint32_t>(std::clamp<std::int64_t>(left_s, 1, kLongestTrialS));
    const TrialResult trial = TryTrial(command, candidate, plan[tried]);
    // The section's time was over, not the trial's.
    const bool cut_short = command.limit_s < kLongestTrialS && MonotonicClock().NowNs() >= end_ns;
    if (trial.outcome.verdict == conform::Verdict::kFail && cut_short) break;
    passed += trial.outcome.verdict == conform::Verdict::kPass ? 1 : 0;
    not_applicable += trial.outcome.verdict == conform::Verdict::kNotApplicable ? 1 : 0;
    if (trial.outcome.verdict != conform::Verdict::kFail) continue;
    ++failed;
    result.rows.push_back({{"rule", plan[tried].name()}, {"seen", trial.outcome.seen}});
  }
  result.wrong = failed != 0;
  result.state = tried == plan.size() ? "done" : "partial";
  if (tried < plan.size())
    result.reason = fmt::format("{} of {} trials were not tried in {} s.", plan.size() - tried, plan.size(), limit_ms / 1000);
  result.rows.insert(result.rows.begin(),
                     Json{{"rule", fmt::format("{} trials", tried)},
                          {"seen", fmt::format("{} passed, {} failed, {} do not apply", passed, failed, not_applicable)}});
  return result;
}

// Both files are written after each section, so that a report that is interrupted has what was found.
class Reporter {
 public:
  Reporter(const GpuReportCommand& command, std::filesystem::path folder) : folder_(std::move(folder)) {
    report_ = {{"machine", Machine()}, {"minutes", command.minutes}, {"verdict", "It did not end."}, {"exit_code", kExitFailure}};
    report_["devices"] = Json::array();
  }

  Result<void> Add(const config::AdapterInfo& adapter, std::int64_t time_ms) {
    report_["devices"].push_back(
        {{"name", adapter.name}, {"index", adapter.index}, {"kind", adapter.kind}, {"is_processor", adapter.kind == "cpu"}});
    const std::int64_t begin_ns = MonotonicClock().NowNs();
    std::int64_t weight = 0;
    for (const ReportSection& section : kReportSections) {
      weight += section.weight;
      const std::int64_t passed_ms = (MonotonicClock().NowNs() - begin_ns) / 1'000'000;
      report_["devices"].back()["sections"].push_back(
          Run(section, adapter, std::max(kLeastSectionMs, time_ms * weight / 100 - passed_ms)));
      if (auto written = Write(); !written.ok()) return written;
    }
    return {};
  }

  Result<int> End() {
    report_["verdict"] = wrong_        ? "Something is wrong, or failed; the sections say what."
                         : incomplete_ ? "Nothing is wrong; some sections did not end in their time."
                                       : "Nothing is wrong.";
    const int code = wrong_ ? kExitReportWrong : incomplete_ ? kExitReportIncomplete : kExitOk;
    report_["exit_code"] = code;
    if (auto written = Write(); !written.ok()) return std::move(written).error();
    return code;
  }

  [[nodiscard]] std::string JsonText() const { return report_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }
  [[nodiscard]] std::string Markdown() const { return ToMarkdown(report_); }

 private:
  Json Run(const ReportSection& section, const config::AdapterInfo& adapter, std::int64_t limit_ms) {
    const std::int64_t begin_ns = MonotonicClock().NowNs();
    std::fprintf(stderr, "tandem gpu-report: %s: %s, at most %.0f s\n", Printable(adapter.name).c_str(), section.title,
                 static_cast<double>(limit_ms) / 1e3);
    const bool rules = std::string_view(section.name) == "conform";
    SectionResult result = rules ? RunConform(adapter, limit_ms) : RunSection(section.name, adapter.index, limit_ms);
    wrong_ = wrong_ || result.wrong || result.state == "failed";
    incomplete_ = incomplete_ || result.state == "partial";
    return {{"name", section.name},          {"title", section.title},
            {"sentence", section.sentence},  {"state", result.state},
            {"reason", result.reason},       {"seconds", static_cast<double>(MonotonicClock().NowNs() - begin_ns) / 1e9},
            {"rows", std::move(result.rows)}};
  }

  Result<void> Write() const {
    if (auto written = ReplaceFile((folder_ / "report.json").string(), JsonText()); !written.ok()) return written;
    return ReplaceFile((folder_ / "report.md").string(), Markdown());
  }

  const std::filesystem::path folder_;
  Json report_;
  bool wrong_ = false;
  bool incomplete_ = false;
};

int Complain(const std::string& message) {
  std::fprintf(stderr, "tandem gpu-report: %s\n", message.c_str());
  return kExitFailure;
}

// Vulkan devices, GPUs first. kNotFound and the selector's errors.
Result<std::vector<config::AdapterInfo>> Devices(const std::string& selector) {
  std::vector<config::AdapterInfo> devices = system::System::List();
  if (!selector.empty()) {
    const auto found = config::FindAdapter(selector, devices);
    if (!found.ok()) return found.error();
    devices = {devices[*found]};
  }
  std::erase_if(devices, [](const config::AdapterInfo& adapter) { return adapter.driver != "vulkan"; });
  if (devices.empty())
    return Fail(ErrorKind::kNotFound, "There is no such Vulkan device; 'tandem adapters' lists what there is.");
  std::stable_partition(devices.begin(), devices.end(), [](const config::AdapterInfo& adapter) { return adapter.kind != "cpu"; });
  return devices;
}

}  // namespace

int GpuReport(const GpuReportCommand& command) {
  if (!command.part.empty()) return RunReportPart(command);
  const auto devices = Devices(command.adapter);
  if (!devices.ok()) return Complain(devices.error().message);
  const std::filesystem::path folder = command.folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Complain(fmt::format("{} cannot be made: {}.", command.folder, error.message()));
  const auto weight_of = [](const config::AdapterInfo& device) { return device.kind == "cpu" ? 1.0 : kShareOfGpu; };
  double weights = 0;
  for (const config::AdapterInfo& device : *devices) weights += weight_of(device);
  Reporter reporter(command, folder);
  for (const config::AdapterInfo& device : *devices) {
    const auto time_ms = static_cast<std::int64_t>(command.minutes * 60'000 * weight_of(device) / weights);
    if (auto added = reporter.Add(device, time_ms); !added.ok()) return Complain(added.error().message);
  }
  const auto code = reporter.End();
  if (!code.ok()) return Complain(code.error().message);
  std::fputs((command.format == ListFormat::kJson ? reporter.JsonText() : reporter.Markdown()).c_str(), stdout);
  return *code;
}

}  // namespace tandem::cli
