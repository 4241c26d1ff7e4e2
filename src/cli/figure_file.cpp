#include "cli/figure_file.h"

#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace tandem::cli {

Result<FigureFile> FigureFile::Find(const std::string& path) {
  FigureFile found;
  if (path.empty()) return found;
  if (auto checked = CheckWritable(path, Writing::kReplacing); !checked.ok()) return std::move(checked).error();
  auto file = FindNamedFile(path);
  if (!file.ok()) return std::move(file).error();
  found.path_ = path;
  found.file_ = *std::move(file);
  found.before_ = found.Now();
  return found;
}

std::optional<FigureFile::Version> FigureFile::Now() const {
  struct stat file {};
  if (!wanted() || file_.kind == NamedFile::Kind::kStream || lstat(file_.path.c_str(), &file) != 0) return std::nullopt;
  return Version{file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

void FigureFile::RemoveOld() {
  // The target of a link stays until it is replaced, for a link to nothing is not written through.
  if (!before_ || file_.path != path_ || Now() != before_) return;
  if (unlink(path_.c_str()) == 0) before_.reset();
}

bool FigureFile::written() const {
  const auto now = Now();
  return now && now != before_;
}

}  // namespace tandem::cli
