// The file, or the files of several programs, that the figures of a run go to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/named_file.h"
#include "base/result.h"

namespace tandem::cli {

// One thread.
class FigureFile {
 public:
  FigureFile() = default;  // nobody asked for one
  // `pattern` is absolute and checked (config/file_pattern.h); empty: nobody asked for one. Touches nothing. kIo, before the
  // program has started, if the file cannot be written. The folder alone is checked where each program has a file of its own.
  [[nodiscard]] static Result<FigureFile> Find(const std::string& pattern);

  [[nodiscard]] bool wanted() const { return !pattern_.empty(); }
  [[nodiscard]] bool is_stream() const { return wanted() && file_.kind == NamedFile::Kind::kStream; }
  // The pattern in the user's words; the path where it has no placeholders.
  [[nodiscard]] const std::string& pattern() const { return pattern_; }
  // The program has started: removes the regular file that an earlier run left, unless it is written anew already. Figures of
  // this run and of another one are then not mixed up. Files of several programs stay.
  void RemoveOld();
  // True if a program of this run has written a file. Always false for a stream.
  [[nodiscard]] bool written() const { return !Written().empty(); }
  // The same for one path.
  [[nodiscard]] bool written(const std::string& path) const { return Written().contains(path); }
  // Paths that process `pid` began to write and did not publish (base/replacement_file.h).
  [[nodiscard]] std::vector<std::string> LeftBy(pid_t pid) const;

 private:
  // Changes when the file is written or replaced.
  struct Version {
    std::uint64_t device, file;
    std::int64_t size, seconds, nanoseconds;
    friend bool operator==(const Version&, const Version&) = default;
  };
  using Versions = std::map<std::string, Version>;  // by path
  [[nodiscard]] Versions Now() const;
  [[nodiscard]] Versions Written() const;

  std::string pattern_;
  NamedFile file_;   // unless programs have files of their own
  Versions before_;  // of regular files that were there
};

}  // namespace tandem::cli
