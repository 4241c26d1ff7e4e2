// The files of a driver: sources, include folders and definitions, as its project or its folder names them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::cli {

struct DriverProject {
  std::string name;                             // of the shared object, without suffix
  std::vector<std::filesystem::path> sources;   // absolute
  std::vector<std::filesystem::path> includes;  // absolute folders, in the order of the search
  std::vector<std::string> definitions;         // NAME or NAME=VALUE
  std::vector<std::filesystem::path> folders;   // whose files are found without regard to case
  std::string cpp_standard;                     // clang's name; empty for C++17
  std::optional<bool> message_interrupts;       // MSISupported of the setup files beside the project
};

// `place` is a folder or a .vcxproj file. A folder's only .vcxproj (in it, or else one level below), or its `sources` file, names
// the files; without one, every source below the folder counts, but tests. kNotFound, kInvalidArgument.
[[nodiscard]] Result<DriverProject> FindDriverProject(const std::filesystem::path& place);

// Adds what `other` has and `project` lacks.
void Merge(DriverProject& project, const DriverProject& other);

[[nodiscard]] bool IsDriverSource(const std::filesystem::path& file);  // .c, .cpp, .cxx, .cc
[[nodiscard]] bool IsDriverHeader(const std::filesystem::path& file);

// `path` with '\' or '/', relative to `folder`, whose names may differ in case. Empty when there is no such file.
[[nodiscard]] std::filesystem::path ResolveWindowsPath(const std::filesystem::path& folder, std::string_view path);

}  // namespace tandem::cli
