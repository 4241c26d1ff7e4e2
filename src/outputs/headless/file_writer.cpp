#include "outputs/headless/file_writer.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace tandem::outputs {

Result<FileWriter> FileWriter::Create(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.valid()) return Fail(ErrorKind::kIo, "File {} cannot be written: {}.", path, std::strerror(errno));
  return FileWriter(path, std::move(fd));
}

Result<void> FileWriter::Write(std::span<const std::byte> bytes) {
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
