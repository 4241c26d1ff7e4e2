#include "drivers/vulkan/icd/manifest.h"

#include <algorithm>
#include <utility>

#include "base/env.h"
#include "base/glob.h"
#include "drivers/vulkan/icd/manifest_files.h"

namespace tandem::vulkan {
namespace {

// True if one of the variable's patterns, with commas between, fits the manifest's name in any case of letters.
bool FitsFilter(const std::string& filter, std::string_view manifest) {
  const std::string name = LowerCase(manifest.substr(manifest.find_last_of('/') + 1));
  const std::string patterns = LowerCase(filter);
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
  const auto root = ParseManifestObject(text, path);
  if (!root.ok()) return root.error();
  const auto icd = root->find("ICD");
  if (icd == root->end() || !icd->is_object()) return Fail(ErrorKind::kInvalidArgument, "Manifest {} has no object ICD.", path);
  auto library = LibraryOf(*icd, path);
  if (!library.ok()) return std::move(library).error();
  Manifest manifest;
  manifest.library = *std::move(library);
  if (const std::string* api = StringMember(*icd, "api_version"); api != nullptr) manifest.api_version = api->substr(0, 32);
  return manifest;
}

Result<Manifest> ReadManifest(const std::string& path) {
  const auto text = ReadManifestText(path);
  return text.ok() ? ParseManifest(*text, path) : Result<Manifest>(text.error());
}

std::vector<std::string> FindManifests() {
  for (const char* variable : {kDriversBelowVariable, "VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const auto list = EnvString(variable);
    if (!list) continue;
    std::vector<std::string> files = ManifestFiles(ListedPaths(*list));
    LeaveOutFiltered(files);
    // A list of our driver alone says nothing about the drivers below it.
    if (std::erase_if(files, &IsOwn) == 0 || !files.empty()) return files;
  }
  std::vector<std::string> sources = ListedPaths(EnvString("VK_ADD_DRIVER_FILES").value_or(""));
  const std::vector<std::string> folders = ManifestFolders("icd.d");
  sources.insert(sources.end(), folders.begin(), folders.end());
  std::vector<std::string> files = ManifestFiles(sources);
  LeaveOutFiltered(files);
  std::erase_if(files, &IsOwn);
  return files;
}

bool IsOwnDriverAlone() {
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const auto list = EnvString(variable);
    if (!list) continue;
    const std::vector<std::string> files = ManifestFiles(ListedPaths(*list));
    return !files.empty() && std::all_of(files.begin(), files.end(), &IsOwn);
  }
  return false;
}

}  // namespace tandem::vulkan
