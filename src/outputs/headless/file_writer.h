// A recording, written sequentially in units (a header, a frame). No file ends with a partial unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/named_file.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::outputs {

// Threads: as for Sink.
class FileWriter {
 public:
  // Creates the file, or truncates an existing regular file. A pipe without a reader is opened at the first unit that finds
  // one. kIo.
  [[nodiscard]] static Result<FileWriter> Create(const std::string& path);
  FileWriter(FileWriter&& other) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  // Writes the unit; blocks while a pipe is full. A partly written unit is cut off if the file can be truncated, and the next
  // unit takes its place. Otherwise the recording ends. kIo, or kNotFound while a pipe has no reader. Logs the first failure
  // and, at the end, the number of failures.
  Result<void> Write(std::span<const std::byte> unit);

 private:
  FileWriter(NamedFile file, UniqueFd fd) : file_(std::move(file)), fd_(std::move(fd)) {}
  Result<void> TryToWrite(std::span<const std::byte> unit);

  NamedFile file_;
  UniqueFd fd_;                // invalid: a pipe without a reader
  std::uint64_t whole_ = 0;    // bytes of whole units
  bool ended_ = false;         // after a partial unit that cannot be cut off
  std::uint64_t missing_ = 0;  // units
};

}  // namespace tandem::outputs
