#include "drivers/vulkan/icd/manifest_files.h"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/env.h"

namespace tandem::vulkan {
namespace {

using Json = nlohmann::json;

std::string Directory(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
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

}  // namespace

std::vector<std::string> ListedPaths(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t colon = list.find(':');
    const std::string_view item = list.substr(0, colon);
    if (!item.empty()) items.emplace_back(item);
    list = colon == std::string_view::npos ? std::string_view() : list.substr(colon + 1);
  }
  return items;
}

std::vector<std::string> ManifestFolders(std::string_view kind) {
  std::vector<std::string> folders;
  const auto add = [&](const std::optional<std::string>& list, const std::string& fallback) {
    for (const std::string& root : ListedPaths(list ? *list : fallback)) folders.push_back(root + "/vulkan/" + std::string(kind));
  };
  const std::string home = EnvString("HOME").value_or("");
  add(EnvString("XDG_CONFIG_HOME"), home.empty() ? "" : home + "/.config");
  add(EnvString("XDG_CONFIG_DIRS"), "/etc/xdg");
  add(std::nullopt, "/etc");
  add(EnvString("XDG_DATA_HOME"), home.empty() ? "" : home + "/.local/share");
  add(EnvString("XDG_DATA_DIRS"), "/usr/local/share:/usr/share");
  return folders;
}

std::vector<std::string> ManifestFiles(const std::vector<std::string>& sources) {
  std::vector<std::string> files;
  for (const std::string& source : sources) AddFiles(source, files);
  std::vector<std::string> unique;
  for (std::string& file : files) {
    if (std::find(unique.begin(), unique.end(), file) == unique.end()) unique.push_back(std::move(file));
  }
  return unique;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

Result<std::string> ReadManifestText(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return Fail(ErrorKind::kIo, "Manifest {} cannot be opened.", path);
  std::string text(kMaxManifestBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

Result<Json> ParseManifestObject(std::string_view text, const std::string& path) {
  if (text.size() > kMaxManifestBytes) {
    return Fail(ErrorKind::kInvalidArgument, "Manifest {} has {} bytes; the limit is {}.", path, text.size(), kMaxManifestBytes);
  }
  bool too_deep = false;
  Json root = Json::parse(
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
  return root;
}

const std::string* StringMember(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : found->get_ptr<const std::string*>();
}

Result<std::string> LibraryOf(const Json& object, const std::string& path) {
  const std::string* architecture = StringMember(object, "library_arch");
  if (architecture != nullptr && *architecture != "64") {
    return Fail(ErrorKind::kUnsupported, "Manifest {} is of a library for library_arch {}.", path, architecture->substr(0, 32));
  }
  const std::string* library = StringMember(object, "library_path");
  if (library == nullptr || library->empty() || library->size() > 4096 || library->find('\0') != std::string::npos) {
    return Fail(ErrorKind::kInvalidArgument, "Manifest {} has no library_path of 1 to 4096 characters.", path);
  }
  const bool relative = library->front() != '/' && library->find('/') != std::string::npos;
  return relative ? Directory(path) + "/" + *library : *library;
}

}  // namespace tandem::vulkan
