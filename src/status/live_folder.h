// The folder in which running programs tell about themselves: $XDG_RUNTIME_DIR/tandem, a file for each.
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

// The folder of a `tandem run` that has no other.
inline constexpr char kRunFolderVariable[] = "TANDEM_RUN_FOLDER";
// $XDG_RUNTIME_DIR/tandem; where that variable is not set or no absolute path what kRunFolderVariable names, else empty.
[[nodiscard]] std::string LiveFolder();

// The file of this process. Thread-safe; each place is written by one thread at a time. Where the folder cannot be had or is not
// this user's alone, nothing is reported, and nothing fails.
class LiveFile {
 public:
  explicit LiveFile(std::string folder) : folder_(std::move(folder)) {}
  ~LiveFile() { Remove(); }
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  // A place for one more swap chain, 0..kLiveSwapChains - 1; -1: there is none. Makes the file for the first.
  [[nodiscard]] int Open();
  // Allocates nothing and waits for nothing but the file system of the folder, which lies in memory. A place of -1 is left out.
  void Report(int place, const LiveSwapChain& figures);
  void Close(int place);
  // Takes the file away. Gives up when another thread is in Open() or Close(): it may have ended there.
  void Remove();

 private:
  struct Place {
    bool used = false;
    std::uint64_t turn = 0;
    LiveCounts earlier;  // of swap chains that had the place before
    LiveCounts frames;   // of the one that has it
  };
  [[nodiscard]] bool Make() TANDEM_REQUIRES(mutex_);
  void Write(int place, const LiveCopy& copy) const;

  const std::string folder_;
  Mutex mutex_;
  UniqueFd directory_ TANDEM_GUARDED_BY(mutex_);
  std::string name_ TANDEM_GUARDED_BY(mutex_);
  UniqueFd file_;                              // set before the first place is given out
  std::array<Place, kLiveSwapChains> places_;  // used: guarded by mutex_; the rest: of who has the place
};

struct LivePrograms {
  std::vector<LiveProgram> programs;    // by pid
  std::vector<std::string> unreadable;  // sentences, one for each file of a running program that is not as it should be
};

// Programs of this user that run now. Takes away what ended programs left behind, unless who started them wants it. Empty when
// there is no such folder; kIo when it cannot be read, kUnsupported when others may write into it.
[[nodiscard]] Result<LivePrograms> ListLivePrograms(const std::string& folder);

// What programs left behind that `run` started and that ended without an end of their own: killed, or gone by _exit. Takes it
// away. Errors are as nothing found.
[[nodiscard]] std::vector<LiveProgram> TakeEndedPrograms(const std::string& folder, const LiveProcess& run);

}  // namespace tandem::status
