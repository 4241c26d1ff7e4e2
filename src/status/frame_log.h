// Writes a line for each presented frame to a CSV file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/replacement_file.h"
#include "base/thread.h"
#include "config/setting_values.h"
#include "status/frame_format.h"
#include "status/frame_queue.h"

namespace tandem::status {

// One per process. Thread-safe; nothing throws. A thread of low priority writes the lines ten times a second to a temporary
// file beside the requested one. Publish() renames it.
class FrameLog {
 public:
  FrameLog() = default;
  ~FrameLog();
  FrameLog(const FrameLog&) = delete;
  FrameLog& operator=(const FrameLog&) = delete;

  // Opens a queue for a new swap chain; the first one creates the file and decides its format and `run`. Null if the file
  // cannot be written, which is logged once.
  [[nodiscard]] std::shared_ptr<FrameQueue> Open(const std::string& path, const FrameFormat& format,
                                                 const FrameLogRun& run) noexcept;
  // Writes all lines and replaces the file in one step; later lines are appended. A process without a swap chain leaves an
  // existing file unchanged. Gives up after a while if another thread holds the lock, because the program is ending.
  void Publish() noexcept;

 private:
  static constexpr std::size_t kTextBytes = 16384;  // written in one call

  bool Begin(const std::string& path, const FrameFormat& format, const FrameLogRun& run);
  void Run();
  // The rest requires mutex_.
  void Drain();
  void Write();
  // Writes the format's end, which later lines replace.
  void WriteEnd();
  void Fail(const Error& error);

  std::mutex mutex_;
  Condition wake_;
  bool stop_ = false;
  bool failed_ = false;
  ReplacementFile file_;
  bool ended_ = false;  // the file has the format's end
  std::uint64_t next_chain_ = 1;
  const FrameFormat* format_ = nullptr;  // set with the file
  FrameLogRun run_;
  std::vector<LoggedChain> chains_;
  std::string text_;
  Thread thread_;
};

}  // namespace tandem::status
