#include "status/live_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "base/write_all.h"

namespace tandem::status {
namespace {

// Suffix of an unfinished file.
constexpr std::string_view kUnfinished = ".new";
// Entries of the folder beyond this number are ignored.
constexpr int kMaxEntries = 4096;
// A program's file waits this long after its last figures for its starter in another pid namespace.
constexpr std::int64_t kAwaitedSeconds = 60;
constexpr int kTakeFile = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// The process that a file belongs to, finished or not; nothing for foreign names.
std::optional<LiveProcess> ProcessOf(std::string_view name) {
  if (name.ends_with(kUnfinished)) name.remove_suffix(kUnfinished.size());
  return ProcessNamed(name);
}

bool IsOurs(const UniqueFd& file, mode_t type, mode_t forbidden) {
  struct stat found {};
  return fstat(file.get(), &found) == 0 && (found.st_mode & S_IFMT) == type && found.st_uid == geteuid() &&
         (found.st_mode & forbidden) == 0;
}

UniqueFd OpenFolder(const std::string& folder) {
  return UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

Result<LiveProgram> ReadOnce(const UniqueFd& file) {
  std::array<std::byte, sizeof(LiveFileLayout) + 1> bytes{};
  const ssize_t size = pread(file.get(), bytes.data(), bytes.size(), 0);
  if (size < 0) return Fail(ErrorKind::kIo, "The file cannot be read: {}.", std::strerror(errno));
  return ParseLiveFile(std::span(bytes).first(static_cast<std::size_t>(size)));
}

Result<LiveProgram> ReadFile(const UniqueFd& directory, const std::string& name) {
  const UniqueFd file(openat(directory.get(), name.c_str(), O_RDONLY | kTakeFile));
  if (!file.valid()) return Fail(ErrorKind::kIo, "The file cannot be opened: {}.", std::strerror(errno));
  if (!IsOurs(file, S_IFREG, 0)) return Fail(ErrorKind::kInvalidArgument, "It is no file of this user.");
  auto program = ReadOnce(file);
  // The first read may have raced with the first figures.
  return program.ok() ? std::move(program) : ReadOnce(file);
}

// A program's lock of its whole file. It ends with the program, works across pid namespaces, and is not inherited by a forked
// child.
struct flock WholeFile() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

bool IsLocked(const UniqueFd& file) {
  struct flock lock = WholeFile();
  return fcntl(file.get(), F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

// True if a program of another pid namespace has ended, and its starter had time to read the report.
bool IsAbandoned(const UniqueFd& directory, const std::string& name, const LiveProgram& program) {
  const UniqueFd file(openat(directory.get(), name.c_str(), O_RDONLY | kTakeFile));
  struct stat found {};
  if (!file.valid() || IsLocked(file) || fstat(file.get(), &found) != 0) return false;
  return program.run.pid == 0 || time(nullptr) - found.st_mtim.tv_sec > kAwaitedSeconds;
}

void Look(const UniqueFd& directory, const std::string& folder, const std::string& name, LivePrograms& found) {
  const auto process = ProcessOf(name);
  if (!process) return;
  auto program = ReadFile(directory, name);
  // A pid of another namespace has no meaning here.
  if (program.ok() && program->process.pid_namespace != OwnPidNamespace()) {
    if (IsAbandoned(directory, name, *program)) unlinkat(directory.get(), name.c_str(), 0);
    return;
  }
  if (!Runs(*process)) {
    const bool awaited = program.ok() && program->run.pid != 0 && Runs(program->run);
    if (!awaited) unlinkat(directory.get(), name.c_str(), 0);
    return;
  }
  if (name.ends_with(kUnfinished)) return;
  if (program.ok() && NameOf(program->process) != name) {
    program = Fail(ErrorKind::kInvalidArgument, "It says that it is of process {}.", program->process.pid);
  }
  if (program.ok()) {
    found.programs.push_back(*std::move(program));
  } else {
    found.unreadable.push_back(fmt::format("{}/{}: {}", folder, name, program.error().message));
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

// Calls `look` with each entry's name. kIo.
template <class Look>
Result<void> ForEntries(const UniqueFd& opened, const std::string& folder, const Look& look) {
  auto copy = opened.Duplicate();
  if (!copy.ok()) return std::move(copy).error();
  const std::unique_ptr<DIR, CloseDirectory> directory(fdopendir(copy->Release()));
  if (!directory) return Fail(ErrorKind::kIo, "{} cannot be read: {}.", folder, std::strerror(errno));
  for (int i = 0; i < kMaxEntries; ++i) {
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr) break;
    look(std::string(entry->d_name));
  }
  return {};
}

}  // namespace

std::string LiveFolder() {
  if (const auto runtime = EnvString("XDG_RUNTIME_DIR"); runtime && runtime->starts_with('/')) return *runtime + "/tandem";
  return EnvString(kRunFolderVariable).value_or(std::string());
}

bool LiveFile::Make() {
  if (folder_.empty()) return false;
  static_cast<void>(mkdir(folder_.c_str(), 0700));
  directory_ = OpenFolder(folder_);
  if (!directory_.valid() || !IsOurs(directory_, S_IFDIR, 077)) {
    Log(LogLevel::kDebug, "Nothing is reported to 'tandem status': {} is not there, or not this user's alone.", folder_);
    return false;
  }
  const LiveProcess process = OwnProcess();
  const std::string name = NameOf(process);
  const std::string unfinished = name + std::string(kUnfinished);
  static_cast<void>(unlinkat(directory_.get(), unfinished.c_str(), 0));
  UniqueFd file(openat(directory_.get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | kTakeFile, 0600));
  const LiveFileLayout content = MakeLiveFile(process, OwnRun(), ExecutableName());
  struct flock lock = WholeFile();
  const WriteSignalsHeld held;
  const bool whole = file.valid() && fcntl(file.get(), F_SETLK, &lock) == 0 &&
                     pwrite(file.get(), &content, sizeof(content), 0) == ssize_t{sizeof(content)} &&
                     renameat(directory_.get(), unfinished.c_str(), directory_.get(), name.c_str()) == 0;
  if (!whole) {
    Log(LogLevel::kDebug, "Nothing is reported to 'tandem status': {}/{} cannot be written: {}.", folder_, name,
        std::strerror(errno));
    static_cast<void>(unlinkat(directory_.get(), unfinished.c_str(), 0));
    return false;
  }
  file_ = std::move(file);
  name_ = name;
  for (Place& place : places_) place = {};
  return true;
}

int LiveFile::Open() {
  const MutexLock lock(mutex_);
  const bool any_used = std::any_of(places_.begin(), places_.end(), [](const Place& place) { return place.used; });
  if (name_.empty() && (any_used || !Make())) return -1;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].used) continue;
    places_[i].used = true;
    return static_cast<int>(i);
  }
  return -1;
}

void LiveFile::Write(int place, const LiveCopy& copy) const {
  const std::size_t at =
      offsetof(LiveFileLayout, swap_chains) + (static_cast<std::size_t>(place) * 2 + copy.turn % 2) * sizeof(LiveCopy);
  // On a full file system the figures stay unchanged.
  static_cast<void>(pwrite(file_.get(), &copy, sizeof(copy), static_cast<off_t>(at)) == 0);
}

void LiveFile::Report(int place, const LiveSwapChain& figures) {
  if (place < 0) return;
  Place& place_of = places_[static_cast<std::size_t>(place)];
  place_of.frames = figures.frames;
  Write(place, MakeLiveCopy(figures, place_of.earlier, ++place_of.turn));
}

void LiveFile::Close(int place) {
  if (place < 0) return;
  const MutexLock lock(mutex_);
  Place& closed = places_[static_cast<std::size_t>(place)];
  closed.earlier += std::exchange(closed.frames, {});
  const WriteSignalsHeld held;
  Write(place, MakeClosedCopy(closed.earlier, ++closed.turn));
  closed.used = false;
}

void LiveFile::Remove() {
  if (!mutex_.TryLock()) return;
  if (!name_.empty()) {
    static_cast<void>(unlinkat(directory_.get(), name_.c_str(), 0));
    name_.clear();
  }
  mutex_.Unlock();
}

Result<LivePrograms> ListLivePrograms(const std::string& folder) {
  LivePrograms found;
  UniqueFd opened = OpenFolder(folder);
  if (!opened.valid() && errno == ENOENT) return found;
  if (!opened.valid()) return Fail(ErrorKind::kIo, "{} cannot be opened: {}.", folder, std::strerror(errno));
  if (!IsOurs(opened, S_IFDIR, 022)) return Fail(ErrorKind::kUnsupported, "{} is not this user's alone to write into.", folder);
  auto listed = ForEntries(opened, folder, [&](const std::string& name) { Look(opened, folder, name, found); });
  if (!listed.ok()) return std::move(listed).error();
  std::ranges::sort(found.programs, {}, [](const LiveProgram& program) { return program.process.pid; });
  return found;
}

std::vector<LiveProgram> TakeEndedPrograms(const std::string& folder, const LiveProcess& run) {
  std::vector<LiveProgram> ended;
  const UniqueFd opened = OpenFolder(folder);
  if (!opened.valid() || !IsOurs(opened, S_IFDIR, 022)) return ended;
  static_cast<void>(ForEntries(opened, folder, [&](const std::string& name) {
    const auto process = ProcessOf(name);
    if (!process || name.ends_with(kUnfinished)) return;
    auto program = ReadFile(opened, name);
    if (!program.ok() || program->run != run || NameOf(program->process) != name || Runs(*process)) return;
    unlinkat(opened.get(), name.c_str(), 0);
    ended.push_back(*std::move(program));
  }));
  return ended;
}

}  // namespace tandem::status
