// The text of a frame log in each format of --frame-log-format, and that of --trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "config/setting_values.h"
#include "status/frame_queue.h"
#include "status/trace_events.h"
#include "swapchain/frame_line.h"

namespace tandem::status {

// Facts of the process, known when its first swap chain opens the log.
struct FrameLogRun {
  std::int64_t begin_ns = 0;  // start of the log, in the clock of its frames
  pid_t pid = 0;
  std::string program;           // file name
  std::string render_adapter;    // name
  std::string driver;            // name and version of its Vulkan driver; empty: not known
  std::uint32_t render_gpu = 0;  // index in the list of adapters
  std::string display_adapter{};
  std::uint32_t display_gpu = 0;
};

// One swap chain's lines, with times of earlier ones.
struct LoggedChain {
  std::uint64_t number = 0;  // 1, 2, 3 … in the process
  std::shared_ptr<FrameQueue> queue;
  std::uint64_t frame = 0;        // the last line's
  std::int64_t presented_ns = 0;  // of that frame
  std::int64_t shown_ns = 0;      // of the last frame shown; 0: none, or lines were lost since
  TraceChain trace{};

  // Time since the present before; 0: its line is lost, was written out of order, or there is none.
  [[nodiscard]] std::int64_t SincePresent(const swapchain::FrameLine& line) const;
  // Time since another frame was shown; 0: not known, or `entry` was not shown.
  [[nodiscard]] std::int64_t SinceShown(const FrameQueue::Entry& entry) const;
  // `entry` was written.
  void Follow(const FrameQueue::Entry& entry);
};

class FrameFormat {
 public:
  // Appends what stands before the first frame.
  virtual void AddHead(std::string& text, const FrameLogRun& run) const = 0;
  // Appends the frame's line, or nothing where the format has none for it.
  virtual void AddLine(std::string& text, const FrameLogRun& run, const LoggedChain& chain,
                       const FrameQueue::Entry& entry) const = 0;
  // Text behind the last line.
  [[nodiscard]] virtual std::string_view end() const { return {}; }

 protected:
  ~FrameFormat() = default;
};

// Lives for the whole process.
[[nodiscard]] const FrameFormat& FormatOf(config::FrameLogFormat format);
[[nodiscard]] const FrameFormat& PresentMonFormat();
[[nodiscard]] const FrameFormat& MangoHudFormat();
[[nodiscard]] const FrameFormat& TraceFormatOfFrames();
[[nodiscard]] TraceFrame TraceFrameOf(const LoggedChain& chain, const FrameQueue::Entry& entry);

// A field of comma-separated values: printable, in quotes where it needs them.
[[nodiscard]] std::string CsvField(std::string_view text);

}  // namespace tandem::status
