#include "cli/driver_build_report.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace tandem::cli {
namespace {

// A line for each kind: names with their counts; errors one below the other.
std::string KindText(MissingKind kind, const std::vector<Missing>& all, const TextStyle& style) {
  constexpr std::size_t kMostErrors = 20;
  std::string names;
  std::size_t count = 0;
  std::string errors;
  for (const Missing& missing : all) {
    if (missing.kind != kind) continue;
    ++count;
    if (kind != MissingKind::kError) {
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", Escaped(missing.name), missing.count);
    } else if (count <= kMostErrors) {
      const std::string place = missing.first.empty() ? "" : Escaped(missing.first) + ": ";
      errors += Wrapped("  ", fmt::format("{}{} ({})", place, Escaped(missing.name), missing.count), style);
    }
  }
  if (count == 0) return {};
  const std::string title = fmt::format("{} ({})", TitleOf(kind), count);
  if (kind != MissingKind::kError) return title + ":\n" + Wrapped("  ", names, style);
  if (count > kMostErrors) errors += fmt::format("  and {} more; --json lists all\n", count - kMostErrors);
  return title + ":\n" + errors;
}

struct Framework {
  std::string_view header, name;
};

// Models of drivers beside the display miniport, by the header that each of them includes.
constexpr Framework kFrameworks[] = {
    {"wdf.h", "the Windows Driver Frameworks"}, {"iddcx.h", "indirect display drivers"}, {"ndis.h", "network miniports"},
    {"portcls.h", "audio miniports"},           {"storport.h", "storage miniports"},
};

// A sentence for the first framework whose header is missing; empty: there is none.
std::string FrameworkText(const std::vector<Missing>& all, const TextStyle& style) {
  for (const Missing& missing : all) {
    if (missing.kind != MissingKind::kHeader) continue;
    std::string name = missing.name;
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    const auto* const framework = std::ranges::find(kFrameworks, name, &Framework::header);
    if (framework == std::end(kFrameworks)) continue;
    return Wrapped("",
                   fmt::format("This is no display miniport: {} belongs to {}, which Tandem does not run.", Escaped(missing.name),
                               framework->name),
                   style);
  }
  return {};
}

}  // namespace

std::string DriverBuildText(const DriverBuildResult& result, const TextStyle& style) {
  std::string text;
  if (result.missing.Lacks("DriverEntry")) text += "No source defines DriverEntry.\n";
  const std::vector<Missing> all = result.missing.Sorted();
  text += FrameworkText(all, style);
  if (!all.empty()) text += "Missing, with the number of its uses:\n";
  for (const auto kind : {MissingKind::kHeader, MissingKind::kNtFunction, MissingKind::kContractName, MissingKind::kOtherName,
                          MissingKind::kMember, MissingKind::kError}) {
    text += KindText(kind, all, style);
  }
  if (result.output.empty()) {
    text += fmt::format("{} of {} sources compiled; no driver was made.\n", result.compiled, result.sources);
  } else {
    text += fmt::format("{} ({} source{})\n", Escaped(result.output), result.sources, result.sources == 1 ? "" : "s");
  }
  return text;
}

std::string DriverBuildJson(const DriverBuildResult& result) {
  nlohmann::ordered_json all;
  all["driver"] = result.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(result.output);
  all["sources"] = result.sources;
  all["compiled"] = result.compiled;
  all["missing"] = nlohmann::ordered_json::object();
  for (const auto kind : {MissingKind::kHeader, MissingKind::kNtFunction, MissingKind::kContractName, MissingKind::kOtherName,
                          MissingKind::kMember, MissingKind::kError}) {
    all["missing"][std::string(KeyOf(kind))] = nlohmann::ordered_json::array();
  }
  for (const Missing& missing : result.missing.Sorted()) {
    nlohmann::ordered_json one = {{missing.kind == MissingKind::kError ? "text" : "name", missing.name},
                                  {"count", missing.count}};
    one["first"] = missing.first.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(missing.first);
    all["missing"][std::string(KeyOf(missing.kind))].push_back(std::move(one));
  }
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tandem::cli
