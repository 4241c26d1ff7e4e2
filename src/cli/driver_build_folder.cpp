// The temporary files of a driver's build; see driver_build_kit.h.
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/driver_build_dialect.h"
#include "cli/driver_build_kit.h"
#include "cli/driver_build_wpp.h"

#include <tandem_driver_setup.h>

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

bool IsNoPart(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "build";
}

// Folders below `root`, and their files that a source includes. Files of another dialect are copied to `rewritten`; empty: none.
void AddFolder(const fs::path& root, const fs::path& rewritten, ordered_json& roots, std::set<std::string>& functions,
               int depth) {
  constexpr int kDeepest = 6;
  std::error_code error;
  ordered_json contents = ordered_json::array();
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (entry.is_directory(error)) {
      if (depth < kDeepest && !IsNoPart(entry.path())) AddFolder(entry.path(), rewritten, roots, functions, depth + 1);
      continue;
    }
    if (!IsDriverHeader(entry.path()) && !IsDriverSource(entry.path())) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    functions.merge(TraceFunctionsOf(text));
    fs::path content = entry.path();
    if (const auto changed = rewritten.empty() ? std::nullopt : InClangsDialect(text)) {
      content = rewritten / std::to_string(std::hash<std::string>{}(entry.path().string()));
      std::ofstream(content, std::ios::binary) << *changed;
    }
    contents.push_back({{"type", "file"}, {"name", entry.path().filename().string()}, {"external-contents", content.string()}});
  }
  if (!contents.empty()) roots.push_back({{"type", "directory"}, {"name", root.string()}, {"contents", contents}});
}

Result<void> Write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) return Fail(ErrorKind::kIo, "{} cannot be written.", file.string());
  return {};
}

constexpr const char* kExports =
    "{ global: DriverEntry; TandemAttachKernel; TandemDriverCoverage; TandemConform; TandemSetShimHost; OpenAdapter*; "
    "TandemMessageInterrupts; local: *; };\n";
// An undefined DriverEntry is a link error like any other.
constexpr const char* kEntry = "extern int DriverEntry(void*, void*);\nvoid* tandem_driver_entry = (void*)DriverEntry;\n";

std::string EntryFor(const DriverProject& project) {
  if (!project.message_interrupts) return kEntry;
  return fmt::format("{}const int {} = {};\n", kEntry, TANDEM_MESSAGE_INTERRUPTS, *project.message_interrupts ? 1 : 0);
}

}  // namespace

Result<void> WriteBuildFolder(const DriverKit& kit, const DriverProject& project, const BuildFolder& build) {
  std::error_code error;
  for (const fs::path& folder : {build.traces(), build.rewritten()}) {
    fs::create_directories(folder, error);
    if (error) return Fail(ErrorKind::kIo, "{} cannot be created.", folder.string());
  }
  ordered_json roots = ordered_json::array();
  std::set<std::string> functions;
  for (const fs::path& folder : project.folders) AddFolder(folder, build.rewritten(), roots, functions, 0);
  const std::string stub = TraceStub(functions);
  for (const fs::path& source : project.sources) {
    for (const std::string& name : {source.stem().string(), source.filename().string()}) {
      if (auto written = Write(build.traces() / (name + ".tmh"), stub); !written.ok()) return written;
    }
  }
  std::set<std::string> none;
  for (const fs::path& folder : {build.traces(), kit.nt, kit.wddm}) AddFolder(folder, {}, roots, none, 0);
  const ordered_json overlay = {{"version", 0}, {"case-sensitive", "false"}, {"roots", roots}};
  for (const auto& [file, text] : {std::pair{build.overlay(), overlay.dump()},
                                   {build.exports(), std::string(kExports)},
                                   {build.entry(), EntryFor(project)}}) {
    if (auto written = Write(file, text); !written.ok()) return written;
  }
  return {};
}

}  // namespace tandem::cli
