// A file that takes another's place whole: it is written beside it, and put there in one step. Only regular files are replaced;
// what else a path names is written to.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// Threads: as a plain file, not shared without a lock.
class ReplacementFile {
 public:
  ReplacementFile() = default;  // none
  // Beside the file that `path` leads to, as FILE.PID. Nothing that others left under that name is followed or written to. A
  // stream is opened; it is published from the beginning. kIo, kNotFound for a stream without a reader.
  [[nodiscard]] static Result<ReplacementFile> Create(const std::string& path);
  // What process `pid` created so and did not publish, because it was ended, takes its place. False: there is no such file of
  // this user. kIo.
  [[nodiscard]] static Result<bool> PublishLeft(const std::string& path, pid_t pid);
  ReplacementFile(ReplacementFile&& other) noexcept = default;
  ReplacementFile& operator=(ReplacementFile&& other) noexcept;
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;
  ~ReplacementFile() { Drop(); }

  [[nodiscard]] bool valid() const { return file_.valid(); }
  [[nodiscard]] bool published() const { return published_; }
  [[nodiscard]] const UniqueFd& fd() const { return file_; }
  // All of it, behind what was written before. kIo.
  Result<void> Write(std::string_view text);
  // Puts it in its place; what is written later is appended. kIo.
  Result<void> Publish();

 private:
  ReplacementFile(std::string path, std::string temporary, UniqueFd file, bool published)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)), published_(published) {}
  // Nothing is left of one that was not published.
  void Drop();

  std::string path_;
  std::string temporary_;
  UniqueFd file_;
  bool published_ = false;
};

// The file becomes `text`, in one step; a stream gets it. kIo, kNotFound.
Result<void> ReplaceFile(const std::string& path, std::string_view text);

}  // namespace tandem
