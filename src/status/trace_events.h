// The events of a trace: JSON in the Trace Event Format, which Perfetto opens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::status {

struct TraceAdapter {
  std::string name;
  std::optional<std::uint32_t> gpu_id;  // index in the list of adapters; empty: not known
};

// Each adapter is a process of the trace: the same one if both are one adapter.
struct TraceProcesses {
  TraceProcesses(int first, std::optional<std::uint32_t> render_gpu, std::optional<std::uint32_t> display_gpu)
      : render(first), display(render_gpu && render_gpu == display_gpu ? first : first + 1) {}

  int render;
  int display;
};

struct TraceRun {
  int first_process = 1;
  std::string label;  // shown beside the adapters' names
  TraceAdapter render, display;

  [[nodiscard]] TraceProcesses processes() const { return {first_process, render.gpu_id, display.gpu_id}; }
};

// Times are nanoseconds of one clock; 0: not known.
struct TraceFrame {
  std::uint64_t swap_chain = 0;
  std::uint64_t number = 0;
  bool held = false;
  std::int64_t acquired_ns = 0;
  std::int64_t presented_ns = 0;
  std::int64_t copy_begin_ns = 0;
  std::int64_t copy_end_ns = 0;
  std::int64_t link_begin_ns = 0;
  std::int64_t link_end_ns = 0;
  std::int64_t flip_queued_ns = 0;
  std::int64_t shown_ns = 0;  // 0: the frame was not shown
  std::string_view path;
  std::string_view shown_by;
  std::string_view encoding;  // empty: not encoded
  std::uint64_t link_bytes = 0;
  std::int64_t encode_ns = 0;
  std::int64_t link_ns = 0;
  std::int64_t decode_ns = 0;
  bool lines_missing = false;  // lines before this one are lost
};

// Frames of one kind may overlap: each then has a track of its own. Further frames share the last track.
class TraceLanes {
 public:
  [[nodiscard]] std::size_t LaneFor(std::int64_t begin_ns) const;
  [[nodiscard]] bool IsNew(std::size_t lane) const { return busy_until_ns_[lane] == 0; }
  void Take(std::int64_t begin_ns, std::int64_t end_ns) { busy_until_ns_[LaneFor(begin_ns)] = end_ns; }

 private:
  std::array<std::int64_t, 8> busy_until_ns_{};
};

// Earlier frames of one swap chain.
struct TraceChain {
  bool begun = false;           // a frame was written
  std::uint64_t on_screen = 0;  // number of the last frame shown; 0: none, or lines were lost since
  std::int64_t on_screen_ns = 0;
  std::string on_screen_by;
  TraceLanes ways, flips;

  // `frame` was written.
  void Follow(const TraceFrame& frame);
};

// Text before the first frame: the adapters' names.
void BeginTrace(std::string& text, const TraceRun& run, bool first_run);
// Appends the frame's events. Each has a begin and a duration, or is one moment.
void AddTraceFrame(std::string& text, const TraceProcesses& processes, const TraceChain& chain, const TraceFrame& frame);
// Text behind the last frame.
inline constexpr std::string_view kTraceEnd = "\n]\n";

}  // namespace tandem::status
