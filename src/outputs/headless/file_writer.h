// A recording: written from front to back in units (a header, a frame), of which no file has half a one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/named_file.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::outputs {

// Threads: as Sink.
class FileWriter {
 public:
  // Makes the file, or empties the regular one that is there. A pipe that nobody reads yet is opened with the first unit that
  // finds a reader. kIo.
  [[nodiscard]] static Result<FileWriter> Create(const std::string& path);
  FileWriter(FileWriter&& other) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  // Writes the unit; blocks while a pipe is full. One that fails is cut off again where the file can be cut, and the next unit
  // takes its place; elsewhere the recording has ended. kIo, and kNotFound while a pipe has no reader. The first failure is
  // logged, and in the end the number of all.
  Result<void> Write(std::span<const std::byte> unit);

 private:
  FileWriter(NamedFile file, UniqueFd fd) : file_(std::move(file)), fd_(std::move(fd)) {}
  Result<void> TryToWrite(std::span<const std::byte> unit);

  NamedFile file_;
  UniqueFd fd_;                // none: a pipe without a reader
  std::uint64_t whole_ = 0;    // bytes of whole units
  bool ended_ = false;         // with half a unit, which cannot be cut off
  std::uint64_t missing_ = 0;  // units
};

}  // namespace tandem::outputs
