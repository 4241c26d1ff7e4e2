#include "status/run_note.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
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
constexpr std::string_view kNone = "-";
constexpr std::string_view kCrash = "crash ";  // signal, DDI or '-', offsets or '-', file
constexpr std::size_t kMaxLineBytes = 512;
constexpr std::size_t kMaxNoteBytes = 16384;

void Append(std::string line) {
  const UniqueFd file = OpenRunNote();
  struct stat found {};
  if (!file.valid() || fstat(file.get(), &found) != 0) return;
  if (static_cast<std::size_t>(found.st_size) + kMaxLineBytes + kMaxLineBytes + 2 > kMaxNoteBytes) return;  // a crash has room
  line.resize(std::min(line.size(), kMaxLineBytes));
  line += '\n';
  static_cast<void>(WriteAll(file, line, "The note"));  // a note is lost if it cannot be written
}

std::string_view NextWord(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

// Accepts any bytes.
DriverCrash ParseCrash(std::string_view text) {
  DriverCrash crash;
  const std::string_view signal = NextWord(text);
  std::from_chars(signal.data(), signal.data() + signal.size(), crash.signal);
  if (const std::string_view ddi = NextWord(text); ddi != kNone) crash.ddi = ddi;
  std::string_view offsets = NextWord(text);
  while (!offsets.empty() && offsets != kNone) {
    std::uint64_t offset = 0;
    const auto [end, error] = std::from_chars(offsets.data(), offsets.data() + offsets.size(), offset, 16);
    if (error != std::errc()) break;
    crash.stack.push_back(offset);
    offsets.remove_prefix(std::min(offsets.size(), static_cast<std::size_t>(end - offsets.data()) + 1));
  }
  crash.file = text;
  return crash;
}

// A line in memory of its own.
class Line {
 public:
  void Add(std::string_view text) {
    const std::size_t length = std::min(text.size(), kMaxLineBytes - size_);
    std::copy_n(text.begin(), length, bytes_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += length;
  }
  void AddNumber(std::uint64_t number, int base) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    Add({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  // With a line feed at its end.
  [[nodiscard]] std::string_view text() {
    bytes_[size_] = '\n';
    return {bytes_.data(), size_ + 1};
  }

 private:
  std::array<char, kMaxLineBytes + 1> bytes_{};
  std::size_t size_ = 0;
};

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
    if (line.starts_with(kCrash) && !note.driver_crash) note.driver_crash = ParseCrash(line.substr(kCrash.size()));
  }
  return note;
}

void NoteInstance() { Append(std::string(kInstance)); }
void NoteSwapChain() {
  static std::atomic<bool> noted{false};
  if (!noted.exchange(true, std::memory_order_relaxed)) Append(std::string(kSwapChain));
}
void NoteStepAside(std::string_view reason) { Append(std::string(kAside) += reason); }

UniqueFd OpenRunNote() {
  const auto path = EnvString(kRunNoteVariable);
  if (!path) return {};
  UniqueFd file(open(path->c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat found {};
  const bool own = file.valid() && fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid();
  return own ? std::move(file) : UniqueFd();
}

void NoteDriverCrash(const UniqueFd& file, int signal, const char* ddi, std::span<const std::uint64_t> stack,
                     std::string_view driver) {
  constexpr std::size_t kMostFrames = 8;
  Line line;
  line.Add(kCrash);
  line.AddNumber(static_cast<std::uint64_t>(signal), 10);
  line.Add(" ");
  line.Add(ddi == nullptr ? kNone : std::string_view(ddi));
  line.Add(stack.empty() ? " -" : " ");
  for (std::size_t i = 0; i < std::min(stack.size(), kMostFrames); ++i) {
    if (i > 0) line.Add(",");
    line.AddNumber(stack[i], 16);
  }
  line.Add(" ");
  line.Add(driver);
  const std::string_view text = line.text();
  static_cast<void>(!write(file.get(), text.data(), text.size()));
}

}  // namespace tandem::status
