// Lines of frames on their way from a swap chain to the log.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "swapchain/frame_line.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {

// Lines of one swap chain that may wait to be written; further lines are lost and counted.
inline constexpr std::size_t kMaxWaitingFrameLines = 4096;

// The swap chain fills the queue as FrameSink requires; the log empties it.
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

  // Fields shared by all lines, set before the first one.
  std::string link = "none";  // "emulated", "measured" or "none"
  swapchain::PresentMode present_mode = swapchain::PresentMode::kFifo;
  bool whole_display = false;  // the display adapter flips a whole display to the frames, without a window

 private:
  std::vector<Entry> entries_;
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<bool> closed_{false};
  std::uint64_t lost_ = 0;  // owned by the writing thread
};

// Gives each line to several queues.
class FrameQueues final : public swapchain::FrameSink {
 public:
  void Add(std::shared_ptr<FrameQueue> queue) {
    if (queue) queues_.push_back(std::move(queue));
  }
  [[nodiscard]] const std::vector<std::shared_ptr<FrameQueue>>& all() const { return queues_; }
  void Report(const swapchain::FrameLine& line) override {
    for (const auto& queue : queues_) queue->Report(line);
  }

 private:
  std::vector<std::shared_ptr<FrameQueue>> queues_;
};

}  // namespace tandem::status
