#include "cli/driver_frames.h"

#include <sstream>

#include <fmt/format.h>

#include "cli/driver_build_jobs.h"
#include "cli/temporary_folder.h"

namespace tandem::cli {
namespace {

// Fewer lines than offsets: there is no addr2line, or it cannot read the driver.
std::vector<std::string> LinesOfAddr2line(const std::string& driver, const std::vector<std::uint64_t>& offsets) {
  const auto folder = TemporaryFolder::Create("names");
  if (!folder.ok()) return {};
  std::vector<Job> jobs = {{{"addr2line", "-Cfpse", driver}, folder->path() / "names.txt"}};
  for (const std::uint64_t offset : offsets) jobs.front().words.push_back(fmt::format("0x{:x}", offset));
  if (!RunJobs(jobs, 1, [](const Job&) {}).ok() || jobs.front().code != 0) return {};
  std::vector<std::string> lines;
  std::istringstream names(OutputOf(jobs.front()));
  for (std::string line; std::getline(names, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<std::string> NamedFrames(const std::string& driver, const std::vector<std::uint64_t>& offsets) {
  if (offsets.empty()) return {};
  std::vector<std::string> lines = LinesOfAddr2line(driver, offsets);
  if (lines.size() != offsets.size()) lines.assign(offsets.size(), "?? ??:0");
  const std::string module = driver.substr(driver.rfind('/') + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const bool unknown = lines[i].starts_with("??");
    const std::string place = fmt::format("{}+0x{:x}", module, offsets[i]);
    lines[i] = unknown ? place : fmt::format("{} ({})", lines[i], place);
  }
  return lines;
}

}  // namespace tandem::cli
