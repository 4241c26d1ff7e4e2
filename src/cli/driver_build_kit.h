// The folders of the headers and the driver host, and the command lines that use them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/driver_build_project.h"

namespace tandem::cli {

struct DriverKit {
  std::filesystem::path nt;       // include/nt
  std::filesystem::path wddm;     // include/wddm
  std::filesystem::path archive;  // the driver host
};

// Beside the command in a build tree, or in the folders where it is installed. kNotFound.
[[nodiscard]] Result<DriverKit> FindDriverKit();

// The temporary files of one build.
struct BuildFolder {
  std::filesystem::path folder;
  std::filesystem::path overlay() const { return folder / "files.yaml"; }
  std::filesystem::path traces() const { return folder / "traces"; }        // .tmh files
  std::filesystem::path rewritten() const { return folder / "rewritten"; }  // sources with another `long`
  std::filesystem::path exports() const { return folder / "exports.map"; }
  std::filesystem::path entry() const { return folder / "entry.c"; }
};

// The object of the n-th source.
[[nodiscard]] std::filesystem::path ObjectOf(const BuildFolder& build, std::size_t index);

[[nodiscard]] std::vector<std::string> CompileCommand(const DriverKit& kit, const DriverProject& project,
                                                      const BuildFolder& build, const DriverBuildCommand& command,
                                                      const std::filesystem::path& source, const std::filesystem::path& object);
[[nodiscard]] std::vector<std::string> LinkCommand(const DriverKit& kit, const BuildFolder& build,
                                                   const DriverBuildCommand& command,
                                                   const std::vector<std::filesystem::path>& objects,
                                                   const std::filesystem::path& output);

// Writes the .tmh files, the overlay that finds files without regard to case, and the list of exported names.
[[nodiscard]] Result<void> WriteBuildFolder(const DriverKit& kit, const DriverProject& project, const BuildFolder& build);

}  // namespace tandem::cli
