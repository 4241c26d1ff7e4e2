#include "conform/fuzz/run_notes.h"

#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace tandem::conform {
namespace {

Result<MemoryMap> Map(const UniqueFd& file, const std::string& path) {
  if (!file.valid()) return Fail(ErrorKind::kIo, "{} cannot be opened: {}.", path, std::strerror(errno));
  const auto size = RoundUpToPages(sizeof(RunNotes));
  if (!size.ok()) return size.error();
  if (ftruncate(file.get(), static_cast<off_t>(*size)) != 0) {
    return Fail(ErrorKind::kIo, "{} cannot be made longer: {}.", path, std::strerror(errno));
  }
  return MemoryMap::MapShared(file, 0, *size, MapAccess::kReadWrite);
}

}  // namespace

Result<NotesFile> NotesFile::Create(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  auto pages = Map(file, path);
  if (!pages.ok()) return std::move(pages).error();
  new (pages->data()) RunNotes();
  return NotesFile(*std::move(pages));
}

Result<NotesFile> NotesFile::Open(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  auto pages = Map(file, path);
  if (!pages.ok()) return std::move(pages).error();
  return NotesFile(*std::move(pages));
}

void SeenByRuns::Add(const SeenByRuns& more) {
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] |= more.answers[i];
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] |= more.edges[i];
}

void NotesFile::Begin(const SeenByRuns& seen) { (new (pages_.data()) RunNotes())->seen = seen; }

}  // namespace tandem::conform
