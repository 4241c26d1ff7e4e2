#include "config/policy/policy_folders.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/env.h"
#include "config/config_file.h"
#include "config/config_io.h"
#include "config/policy/policy_scan.h"

namespace tandem::config {
namespace {

// Why a system's file does not count; empty for one that does.
std::string Distrust(const std::string& path, const std::string& folder) {
  struct stat file {
  }, around{};
  if (stat(path.c_str(), &file) != 0 || stat(folder.c_str(), &around) != 0) return {};
  if (!S_ISREG(file.st_mode)) return "It is not a regular file.";
  if ((file.st_mode & S_IWOTH) != 0) return "Everybody may write it.";
  if (file.st_uid != 0 && file.st_uid != around.st_uid) return "It belongs to neither root nor the owner of its folder.";
  return {};
}

// Nothing: there is no such file, or it says nothing about `program`, which may be null.
std::optional<PolicyFile> ReadFile(const std::string& path, Source source, const ProgramIdentity* program) {
  PolicyFile file{.source = source, .path = path, .tables = {}, .faults = {}};
  const auto text = ReadConfigFile(path);
  if (!text.ok()) {
    file.faults.push_back({path, 0, text.error().message});
    return file;
  }
  if (!*text || (program != nullptr && !MayConcern(**text, *program))) return std::nullopt;
  return ParsePolicyText(**text, path, source);
}

void ReadFolder(const std::string& folder, Source source, const ProgramIdentity* program, std::vector<PolicyFile>& files) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), &closedir);
  if (entries == nullptr) return;
  std::vector<std::string> paths;
  while (const dirent* const entry = readdir(entries.get())) {
    if (std::string_view(entry->d_name).ends_with(".toml")) paths.push_back(folder + "/" + entry->d_name);
  }
  std::ranges::sort(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string distrust =
        i < kMaxPolicyFiles ? Distrust(paths[i], folder)
                            : fmt::format("It is one of {} files, at most {} are allowed.", paths.size(), kMaxPolicyFiles);
    if (!distrust.empty()) {
      files.push_back({.source = source, .path = paths[i], .tables = {}, .faults = {{paths[i], 0, distrust}}});
    } else if (auto file = ReadFile(paths[i], source, program)) {
      files.push_back(*std::move(file));
    }
  }
}

}  // namespace

PolicyFolders PolicyFoldersHere() {
  const std::string root = EnvString("TANDEM_POLICY_ROOT").value_or("");
  PolicyFolders folders{.vendor = {root + "/usr/share/tandem/policy.d"},
                        .administrator = root + "/etc/tandem/policy.d",
                        .user = ConfigFilePath("tandem.toml")};
  if (std::string installed = root + TANDEM_DATA_FOLDER "/tandem/policy.d"; installed != folders.vendor.front()) {
    folders.vendor.push_back(std::move(installed));
  }
  return folders;
}

std::vector<PolicyFile> ReadPolicyFiles(const PolicyFolders& folders, const ProgramIdentity* program) {
  std::vector<PolicyFile> files;
  for (const std::string& folder : folders.vendor) ReadFolder(folder, Source::kVendor, program, files);
  ReadFolder(folders.administrator, Source::kAdministrator, program, files);
  if (folders.user) {
    if (auto file = ReadFile(*folders.user, Source::kFile, program)) files.push_back(*std::move(file));
  }
  return files;
}

}  // namespace tandem::config
