#include "outputs/headless/file_writer.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/write_all.h"

namespace tandem::outputs {

Result<FileWriter> FileWriter::Create(const std::string& path) {
  auto file = FindNamedFile(path);
  if (!file.ok()) return std::move(file).error();
  if (file->kind == NamedFile::Kind::kStream) {
    auto stream = OpenStream(*file);
    if (stream.ok()) return FileWriter(*std::move(file), *std::move(stream));
    if (stream.error().kind != ErrorKind::kNotFound) return std::move(stream).error();
    return FileWriter(*std::move(file), UniqueFd());
  }
  UniqueFd fd(open(file->path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.valid()) return Fail(ErrorKind::kIo, "{} cannot be written: {}.", path, std::strerror(errno));
  return FileWriter(*std::move(file), std::move(fd));
}

FileWriter::~FileWriter() {
  if (missing_ != 0) Log(LogLevel::kError, "{} lacks {} frames that could not be written.", file_.path, missing_);
}

Result<void> FileWriter::Write(std::span<const std::byte> unit) {
  auto written = TryToWrite(unit);
  if (!written.ok() && missing_++ == 0) Log(LogLevel::kError, "Frames are missing: {}", written.error().message);
  return written;
}

Result<void> FileWriter::TryToWrite(std::span<const std::byte> unit) {
  if (ended_) return Fail(ErrorKind::kIo, "{} has ended within a frame.", file_.path);
  if (!fd_.valid()) {
    auto stream = OpenStream(file_);
    if (!stream.ok()) return std::move(stream).error();
    fd_ = *std::move(stream);
  }
  auto written = WriteAll(fd_, unit, file_.path);
  if (written.ok()) {
    whole_ += unit.size();
    return written;
  }
  const bool cut = file_.kind != NamedFile::Kind::kStream && ftruncate(fd_.get(), static_cast<off_t>(whole_)) == 0 &&
                   lseek(fd_.get(), static_cast<off_t>(whole_), SEEK_SET) >= 0;
  ended_ = !cut;
  return written;
}

}  // namespace tandem::outputs
