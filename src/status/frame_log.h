// Writes a line for each presented frame to a CSV file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/replacement_file.h"
#include "base/thread.h"
#include "swapchain/frame_line.h"

namespace tandem::status {

// Lines of one swap chain that may wait to be written; further lines are lost and counted.
inline constexpr std::size_t kMaxWaitingFrameLines = 4096;

// One swap chain's lines on their way to the file. The swap chain fills the queue as FrameSink requires; the log empties it.
class FrameQueue final : public swapchain::FrameSink {
 public:
  struct Entry {
    swapchain::FrameLine line;
    std::uint64_t lost = 0;  // lines lost before this one
  };

  FrameQueue() : entries_(kMaxWaitingFrameLines) {}

  void Report(const swapchain::FrameLine& line) override;
  // No line is added afterwards.
  void Close() { closed_.store(true, std::memory_order_release); }

  // Takes the oldest line; false when there is none. One thread at a time.
  bool Take(Entry& entry);
  // Lines lost after the last one; valid once the queue is closed.
  [[nodiscard]] std::uint64_t lost_at_end() const { return lost_; }
  [[nodiscard]] bool closed() const { return closed_.load(std::memory_order_acquire); }

  // Fields shared by all lines, set before the first one: ToString(Path), and "emulated", "measured" or "none".
  std::string path = "none";
  std::string link = "none";

 private:
  std::vector<Entry> entries_;
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<bool> closed_{false};
  std::uint64_t lost_ = 0;  // owned by the writing thread
};

// One per process. Thread-safe; nothing throws. A thread of low priority writes the lines ten times a second to a temporary
// file beside the requested one. Publish() renames it.
class FrameLog {
 public:
  FrameLog() = default;
  ~FrameLog();
  FrameLog(const FrameLog&) = delete;
  FrameLog& operator=(const FrameLog&) = delete;

  // Opens a queue for a new swap chain; the first one creates the file. Null if the file cannot be written, which is logged
  // once.
  [[nodiscard]] std::shared_ptr<FrameQueue> Open(const std::string& path) noexcept;
  // Writes all lines and replaces the file in one step; later lines are appended. A process without a swap chain leaves an
  // existing file unchanged. Gives up after a while if another thread holds the lock, because the program is ending.
  void Publish() noexcept;

 private:
  struct Chain {
    std::uint64_t number;
    std::shared_ptr<FrameQueue> queue;
  };
  static constexpr std::size_t kTextBytes = 16384;  // written in one call

  bool Begin(const std::string& path);
  void Run();
  // The rest requires mutex_.
  void Drain();
  void Write();
  void Fail(const Error& error);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool failed_ = false;
  ReplacementFile file_;
  std::uint64_t next_chain_ = 1;
  std::vector<Chain> chains_;
  fmt::basic_memory_buffer<char, kTextBytes> text_;
  Thread thread_;
};

}  // namespace tandem::status
