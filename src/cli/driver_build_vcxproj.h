// A Visual C++ project lists its files. This reader takes the elements that a driver's build needs from its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::cli {

// Begins a path that is relative to the solution's folder.
inline constexpr std::string_view kSolutionFolder = "$(SolutionDir)";

struct VcxProject {
  std::vector<std::string> sources;      // as written, with backslashes
  std::vector<std::string> includes;     // without the parts that are macros
  std::vector<std::string> definitions;  // of the configuration Release|x64, or of every one
  std::string cpp_standard;              // clang's name of its LanguageStandard; empty for C++17 and older
};

[[nodiscard]] VcxProject ReadVcxProject(std::string_view text);

// The words behind SOURCES= in a `sources` file of the older build system.
[[nodiscard]] std::vector<std::string> ReadSourcesFile(std::string_view text);

}  // namespace tandem::cli
