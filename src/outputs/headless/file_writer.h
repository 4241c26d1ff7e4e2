// A file that is written from front to back, failures told with path and errno.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::outputs {

class FileWriter {
 public:
  FileWriter() = default;
  // Makes the file, or empties it. kIo.
  [[nodiscard]] static Result<FileWriter> Create(const std::string& path);

  // Writes all of it; blocks while a pipe is full. kIo.
  Result<void> Write(std::span<const std::byte> bytes);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  FileWriter(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
};

}  // namespace tandem::outputs
