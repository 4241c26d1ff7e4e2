// Writing inside another program without raising signals in it.
#pragma once

#include <csignal>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// While it lives, the calling thread gets no SIGPIPE and no SIGXFSZ. Writes to a pipe without a reader, or past the file size
// limit, fail with EPIPE or EFBIG only. Must not be nested with a wait for these signals.
class WriteSignalsHeld {
 public:
  WriteSignalsHeld();
  ~WriteSignalsHeld();
  WriteSignalsHeld(const WriteSignalsHeld&) = delete;
  WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

 private:
  sigset_t held_;    // without the signals pending before
  sigset_t before_;  // the thread's mask
};

// Writes all of `bytes` and waits while a pipe is full. kIo with `name`; a part may be written by then. Holds WriteSignalsHeld.
Result<void> WriteAll(const UniqueFd& file, std::span<const std::byte> bytes, std::string_view name);
Result<void> WriteAll(const UniqueFd& file, std::string_view text, std::string_view name);

// Writes to standard error as much as it accepts. Allocates nothing.
void WriteToStandardError(std::string_view text) noexcept;

}  // namespace tandem
