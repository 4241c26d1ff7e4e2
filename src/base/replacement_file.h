// A file that replaces another in one step: it is written beside that file, then renamed. Only regular files are replaced;
// streams are written to directly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// Not thread-safe.
class ReplacementFile {
 public:
  ReplacementFile() = default;  // no file
  // Creates FILE.PID beside the file that `path` leads to. It neither follows nor writes anything that others left under that
  // name. A stream is opened instead and counts as published from the start. kIo, kNotFound for a stream without a reader.
  [[nodiscard]] static Result<ReplacementFile> Create(const std::string& path);
  // Publishes the file that process `pid` created but did not publish because it was killed, with `tail` behind its text.
  // False if this user has no such file. kIo.
  [[nodiscard]] static Result<bool> PublishLeft(const std::string& path, pid_t pid, std::string_view tail = {});
  ReplacementFile(ReplacementFile&& other) noexcept = default;
  ReplacementFile& operator=(ReplacementFile&& other) noexcept;
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;
  ~ReplacementFile() { Drop(); }

  [[nodiscard]] bool valid() const { return file_.valid(); }
  [[nodiscard]] bool published() const { return published_; }
  [[nodiscard]] bool is_stream() const { return temporary_.empty(); }
  [[nodiscard]] const UniqueFd& fd() const { return file_; }
  // Appends all of `text`. kIo.
  Result<void> Write(std::string_view text);
  // The next text replaces the last `bytes` that were written. Not for streams.
  void TakeBack(std::size_t bytes);
  // Renames the file into place; later writes are appended to it. kIo.
  Result<void> Publish();

 private:
  ReplacementFile(std::string path, std::string temporary, UniqueFd file, bool published)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)), published_(published) {}
  // Deletes a file that was not published.
  void Drop();

  std::string path_;
  std::string temporary_;
  UniqueFd file_;
  bool published_ = false;
};

// Replaces the file's content by `text` in one step; a stream is written to. kIo, kNotFound.
Result<void> ReplaceFile(const std::string& path, std::string_view text);

}  // namespace tandem
