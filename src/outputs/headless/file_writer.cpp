#include "outputs/headless/file_writer.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace tandem::outputs {
namespace {

// A pipe whose reader left answers EPIPE; its signal would end the program that we are a guest of. While this lives the calling
// thread does not get SIGPIPE, and one that came meanwhile is taken away, unless one waited before.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~NoBrokenPipeSignal() {
    const timespec at_once{0, 0};
    if (!was_pending_) sigtimedwait(&broken_pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t broken_pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace

Result<FileWriter> FileWriter::Create(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.valid()) return Fail(ErrorKind::kIo, "File {} cannot be written: {}.", path, std::strerror(errno));
  return FileWriter(path, std::move(fd));
}

Result<void> FileWriter::Write(std::span<const std::byte> bytes) {
  const NoBrokenPipeSignal no_signal;
  while (!bytes.empty()) {
    const ssize_t written = write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return Fail(ErrorKind::kIo, "Writing {} bytes to {} failed: {}.", bytes.size(), path_, std::strerror(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace tandem::outputs
