#include "cli/report_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>

#include "base/printable.h"
#include "status/trace_events.h"

namespace tandem::cli {
namespace {

constexpr double kMost = 9e18;  // fits 64 bits

std::int64_t ToNs(double ms) { return static_cast<std::int64_t>(std::llround(std::min(ms * 1e6, kMost))); }

status::TraceFrame TraceFrameOf(const ReportFrame& frame) {
  return {.swap_chain = frame.swap_chain,
          .number = frame.number,
          .held = frame.held,
          .acquired_ns = ToNs(frame.acquired_ms),
          .presented_ns = ToNs(frame.presented_ms),
          .copy_begin_ns = ToNs(frame.copy_begin_ms),
          .copy_end_ns = ToNs(frame.copy_end_ms),
          .link_begin_ns = ToNs(frame.link_begin_ms),
          .link_end_ns = ToNs(frame.link_end_ms),
          .flip_queued_ns = ToNs(frame.flip_queued_ms),
          .shown_ns = ToNs(frame.shown_ms),
          .path = frame.path,
          .shown_by = frame.shown_by,
          .encoding = frame.encoding,
          .link_bytes = static_cast<std::uint64_t>(std::min(frame.link_bytes, kMost)),
          .encode_ns = ToNs(frame.encode_ms),
          .link_ns = ToNs(frame.link_ms),
          .decode_ns = ToNs(frame.decode_ms),
          .lines_missing = frame.lost_before != 0};
}

// The adapters of the first line that names them.
status::TraceRun TraceRunOf(const ReportRun& run, int first_process) {
  status::TraceRun trace{.first_process = first_process,
                         .label = Printable(std::filesystem::path(run.files.front()).filename().string()),
                         .render = {.name = "render adapter", .gpu_id = {}},
                         .display = {.name = "display adapter", .gpu_id = {}}};
  const auto names = std::ranges::find_if(run.frames, [](const ReportFrame& frame) { return !frame.render_adapter.empty(); });
  if (names == run.frames.end()) return trace;
  trace.render = {.name = names->render_adapter, .gpu_id = names->render_gpu};
  trace.display = {.name = names->display_adapter, .gpu_id = names->display_gpu};
  return trace;
}

}  // namespace

std::string TraceOf(const std::vector<ReportRun>& runs) {
  std::string text;
  int process = 1;
  for (const ReportRun& run : runs) {
    if (run.frames.empty()) continue;
    std::map<std::uint64_t, std::vector<ReportFrame>> chains;
    for (const ReportFrame& frame : run.frames) chains[frame.swap_chain].push_back(frame);
    const status::TraceRun trace = TraceRunOf(run, process);
    process += 2;
    status::BeginTrace(text, trace, text.empty());
    for (auto& [number, frames] : chains) {
      std::ranges::sort(frames, {}, &ReportFrame::number);
      status::TraceChain chain;
      for (const ReportFrame& line : frames) {
        const status::TraceFrame frame = TraceFrameOf(line);
        status::AddTraceFrame(text, trace.processes(), chain, frame);
        chain.Follow(frame);
      }
    }
  }
  return text.empty() ? "[]\n" : text.append(status::kTraceEnd);
}

}  // namespace tandem::cli
