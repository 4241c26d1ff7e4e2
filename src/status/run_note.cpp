#include "status/run_note.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/write_all.h"

namespace tandem::status {
namespace {

constexpr std::string_view kInstance = "instance";
constexpr std::string_view kSwapChain = "swap-chain";
constexpr std::string_view kAside = "aside ";
constexpr std::size_t kMaxLineBytes = 512;
constexpr std::size_t kMaxNoteBytes = 16384;

void Append(std::string line) {
  const auto path = EnvString(kRunNoteVariable);
  if (!path) return;
  const UniqueFd file(open(path->c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat found {};
  if (!file.valid() || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid()) return;
  if (static_cast<std::size_t>(found.st_size) + kMaxLineBytes + 1 > kMaxNoteBytes) return;
  line.resize(std::min(line.size(), kMaxLineBytes));
  line += '\n';
  static_cast<void>(WriteAll(file, line, *path));  // a note is lost if it cannot be written
}

}  // namespace

Result<RunNoteFile> RunNoteFile::Create() {
  std::error_code error;
  const auto runtime = EnvString("XDG_RUNTIME_DIR");
  const std::filesystem::path folder =
      runtime && runtime->starts_with('/') ? std::filesystem::path(*runtime) : std::filesystem::temp_directory_path(error);
  if (error) return Fail(ErrorKind::kIo, "There is no folder for temporary files: {}.", error.message());
  std::string path = (folder / "tandem-note-XXXXXX").string();
  UniqueFd file(mkostemp(path.data(), O_CLOEXEC));
  if (!file.valid()) return Fail(ErrorKind::kIo, "{} cannot be made: {}.", path, std::strerror(errno));
  return RunNoteFile(std::move(path), std::move(file));
}

RunNoteFile::~RunNoteFile() {
  if (file_.valid()) unlink(path_.c_str());
}

RunNote RunNoteFile::Read() const {
  std::array<char, kMaxNoteBytes> bytes{};
  const ssize_t size = pread(file_.get(), bytes.data(), bytes.size(), 0);
  RunNote note;
  std::string_view text(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    note.instance = note.instance || line == kInstance;
    note.swap_chain = note.swap_chain || line == kSwapChain;
    if (line.starts_with(kAside)) note.stepped_aside = line.substr(kAside.size());
  }
  return note;
}

void NoteInstance() { Append(std::string(kInstance)); }
void NoteSwapChain() {
  static std::atomic<bool> noted{false};
  if (!noted.exchange(true, std::memory_order_relaxed)) Append(std::string(kSwapChain));
}
void NoteStepAside(std::string_view reason) { Append(std::string(kAside) += reason); }

}  // namespace tandem::status
