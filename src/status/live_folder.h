// The folder in which running programs report: $XDG_RUNTIME_DIR/tandem, with a file for each program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "status/live_record.h"

namespace tandem::status {

// Names the folder of a `tandem run` without XDG_RUNTIME_DIR.
inline constexpr char kRunFolderVariable[] = "TANDEM_RUN_FOLDER";
// $XDG_RUNTIME_DIR/tandem. If that variable is unset or no absolute path, the folder in kRunFolderVariable; otherwise empty.
[[nodiscard]] std::string LiveFolder();

// This process's file. Thread-safe; one thread at a time writes a place. If the folder is unavailable or not private to this
// user, nothing is reported and no call fails.
class LiveFile {
 public:
  explicit LiveFile(std::string folder) : folder_(std::move(folder)) {}
  ~LiveFile() { Remove(); }
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  // Takes a place for another swap chain, 0..kLiveSwapChains - 1; -1 when all are taken. The first call creates the file.
  [[nodiscard]] int Open();
  // Allocates nothing and waits only for the folder's file system, which is in memory. Ignores a place of -1.
  void Report(int place, const LiveSwapChain& figures);
  void Close(int place);
  // Removes the file. Gives up if another thread is in Open() or Close(): that thread may have ended there.
  void Remove();

 private:
  struct Place {
    bool used = false;
    std::uint64_t turn = 0;
    LiveCounts earlier;  // frames of earlier swap chains in this place
    LiveCounts frames;   // frames of the current swap chain
  };
  [[nodiscard]] bool Make() TANDEM_REQUIRES(mutex_);
  void Write(int place, const LiveCopy& copy) const;

  const std::string folder_;
  Mutex mutex_;
  UniqueFd directory_ TANDEM_GUARDED_BY(mutex_);
  std::string name_ TANDEM_GUARDED_BY(mutex_);
  UniqueFd file_;                              // set before the first place is taken
  std::array<Place, kLiveSwapChains> places_;  // used: guarded by mutex_; other members: owned by the place's user
};

struct LivePrograms {
  std::vector<LiveProgram> programs;    // sorted by pid
  std::vector<std::string> unreadable;  // sentences, one for each malformed file of a running program
};

// This user's running programs. Removes files of ended programs, unless their starter wants them. Empty without such a folder;
// kIo when it cannot be read, kUnsupported when others may write to it.
[[nodiscard]] Result<LivePrograms> ListLivePrograms(const std::string& folder);

// Removes and returns the reports of programs that `run` started and that were killed or called _exit. Errors count as no
// report.
[[nodiscard]] std::vector<LiveProgram> TakeEndedPrograms(const std::string& folder, const LiveProcess& run);

}  // namespace tandem::status
