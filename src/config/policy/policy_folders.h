// Folders of policy files: the vendor's, the administrator's, and the user's file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/policy/policy_file.h"

namespace tandem::config {

inline constexpr std::size_t kMaxPolicyFiles = 64;  // of one folder

struct PolicyFolders {
  std::vector<std::string> vendor;
  std::string administrator;
  std::optional<std::string> user;  // a file; nothing when the environment names no folder for it
};
// The system's folders, below TANDEM_POLICY_ROOT where that is set, and the user's file.
[[nodiscard]] PolicyFolders PolicyFoldersHere();

// Weakest first: vendor's, administrator's, each folder by name, the user's file. Files that are not there are left out; those of
// the system that everybody may write, or that belong to neither root nor the folder's owner, are faults. With a program, files
// that decide nothing about it are left out, and their faults with them.
[[nodiscard]] std::vector<PolicyFile> ReadPolicyFiles(const PolicyFolders& folders, const ProgramIdentity* program = nullptr);

}  // namespace tandem::config
