// A line for each presented frame, in a file of comma-separated values.
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

// Lines of one swap chain that wait to be written; what comes while there are so many is lost, and counted.
inline constexpr std::size_t kMaxWaitingFrameLines = 4096;

// The lines of one swap chain on their way to the file: one end filled as FrameSink says, the other emptied by the log.
class FrameQueue final : public swapchain::FrameSink {
 public:
  struct Entry {
    swapchain::FrameLine line;
    std::uint64_t lost = 0;  // lines before this one
  };

  FrameQueue() : entries_(kMaxWaitingFrameLines) {}

  void Report(const swapchain::FrameLine& line) override;
  // Nothing more is added.
  void Close() { closed_.store(true, std::memory_order_release); }

  // The oldest; false: there is none. One thread at a time.
  bool Take(Entry& entry);
  // Once it is closed: lines behind the last one.
  [[nodiscard]] std::uint64_t lost_at_end() const { return lost_; }
  [[nodiscard]] bool closed() const { return closed_.load(std::memory_order_acquire); }

  // What all lines have in common; set before the first one: ToString(Path), and "emulated", "measured" or "none".
  std::string path = "none";
  std::string link = "none";

 private:
  std::vector<Entry> entries_;
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<bool> closed_{false};
  std::uint64_t lost_ = 0;  // of the writer
};

// One for a process. Thread-safe; nothing throws. A thread of low priority writes what is there ten times a second, to a file
// beside the one that was asked for; Publish() puts that in its place.
class FrameLog {
 public:
  FrameLog() = default;
  ~FrameLog();
  FrameLog(const FrameLog&) = delete;
  FrameLog& operator=(const FrameLog&) = delete;

  // For a new swap chain. The first one makes the file. Null: it cannot be written, which goes to the log once.
  [[nodiscard]] std::shared_ptr<FrameQueue> Open(const std::string& path) noexcept;
  // Writes all that was added and replaces the file in one step; what comes later is appended. A process without a swap chain
  // leaves a file that is there as it is. Gives up after a while when somebody else does not: the program ends.
  void Publish() noexcept;

 private:
  struct Chain {
    std::uint64_t number;
    std::shared_ptr<FrameQueue> queue;
  };
  static constexpr std::size_t kTextBytes = 16384;  // written at once

  bool Begin(const std::string& path);
  void Run();
  // The rest: under mutex_.
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
