#include "status/frame_format.h"

#include <fmt/format.h>

#include "link/surface/link_surface.h"
#include "swapchain/frame_line.h"

namespace tandem::status {
namespace {

constexpr int kFirstProcess = 1;

TraceRun TraceRunOf(const FrameLogRun& run) {
  return {.first_process = kFirstProcess,
          .label = fmt::format("{} ({})", run.program, run.pid),
          .render = {.name = run.render_adapter, .gpu_id = run.render_gpu},
          .display = {.name = run.display_adapter, .gpu_id = run.display_gpu}};
}

class TraceFormat final : public FrameFormat {
 public:
  void AddHead(std::string& text, const FrameLogRun& run) const override { BeginTrace(text, TraceRunOf(run), true); }
  void AddLine(std::string& text, const FrameLogRun& run, const LoggedChain& chain,
               const FrameQueue::Entry& entry) const override {
    AddTraceFrame(text, {kFirstProcess, run.render_gpu, run.display_gpu}, chain.trace, TraceFrameOf(chain, entry));
  }
  [[nodiscard]] std::string_view end() const override { return kTraceEnd; }
};

}  // namespace

TraceFrame TraceFrameOf(const LoggedChain& chain, const FrameQueue::Entry& entry) {
  const swapchain::FrameLine& line = entry.line;
  return {.swap_chain = chain.number,
          .number = line.number,
          .held = line.held,
          .acquired_ns = line.acquired_ns,
          .presented_ns = line.presented_ns,
          .copy_begin_ns = line.copy.begin_ns,
          .copy_end_ns = line.copy.end_ns,
          .link_begin_ns = line.copy.link_begin_ns,
          .link_end_ns = line.copy.link_end_ns,
          .flip_queued_ns = line.flip_queued_ns,
          .shown_ns = line.shown_ns,
          .path = ToString(line.path),
          .shown_by = ToString(line.shown_by),
          .encoding = line.encoding ? ToString(*line.encoding) : std::string_view(),
          .link_bytes = line.bytes,
          .encode_ns = line.encode_ns,
          .link_ns = line.link_ns,
          .decode_ns = line.decode_ns,
          .lines_missing = entry.lost != 0};
}

const FrameFormat& TraceFormatOfFrames() {
  static const TraceFormat trace;
  return trace;
}

}  // namespace tandem::status
