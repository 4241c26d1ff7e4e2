#include "cli/report_trace.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

// Tracks of a swap chain. Frames that cross at the same time have a track each, from kCrossing on.
enum Track : int { kProgram = 1, kDisplay = 2, kCrossing = 3 };

// Writes the events of one swap chain, the process `pid` of the trace.
class ChainTrace {
 public:
  ChainTrace(std::string& text, int pid) : text_(text), pid_(pid) {}

  void Name(const std::string& name) {
    Add({{"ph", "M"}, {"name", "process_name"}, {"args", {{"name", name}}}});
    NameTrack(kProgram, "program");
    NameTrack(kDisplay, "display");
  }

  void Slice(int track, const ReportFrame& frame, double begin_ms, double end_ms, Json args) {
    args["frame"] = frame.number;
    Add({{"ph", "X"},
         {"tid", track},
         {"name", fmt::format("frame {}", frame.number)},
         {"ts", begin_ms * 1e3},
         {"dur", std::max(end_ms - begin_ms, 0.0) * 1e3},
         {"args", std::move(args)}});
  }

  void Cross(const ReportFrame& frame) {
    const auto free = std::ranges::find_if(busy_until_ms_, [&](double until) { return until <= frame.presented_ms; });
    const int track = kCrossing + static_cast<int>(free - busy_until_ms_.begin());
    if (free == busy_until_ms_.end()) {
      NameTrack(track, "present to screen");
      busy_until_ms_.push_back(frame.shown_ms);
    } else {
      *free = frame.shown_ms;
    }
    Json args{{"path", frame.path}, {"held", frame.held}};
    if (!frame.encoding.empty()) args.update({{"encoding", frame.encoding}, {"link_bytes", frame.link_bytes}});
    Slice(track, frame, frame.presented_ms, frame.shown_ms, std::move(args));
  }

  void Drop(const ReportFrame& frame) {
    Add({{"ph", "i"},
         {"s", "t"},
         {"tid", kProgram},
         {"name", fmt::format("frame {} dropped", frame.number)},
         {"ts", frame.presented_ms * 1e3},
         {"args", {{"frame", frame.number}}}});
  }

  void Counter(std::string_view name, double at_ms, double value) {
    if (value != 0) Add({{"ph", "C"}, {"name", name}, {"ts", at_ms * 1e3}, {"args", {{"ms", value}}}});
  }

 private:
  void NameTrack(int track, std::string_view name) {
    Add({{"ph", "M"}, {"tid", track}, {"name", "thread_name"}, {"args", {{"name", name}}}});
  }

  void Add(Json event) {
    event["pid"] = pid_;
    text_ += text_.empty() ? "[\n" : ",\n";
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string& text_;
  const int pid_;
  std::vector<double> busy_until_ms_;  // of each track from kCrossing on
};

void AddChain(std::string& text, int pid, const std::string& name, std::vector<ReportFrame> frames) {
  std::ranges::sort(frames, {}, &ReportFrame::number);
  ChainTrace trace(text, pid);
  trace.Name(name);
  const ReportFrame* on_screen = nullptr;
  for (const ReportFrame& frame : frames) {
    if (frame.acquired_ms != 0) trace.Slice(kProgram, frame, frame.acquired_ms, frame.presented_ms, Json::object());
    if (!frame.shown) {
      trace.Drop(frame);
      continue;
    }
    trace.Cross(frame);
    trace.Counter("encode", frame.presented_ms, frame.encode_ms);
    trace.Counter("link", frame.presented_ms, frame.link_ms);
    trace.Counter("decode", frame.presented_ms, frame.decode_ms);
    const bool known = on_screen != nullptr && frame.lost_before == 0;
    if (known) trace.Slice(kDisplay, *on_screen, on_screen->shown_ms, frame.shown_ms, {{"shown_by", on_screen->shown_by}});
    on_screen = &frame;
  }
}

}  // namespace

std::string TraceOf(const std::vector<ReportRun>& runs) {
  std::string text;
  int pid = 0;
  for (const ReportRun& run : runs) {
    std::map<std::uint64_t, std::vector<ReportFrame>> chains;
    for (const ReportFrame& frame : run.frames) chains[frame.swap_chain].push_back(frame);
    for (auto& [chain, frames] : chains) {
      const std::string file = Printable(std::filesystem::path(run.files.front()).filename().string());
      AddChain(text, ++pid, fmt::format("{}, swap chain {}", file, chain), std::move(frames));
    }
  }
  return text.empty() ? "[]\n" : text + "\n]\n";
}

}  // namespace tandem::cli
