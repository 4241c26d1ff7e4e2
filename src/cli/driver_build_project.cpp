#include "cli/driver_build_project.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/driver_build_setup.h"
#include "cli/driver_build_vcxproj.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool HasSuffix(const fs::path& file, std::initializer_list<std::string_view> suffixes) {
  const std::string suffix = Lower(file.extension().string());
  return std::ranges::find(suffixes, suffix) != suffixes.end();
}

std::string TextOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

// Sorted, so that a build does not depend on the file system's order.
std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

std::vector<fs::path> ProjectsIn(const fs::path& folder) {
  std::vector<fs::path> projects;
  for (const fs::path& entry : EntriesOf(folder)) {
    if (HasSuffix(entry, {".vcxproj"})) projects.push_back(entry);
  }
  return projects;
}

bool IsLeftOut(const fs::path& folder) {
  const std::string name = Lower(folder.filename().string());
  return name.starts_with('.') || name.starts_with("test") || name.ends_with("test") || name.ends_with("tests") ||
         name == "build";
}

void AddSourcesBelow(const fs::path& folder, std::vector<fs::path>& sources) {
  for (const fs::path& entry : EntriesOf(folder)) {
    std::error_code error;
    if (fs::is_directory(entry, error)) {
      if (!IsLeftOut(entry)) AddSourcesBelow(entry, sources);
    } else if (IsDriverSource(entry) && !Lower(entry.stem().string()).ends_with("_test")) {
      sources.push_back(entry);
    }
  }
}

template <class T>
void AddOnce(std::vector<T>& all, T one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

// Each source's own folder is searched last, for headers beside it that a header elsewhere includes.
void AddFolders(DriverProject& project) {
  for (const fs::path& source : project.sources) AddOnce(project.includes, source.parent_path());
  for (const fs::path& folder : project.includes) AddOnce(project.folders, folder);
}

// The next folder upwards with a solution, or the one above the project's.
fs::path SolutionFolderOf(const fs::path& folder) {
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (std::ranges::any_of(EntriesOf(at), [](const fs::path& entry) { return HasSuffix(entry, {".sln"}); })) return at;
  }
  return folder.parent_path();
}

fs::path ResolveProjectPath(const fs::path& folder, std::string_view path) {
  if (!path.starts_with(kSolutionFolder)) return ResolveWindowsPath(folder, path);
  return ResolveWindowsPath(SolutionFolderOf(folder), path.substr(kSolutionFolder.size()));
}

Result<DriverProject> FromProjectFile(const fs::path& file) {
  DriverProject project;
  project.name = file.stem().string();
  const fs::path folder = file.parent_path();
  const VcxProject read = ReadVcxProject(TextOf(file));
  for (const std::string& source : read.sources) {
    fs::path found = ResolveProjectPath(folder, source);
    if (found.empty()) return Fail(ErrorKind::kNotFound, "{} names {}, which does not exist.", file.string(), source);
    AddOnce(project.sources, std::move(found));
  }
  AddOnce(project.includes, folder);
  for (const std::string& include : read.includes) {
    if (fs::path found = ResolveProjectPath(folder, include); !found.empty()) AddOnce(project.includes, std::move(found));
  }
  project.definitions = read.definitions;
  project.cpp_standard = read.cpp_standard;
  project.message_interrupts = MessageInterruptsOf(folder);
  return project;
}

Result<DriverProject> FromFolder(const fs::path& folder) {
  std::vector<fs::path> projects = ProjectsIn(folder);
  if (projects.empty()) {
    for (const fs::path& entry : EntriesOf(folder)) {
      std::error_code error;
      if (fs::is_directory(entry, error) && !IsLeftOut(entry)) std::ranges::copy(ProjectsIn(entry), std::back_inserter(projects));
    }
  }
  if (projects.size() > 1) {
    std::string names;
    for (const fs::path& project : projects) names += (names.empty() ? "" : ", ") + fs::relative(project, folder).string();
    return Fail(ErrorKind::kInvalidArgument, "{} has several projects; name one of them: {}.", folder.string(), names);
  }
  if (projects.size() == 1) return FromProjectFile(projects.front());
  DriverProject project;
  project.name = folder.filename().string();
  if (const fs::path list = ResolveWindowsPath(folder, "sources"); !list.empty() && fs::is_regular_file(list)) {
    for (const std::string& source : ReadSourcesFile(TextOf(list))) {
      fs::path found = ResolveWindowsPath(folder, source);
      if (found.empty()) return Fail(ErrorKind::kNotFound, "{} names {}, which does not exist.", list.string(), source);
      if (IsDriverSource(found)) AddOnce(project.sources, std::move(found));
    }
  } else {
    AddSourcesBelow(folder, project.sources);
  }
  AddOnce(project.includes, folder);
  project.message_interrupts = MessageInterruptsOf(folder);
  return project;
}

}  // namespace

bool IsDriverSource(const fs::path& file) { return HasSuffix(file, {".c", ".cpp", ".cxx", ".cc"}); }

bool IsDriverHeader(const fs::path& file) {
  return HasSuffix(file, {".h", ".hpp", ".hxx", ".hh", ".inc", ".inl", ".ver", ".tmh", ".def"});
}

fs::path ResolveWindowsPath(const fs::path& folder, std::string_view path) {
  std::string plain(path);
  std::ranges::replace(plain, '\\', '/');
  fs::path at = folder;
  for (const fs::path& part : fs::path(plain)) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    std::error_code error;
    if (fs::path exact = at / part; fs::exists(exact, error)) {
      at = std::move(exact);
      continue;
    }
    const std::vector<fs::path> entries = EntriesOf(at);
    const auto found = std::ranges::find_if(
        entries, [&](const fs::path& entry) { return Lower(entry.filename().string()) == Lower(part.string()); });
    if (found == entries.end()) return {};
    at = *found;
  }
  return at;
}

Result<DriverProject> FindDriverProject(const fs::path& place) {
  std::error_code error;
  const fs::path absolute = fs::canonical(place, error);
  if (error) return Fail(ErrorKind::kNotFound, "There is no {}.", place.string());
  Result<DriverProject> project =
      fs::is_directory(absolute, error) ? FromFolder(absolute)
      : HasSuffix(absolute, {".vcxproj"})
          ? FromProjectFile(absolute)
          : Result<DriverProject>(
                Fail(ErrorKind::kInvalidArgument, "{} is neither a folder nor a .vcxproj file.", place.string()));
  if (!project.ok()) return project;
  if (project->sources.empty()) {
    return Fail(ErrorKind::kNotFound, "{} has no sources (.c, .cpp, .cxx, .cc).", absolute.string());
  }
  AddFolders(*project);
  return project;
}

void Merge(DriverProject& project, const DriverProject& other) {
  for (const auto& source : other.sources) AddOnce(project.sources, source);
  for (const auto& include : other.includes) AddOnce(project.includes, include);
  for (const auto& definition : other.definitions) AddOnce(project.definitions, definition);
  for (const auto& folder : other.folders) AddOnce(project.folders, folder);
  project.cpp_standard = std::max(project.cpp_standard, other.cpp_standard);
  if (!project.message_interrupts) project.message_interrupts = other.message_interrupts;
}

}  // namespace tandem::cli
