#include "cli/report_run.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

Result<std::string> ReadAll(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return Fail(ErrorKind::kIo, "{} is a folder.", file);
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    const ErrorKind kind = errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo;
    return Fail(kind, "{} cannot be read: {}.", file, std::strerror(errno));
  }
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return Fail(ErrorKind::kIo, "{} cannot be read: {}.", file, std::strerror(errno));
  return text;
}

bool LooksLikeJson(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

// The first run that lacks what `file` has and whose own file differs from it in the extension alone.
ReportRun* Partner(std::vector<ReportRun>& runs, const std::string& file, bool json) {
  const auto stem = [](const std::string& path) { return std::filesystem::path(path).replace_extension(); };
  const auto found = std::ranges::find_if(runs, [&](const ReportRun& run) {
    const bool has = json ? run.figures.is_object() : run.figures.is_null();
    return !has && run.files.size() == 1 && run.files.front() != file && stem(run.files.front()) == stem(file);
  });
  return found == runs.end() ? nullptr : &*found;
}

}  // namespace

Result<Json> ParseFigures(const std::string& text, const std::string& file) {
  Json figures;
  std::istringstream stream(text);
  try {
    figures = Json::parse(stream);
  } catch (const Json::exception&) {  // no JSON, or a number that no double holds
    stream.clear();
    const auto read = std::max<std::streamoff>(stream.tellg(), 1) - 1;
    const auto line = 1 + std::count(text.begin(), text.begin() + read, '\n');
    return Fail(ErrorKind::kInvalidArgument, "{}:{}: This is no JSON: the error is at byte {}.", file, line, read + 1);
  }
  if (!figures.is_object() || !figures.contains("swap_chains") || !figures["swap_chains"].is_array()) {
    return Fail(ErrorKind::kInvalidArgument, "{}:1: The list swap_chains is missing: these are no figures of --stats-json.",
                file);
  }
  return figures;
}

Result<std::vector<ReportRun>> ReadRuns(const std::vector<std::string>& files) {
  std::vector<ReportRun> runs;
  for (const std::string& file : files) {
    const auto text = ReadAll(file);
    if (!text.ok()) return text.error();
    const bool json = LooksLikeJson(*text);
    ReportRun* run = Partner(runs, file, json);
    if (run == nullptr) run = &runs.emplace_back();
    run->files.push_back(file);
    if (json) {
      auto figures = ParseFigures(*text, file);
      if (!figures.ok()) return std::move(figures).error();
      run->figures = *std::move(figures);
    } else {
      auto frames = ParseFrameLog(*text, file);
      if (!frames.ok()) return std::move(frames).error();
      run->frames = *std::move(frames);
    }
  }
  return runs;
}

}  // namespace tandem::cli
