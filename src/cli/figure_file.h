// A file that the figures of a run go to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/named_file.h"
#include "base/result.h"

namespace tandem::cli {

// One thread.
class FigureFile {
 public:
  FigureFile() = default;  // nobody asked for one
  // `path` is absolute; empty: nobody asked for one. Touches nothing. kIo, before the program has started, where the file cannot
  // be written.
  [[nodiscard]] static Result<FigureFile> Find(const std::string& path);

  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  [[nodiscard]] bool is_stream() const { return wanted() && file_.kind == NamedFile::Kind::kStream; }
  // The path in the user's words.
  [[nodiscard]] const std::string& path() const { return path_; }
  // The program has started: takes away the regular file that an earlier run left, unless it is written anew already. Figures of
  // this run and of another one are then not mixed up.
  void RemoveOld();
  // The program, or one that it started, has written it. Not known of a stream, and false.
  [[nodiscard]] bool written() const;

 private:
  // Another one when the file was written or replaced.
  struct Version {
    std::uint64_t device, file;
    std::int64_t size, seconds, nanoseconds;
    friend bool operator==(const Version&, const Version&) = default;
  };
  [[nodiscard]] std::optional<Version> Now() const;

  std::string path_;
  NamedFile file_;
  std::optional<Version> before_;  // of a regular file that was there
};

}  // namespace tandem::cli
