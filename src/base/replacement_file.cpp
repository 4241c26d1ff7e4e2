#include "base/replacement_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/named_file.h"
#include "base/write_all.h"

namespace tandem {
namespace {

Error IoError(const std::string& path, const char* what) {
  return Fail(ErrorKind::kIo, "{} cannot be {}: {}.", path, what, std::strerror(errno));
}

std::string TemporaryOf(const std::string& path, pid_t pid) { return path + "." + std::to_string(pid); }

}  // namespace

Result<ReplacementFile> ReplacementFile::Create(const std::string& path) {
  auto named = FindNamedFile(path);
  if (!named.ok()) return std::move(named).error();
  if (named->kind == NamedFile::Kind::kStream) {
    auto stream = OpenStream(*named);
    if (!stream.ok()) return std::move(stream).error();
    return ReplacementFile(path, {}, *std::move(stream), true);
  }
  std::string temporary = TemporaryOf(named->path, getpid());
  unlink(temporary.c_str());
  UniqueFd file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.valid()) return IoError(temporary, "made");
  struct stat replaced {};
  if (lstat(named->path.c_str(), &replaced) == 0) fchmod(file.get(), replaced.st_mode & 0777);
  return ReplacementFile(std::move(named->path), std::move(temporary), std::move(file), false);
}

Result<bool> ReplacementFile::PublishLeft(const std::string& path, pid_t pid, std::string_view tail) {
  const std::string temporary = TemporaryOf(path, pid);
  struct stat found {};
  if (lstat(temporary.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid()) return false;
  if (!tail.empty()) {
    const UniqueFd file(open(temporary.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!file.valid()) return IoError(temporary, "opened");
    if (auto written = WriteAll(file, tail, temporary); !written.ok()) return std::move(written).error();
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return IoError(path, "replaced");
  return true;
}

ReplacementFile& ReplacementFile::operator=(ReplacementFile&& other) noexcept {
  if (this == &other) return *this;
  Drop();
  path_ = std::move(other.path_);
  temporary_ = std::move(other.temporary_);
  file_ = std::move(other.file_);
  published_ = other.published_;
  return *this;
}

void ReplacementFile::Drop() {
  if (file_.valid() && !published_) unlink(temporary_.c_str());
  file_.Reset();
}

Result<void> ReplacementFile::Write(std::string_view text) { return WriteAll(file_, text, published_ ? path_ : temporary_); }

void ReplacementFile::TakeBack(std::size_t bytes) { static_cast<void>(lseek(file_.get(), -static_cast<off_t>(bytes), SEEK_CUR)); }

Result<void> ReplacementFile::Publish() {
  if (published_) return {};
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return IoError(path_, "replaced");
  published_ = true;
  return {};
}

Result<void> ReplaceFile(const std::string& path, std::string_view text) {
  auto file = ReplacementFile::Create(path);
  if (!file.ok()) return std::move(file).error();
  if (auto written = file->Write(text); !written.ok()) return written;
  return file->Publish();
}

}  // namespace tandem
