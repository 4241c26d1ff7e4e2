// Names of files that each program of a run fills in: %p is its process id, %e its file name, %% a percent sign.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"

namespace tandem::config {

// kInvalidArgument for another letter, and for %p or %e in a folder's name: folders are checked before the program starts.
[[nodiscard]] Result<void> CheckFilePattern(std::string_view pattern);

// The functions below expect a checked pattern.

// True if programs have files of their own.
[[nodiscard]] bool HasPlaceholders(std::string_view pattern);
// The file of process `pid`, which runs the executable named `program`.
[[nodiscard]] std::string FileOfProgram(std::string_view pattern, pid_t pid, std::string_view program);
// A pattern for glob(3) that matches the files of all programs.
[[nodiscard]] std::string GlobOfFiles(std::string_view pattern);
// A pattern for glob(3) that matches the files of process `pid`, whatever it runs.
[[nodiscard]] std::string GlobOfFiles(std::string_view pattern, pid_t pid);
// A pattern that begins with the folder `folder`; `pattern` unless it is a relative path.
[[nodiscard]] std::string PatternIn(const std::string& folder, const std::string& pattern);

}  // namespace tandem::config
