// Writing inside somebody else's program, whose signals are not ours to cause.
#pragma once

#include <csignal>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// While it lives, the calling thread gets no SIGPIPE and no SIGXFSZ: a write to a pipe without a reader, or beyond the limit of a
// file's size, fails with EPIPE or EFBIG and nothing else. Does not nest with a wait for these signals.
class WriteSignalsHeld {
 public:
  WriteSignalsHeld();
  ~WriteSignalsHeld();
  WriteSignalsHeld(const WriteSignalsHeld&) = delete;
  WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

 private:
  sigset_t held_;    // less what waited before
  sigset_t before_;  // the thread's mask
};

// All of `bytes`, waiting while a pipe is full. kIo with `name`; what fitted before is written then. WriteSignalsHeld.
Result<void> WriteAll(const UniqueFd& file, std::span<const std::byte> bytes, std::string_view name);
Result<void> WriteAll(const UniqueFd& file, std::string_view text, std::string_view name);

// To standard error, as far as it takes it. Allocates nothing.
void WriteToStandardError(std::string_view text) noexcept;

}  // namespace tandem
