#include "base/named_file.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replacement_file.h"

namespace tandem {
namespace {

Error CannotBeWritten(const std::string& path, const char* why) {
  return Fail(ErrorKind::kIo, "{} cannot be written: {}.", path, why);
}

bool Same(const struct stat& one, const struct stat& other) { return one.st_dev == other.st_dev && one.st_ino == other.st_ino; }

// STDOUT_FILENO or STDERR_FILENO if `file` is one of them; otherwise -1.
int StandardDescriptorOf(const struct stat& file) {
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat found {};
    if (fstat(standard, &found) == 0 && Same(found, file)) return standard;
  }
  return -1;
}

// The path without links. The system follows the links, with its own rules for folders writable by others. Empty if the file
// has no such path.
std::string RealPathOf(const std::string& path, const struct stat& file) {
  const UniqueFd opened(open(path.c_str(), O_PATH | O_CLOEXEC));
  std::array<char, PATH_MAX> real{};
  const std::string link = "/proc/self/fd/" + std::to_string(opened.get());
  const ssize_t size = opened.valid() ? readlink(link.c_str(), real.data(), real.size() - 1) : -1;
  struct stat found {};
  if (size <= 0 || lstat(real.data(), &found) != 0 || !Same(found, file)) return {};
  return real.data();
}

}  // namespace

Result<NamedFile> FindNamedFile(const std::string& path) {
  struct stat named {};
  if (lstat(path.c_str(), &named) != 0) {
    if (errno == ENOENT) return NamedFile{NamedFile::Kind::kNew, path};
    return CannotBeWritten(path, std::strerror(errno));
  }
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) {
    return CannotBeWritten(path, errno == ENOENT ? "it is a link to nothing" : std::strerror(errno));
  }
  if (S_ISDIR(file.st_mode)) return CannotBeWritten(path, "it is a folder");
  if (StandardDescriptorOf(file) >= 0) return NamedFile{NamedFile::Kind::kStream, path};
  if (access(path.c_str(), W_OK) != 0) return CannotBeWritten(path, std::strerror(errno));
  if (!S_ISREG(file.st_mode)) return NamedFile{NamedFile::Kind::kStream, path};
  if (S_ISREG(named.st_mode)) return NamedFile{NamedFile::Kind::kRegular, path};
  std::string real = RealPathOf(path, file);
  if (real.empty()) return NamedFile{NamedFile::Kind::kStream, path};
  return NamedFile{NamedFile::Kind::kRegular, std::move(real)};
}

Result<UniqueFd> OpenStream(const NamedFile& file) {
  struct stat found {};
  const int standard = stat(file.path.c_str(), &found) == 0 ? StandardDescriptorOf(found) : -1;
  // A duplicate continues at the program's file offset, and a socket cannot be opened by path.
  UniqueFd opened(standard >= 0 ? fcntl(standard, F_DUPFD_CLOEXEC, 0)
                                : open(file.path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened.valid()) {
    if (errno == ENXIO) return Fail(ErrorKind::kNotFound, "{} has no reader.", file.path);
    return CannotBeWritten(file.path, std::strerror(errno));
  }
  if (standard < 0) fcntl(opened.get(), F_SETFL, O_APPEND);
  return opened;
}

Result<void> CheckWritable(const std::string& path, Writing writing) {
  const auto file = FindNamedFile(path);
  if (!file.ok()) return file.error();
  const bool made = file->kind == NamedFile::Kind::kNew;
  if (!made && (file->kind == NamedFile::Kind::kStream || writing == Writing::kInPlace)) return {};
  auto probe = ReplacementFile::Create(path);
  return probe.ok() ? Result<void>() : Result<void>(std::move(probe).error());
}

}  // namespace tandem
