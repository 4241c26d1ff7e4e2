#include "drivers/vulkan/icd/manifest.h"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/env.h"
#include "base/glob.h"

namespace tandem::vulkan {
namespace {

using Json = nlohmann::json;

std::string Directory(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

const std::string* StringMember(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

void AddList(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    const std::size_t colon = list.find(':');
    const std::string_view item = list.substr(0, colon);
    if (!item.empty()) out.emplace_back(item);
    list = colon == std::string_view::npos ? std::string_view() : list.substr(colon + 1);
  }
}

bool EndsWithJson(std::string_view name) { return name.size() > 5 && name.substr(name.size() - 5) == ".json"; }

// Adds the *.json files of a folder by name, or the path itself if it is such a file; VK_DRIVER_FILES may contain both.
void AddFiles(const std::string& path, std::vector<std::string>& out) {
  if (EndsWithJson(path)) {
    out.push_back(path);
    return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), &closedir);
  if (folder == nullptr) return;
  std::vector<std::string> names;
  while (const dirent* entry = readdir(folder.get())) {
    if (EndsWithJson(entry->d_name) && names.size() <= kMaxManifests) names.push_back(path + "/" + entry->d_name);
  }
  std::sort(names.begin(), names.end());
  out.insert(out.end(), names.begin(), names.end());
}

void AddFolders(const std::optional<std::string>& list, const char* fallback, std::vector<std::string>& folders) {
  std::vector<std::string> roots;
  AddList(list ? std::string_view(*list) : std::string_view(fallback), roots);
  for (const std::string& root : roots) folders.push_back(root + "/vulkan/icd.d");
}

std::vector<std::string> StandardFolders() {
  const std::string home = EnvString("HOME").value_or("");
  std::vector<std::string> folders;
  AddFolders(EnvString("XDG_CONFIG_HOME"), home.empty() ? "" : (home + "/.config").c_str(), folders);
  AddFolders(EnvString("XDG_CONFIG_DIRS"), "/etc/xdg", folders);
  folders.emplace_back("/etc/vulkan/icd.d");
  AddFolders(EnvString("XDG_DATA_HOME"), home.empty() ? "" : (home + "/.local/share").c_str(), folders);
  AddFolders(EnvString("XDG_DATA_DIRS"), "/usr/local/share:/usr/share", folders);
  return folders;
}

std::vector<std::string> Listed(std::string_view list) {
  std::vector<std::string> items;
  AddList(list, items);
  return items;
}

// The manifests of files and folders, each once.
std::vector<std::string> FilesOf(const std::vector<std::string>& sources) {
  std::vector<std::string> files;
  for (const std::string& source : sources) AddFiles(source, files);
  std::vector<std::string> unique;
  for (std::string& file : files) {
    if (std::find(unique.begin(), unique.end(), file) == unique.end()) unique.push_back(std::move(file));
  }
  return unique;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// True if one of the variable's patterns, with commas between, fits the manifest's name in any case of letters.
bool FitsFilter(const std::string& filter, std::string_view manifest) {
  const std::string name = Lower(manifest.substr(manifest.find_last_of('/') + 1));
  const std::string patterns = Lower(filter);
  for (std::string_view rest = patterns; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (MatchesGlob(rest.substr(0, end), name)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// The loader does so: a render adapter whose driver it leaves out cannot be had in the program either. Tandem's own driver loads
// what is below it by itself, and a session may have these filters so that programs without it leave a GPU asleep.
void LeaveOutFiltered(std::vector<std::string>& files) {
  if (EnvString("TANDEM_AS") == "driver") return;
  if (const auto select = EnvString("VK_LOADER_DRIVERS_SELECT")) {
    std::erase_if(files, [&](const std::string& file) { return !FitsFilter(*select, file); });
  }
  if (const auto disable = EnvString("VK_LOADER_DRIVERS_DISABLE")) {
    std::erase_if(files, [&](const std::string& file) { return FitsFilter(*disable, file); });
  }
}

bool IsOwn(std::string_view manifest) { return manifest.substr(manifest.find_last_of('/') + 1) == kOwnDriverManifest; }

}  // namespace

Result<Manifest> ParseManifest(std::string_view text, const std::string& path) {
  if (text.size() > kMaxManifestBytes) {
    return Fail(ErrorKind::kInvalidArgument, "Manifest {} has {} bytes; the limit is {}.", path, text.size(), kMaxManifestBytes);
  }
  bool too_deep = false;
  const Json root = Json::parse(
      text.begin(), text.end(),
      [&](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > kMaxManifestDepth;
        return depth <= kMaxManifestDepth;
      },
      /*allow_exceptions=*/false);
  if (too_deep) return Fail(ErrorKind::kInvalidArgument, "Manifest {} is nested deeper than {}.", path, kMaxManifestDepth);
  if (root.is_discarded() || !root.is_object())
    return Fail(ErrorKind::kInvalidArgument, "Manifest {} is not a JSON object.", path);
  const std::string* version = StringMember(root, "file_format_version");
  if (version == nullptr || version->rfind("1.", 0) != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Manifest {} has file_format_version \"{}\"; 1.x is known.", path,
                version == nullptr ? "" : version->substr(0, 32));
  }
  const auto icd = root.find("ICD");
  if (icd == root.end() || !icd->is_object()) return Fail(ErrorKind::kInvalidArgument, "Manifest {} has no object ICD.", path);
  const std::string* architecture = StringMember(*icd, "library_arch");
  if (architecture != nullptr && *architecture != "64") {
    return Fail(ErrorKind::kUnsupported, "Manifest {} is of a driver for library_arch {}.", path, architecture->substr(0, 32));
  }
  const std::string* library = StringMember(*icd, "library_path");
  if (library == nullptr || library->empty() || library->size() > 4096 || library->find('\0') != std::string::npos) {
    return Fail(ErrorKind::kInvalidArgument, "Manifest {} has no library_path of 1 to 4096 characters.", path);
  }
  Manifest manifest;
  const bool relative = library->front() != '/' && library->find('/') != std::string::npos;
  manifest.library = relative ? Directory(path) + "/" + *library : *library;
  if (const std::string* api = StringMember(*icd, "api_version"); api != nullptr) manifest.api_version = api->substr(0, 32);
  return manifest;
}

Result<Manifest> ReadManifest(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return Fail(ErrorKind::kIo, "Manifest {} cannot be opened.", path);
  std::string text(kMaxManifestBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return ParseManifest(text, path);
}

std::vector<std::string> FindManifests() {
  for (const char* variable : {kDriversBelowVariable, "VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const auto list = EnvString(variable);
    if (!list) continue;
    std::vector<std::string> files = FilesOf(Listed(*list));
    LeaveOutFiltered(files);
    // A list of our driver alone says nothing about the drivers below it.
    if (std::erase_if(files, &IsOwn) == 0 || !files.empty()) return files;
  }
  std::vector<std::string> sources = Listed(EnvString("VK_ADD_DRIVER_FILES").value_or(""));
  const std::vector<std::string> folders = StandardFolders();
  sources.insert(sources.end(), folders.begin(), folders.end());
  std::vector<std::string> files = FilesOf(sources);
  LeaveOutFiltered(files);
  std::erase_if(files, &IsOwn);
  return files;
}

bool IsOwnDriverAlone() {
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const auto list = EnvString(variable);
    if (!list) continue;
    const std::vector<std::string> files = FilesOf(Listed(*list));
    return !files.empty() && std::all_of(files.begin(), files.end(), &IsOwn);
  }
  return false;
}

}  // namespace tandem::vulkan
