#include "config/config_io.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "base/write_all.h"
#include "config/config_file.h"

namespace tandem::config {
namespace {

Error IoError(const std::string& path, const char* what) {
  return Fail(ErrorKind::kIo, "{} cannot be {}: {}.", path, what, std::strerror(errno));
}

}  // namespace

Result<std::optional<std::string>> ReadConfigFile(const std::string& path) {
  // O_NONBLOCK: a pipe in the file's place must not stop the program.
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return IoError(path, "opened");
  }
  // Files are small, and programs pay for each page that is touched at their start. The kernel's own files have no size.
  constexpr std::size_t kChunk = 4096;
  struct stat known {};
  const bool sized = fstat(file.get(), &known) == 0 && known.st_size > 0;
  // One byte more finds the end without further room.
  std::size_t room = sized ? static_cast<std::size_t>(known.st_size) + 1 : kChunk;
  std::string text;
  std::size_t size = 0;
  while (size <= kMaxConfigBytes) {
    if (text.size() == size) {
      text.resize(std::min(size + room, kMaxConfigBytes + 1));
      room = kChunk;
    }
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return IoError(path, "read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return std::optional<std::string>(std::move(text));
}

Result<void> ReplaceConfigFile(const std::string& path, std::string_view text) {
  std::error_code error;
  const std::filesystem::path target =
      std::filesystem::is_symlink(path, error) ? std::filesystem::weakly_canonical(path, error) : std::filesystem::path(path);
  std::filesystem::create_directories(target.parent_path(), error);
  if (error) return Fail(ErrorKind::kIo, "{} cannot be made: {}.", target.parent_path().string(), error.message());
  struct stat old {};
  const mode_t mode = stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0644;
  std::string temporary = target.string() + ".XXXXXX";
  const UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return IoError(temporary, "made");
  Result<void> written = WriteAll(file, text, temporary);
  if (written.ok() && fsync(file.get()) != 0) written = IoError(temporary, "written");
  if (written.ok() && fchmod(file.get(), mode) != 0) written = IoError(temporary, "given its mode");
  if (written.ok() && std::rename(temporary.c_str(), target.c_str()) != 0) written = IoError(target.string(), "replaced");
  if (!written.ok()) unlink(temporary.c_str());
  return written;
}

}  // namespace tandem::config
