#include "system/cache_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "config/config_io.h"
#include "config/device_file.h"

namespace tandem::system {
namespace {

constexpr int kReadOnly = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

bool IsThisUsers(const UniqueFd& file, mode_t type) {
  struct stat found {};
  return fstat(file.get(), &found) == 0 && (found.st_mode & S_IFMT) == type && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Error Unopened(const std::string& path) {
  if (errno == ENOENT) return Fail(ErrorKind::kNotFound, "{} does not exist.", path);
  return Fail(ErrorKind::kIo, "{} cannot be opened: {}.", path, std::strerror(errno));
}

Error Shared(const std::string& path) { return Fail(ErrorKind::kUnsupported, "{} is not this user's alone to write.", path); }

// The folder that the file is in.
Result<UniqueFd> OpenParent(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().string();
  UniqueFd opened(open(folder.c_str(), kReadOnly | O_DIRECTORY));
  if (!opened.valid()) return Unopened(folder);
  if (!IsThisUsers(opened, S_IFDIR)) return Shared(folder);
  return opened;
}

// One byte more than the limit, so that a longer file is seen.
std::string ReadSome(const UniqueFd& file, std::size_t limit) {
  constexpr std::size_t kPart = std::size_t{64} * 1024;
  std::string text;
  while (text.size() <= limit) {
    const std::size_t before = text.size();
    text.resize(std::min(before + kPart, limit + 1));
    const ssize_t got = read(file.get(), text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  return text;
}

}  // namespace

Result<std::string> CachePath(const std::string& name) {
  auto path = config::CacheFilePath(name);
  if (!path) return Fail(ErrorKind::kNotFound, "Neither XDG_CACHE_HOME nor HOME names a folder.");
  return *std::move(path);
}

Result<std::string> ReadCacheFile(const std::string& path, std::size_t limit) {
  const auto folder = OpenParent(path);
  if (!folder.ok()) return folder.error();
  const UniqueFd file(openat(folder->get(), std::filesystem::path(path).filename().c_str(), kReadOnly));
  if (!file.valid()) return Unopened(path);
  if (!IsThisUsers(file, S_IFREG)) return Shared(path);
  return ReadSome(file, limit);
}

Result<void> WriteCacheFile(const std::string& path, std::string_view bytes) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return Fail(ErrorKind::kIo, "{} cannot be made: {}.", folder.string(), std::strerror(errno));
  }
  if (const auto opened = OpenParent(path); !opened.ok()) return opened.error();
  return config::ReplaceConfigFile(path, bytes);
}

}  // namespace tandem::system
