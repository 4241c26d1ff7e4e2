#include "cli/figure_file.h"

#include <span>
#include <utility>

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "config/file_pattern.h"

namespace tandem::cli {
namespace {

std::vector<std::string> Matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (const char* const path : std::span(found.gl_pathv, found.gl_pathc)) paths.emplace_back(path);
  }
  globfree(&found);
  return paths;
}

}  // namespace

Result<FigureFile> FigureFile::Find(const std::string& pattern) {
  FigureFile found;
  if (pattern.empty()) return found;
  const std::string path = config::FileOfProgram(pattern, getpid(), "program");
  if (auto checked = CheckWritable(path, Writing::kReplacing); !checked.ok()) return std::move(checked).error();
  if (!config::HasPlaceholders(pattern)) {
    auto file = FindNamedFile(path);
    if (!file.ok()) return std::move(file).error();
    found.file_ = *std::move(file);
  }
  found.pattern_ = pattern;
  found.before_ = found.Now();
  return found;
}

FigureFile::Versions FigureFile::Now() const {
  Versions versions;
  if (!wanted() || is_stream()) return versions;
  for (const std::string& path : Matches(config::GlobOfFiles(pattern_))) {
    struct stat file {};
    if (stat(path.c_str(), &file) != 0) continue;
    versions[path] = {file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
  }
  return versions;
}

void FigureFile::RemoveOld() {
  // The target of a link stays until it is replaced, for a link to nothing is not written through.
  if (config::HasPlaceholders(pattern_) || !before_.contains(file_.path) || written()) return;
  if (unlink(file_.path.c_str()) == 0) before_.clear();
}

FigureFile::Versions FigureFile::Written() const {
  Versions versions = Now();
  std::erase_if(versions, [this](const auto& version) {
    const auto before = before_.find(version.first);
    return before != before_.end() && before->second == version.second;
  });
  return versions;
}

std::vector<std::string> FigureFile::LeftBy(pid_t pid) const {
  const std::string end = fmt::format(".{}", pid);
  std::vector<std::string> paths;
  for (std::string& path : Matches(config::GlobOfFiles(pattern_, pid) + end)) {
    path.resize(path.size() - end.size());
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace tandem::cli
