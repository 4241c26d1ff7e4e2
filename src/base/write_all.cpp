#include "base/write_all.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include <unistd.h>

namespace tandem {
namespace {

// Returns 0 or errno; `bytes` keeps the unwritten rest.
int Write(int file, std::span<const std::byte>& bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

WriteSignalsHeld::WriteSignalsHeld() {
  sigset_t waiting;
  sigpending(&waiting);
  sigemptyset(&held_);
  for (const int number : {SIGPIPE, SIGXFSZ}) {
    if (sigismember(&waiting, number) == 0) sigaddset(&held_, number);
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

WriteSignalsHeld::~WriteSignalsHeld() {
  const int error = errno;
  const timespec at_once{0, 0};
  while (sigtimedwait(&held_, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

Result<void> WriteAll(const UniqueFd& file, std::span<const std::byte> bytes, std::string_view name) {
  const WriteSignalsHeld held;
  const int error = Write(file.get(), bytes);
  if (error == 0) return {};
  return Fail(ErrorKind::kIo, "{} cannot be written: {}; {} bytes are missing.", name, std::strerror(error), bytes.size());
}

Result<void> WriteAll(const UniqueFd& file, std::string_view text, std::string_view name) {
  return WriteAll(file, std::as_bytes(std::span(text)), name);
}

void WriteToStandardError(std::string_view text) noexcept {
  const WriteSignalsHeld held;
  auto bytes = std::as_bytes(std::span(text));
  static_cast<void>(Write(STDERR_FILENO, bytes));
}

}  // namespace tandem
