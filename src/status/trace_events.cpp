#include "status/trace_events.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::status {
namespace {

// Tracks of a swap chain. The render adapter has the first ones, the display adapter the others.
enum Track : int { kProgram = 1, kCopy = 2, kLink = 3, kDisplay = 4, kFlip = 10, kWay = 20, kTracksOfChain = 100 };

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Appends the events of one swap chain.
class Events {
 public:
  Events(std::string& text, const TraceProcesses& processes, std::uint64_t chain)
      : text_(text), processes_(processes), chain_(chain) {}

  void NameTrack(int track, std::string_view name) {
    const std::string numbered = chain_ > 1 ? fmt::format("{}, swap chain {}", name, chain_) : std::string(name);
    Begin("M", track);
    fmt::format_to(Out(), R"("name":"thread_name","args":{{"name":{}}}}})", Quoted(numbered));
    Begin("M", track);
    fmt::format_to(Out(), R"("name":"thread_sort_index","args":{{"sort_index":{}}}}})", TidOf(track));
  }
  // `more`: further members of args, each behind a comma.
  void Slice(int track, std::uint64_t frame, std::int64_t begin_ns, std::int64_t end_ns, std::string_view more = {}) {
    Begin("X", track);
    fmt::format_to(Out(), R"("name":"frame {}",)", frame);
    AddTime("ts", begin_ns);
    text_ += ',';
    AddTime("dur", std::max<std::int64_t>(end_ns - begin_ns, 0));
    fmt::format_to(Out(), R"(,"args":{{"frame":{}{}}}}})", frame, more);
  }
  void Moment(int track, std::uint64_t frame, std::int64_t at_ns) {
    Begin("i", track);
    fmt::format_to(Out(), R"("s":"t","name":"frame {} dropped",)", frame);
    AddTime("ts", at_ns);
    fmt::format_to(Out(), R"(,"args":{{"frame":{}}}}})", frame);
  }
  void Counter(int track, std::string_view name, std::int64_t at_ns, std::int64_t value_ns) {
    if (value_ns == 0) return;
    Begin("C", track);
    fmt::format_to(Out(), R"("name":"{}",)", name);
    AddTime("ts", at_ns);
    fmt::format_to(Out(), R"(,"args":{{"ms":{:.3f}}}}})", static_cast<double>(value_ns) / 1e6);
  }

 private:
  std::back_insert_iterator<std::string> Out() { return std::back_inserter(text_); }
  [[nodiscard]] std::uint64_t TidOf(int track) const { return (chain_ - 1) * kTracksOfChain + static_cast<std::uint64_t>(track); }
  void Begin(std::string_view kind, int track) {
    const int process = track >= kDisplay ? processes_.display : processes_.render;
    fmt::format_to(Out(), ",\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},", kind, process, TidOf(track));
  }
  // The format's unit is a microsecond.
  void AddTime(std::string_view name, std::int64_t ns) { fmt::format_to(Out(), R"("{}":{}.{:03})", name, ns / 1000, ns % 1000); }

  std::string& text_;
  const TraceProcesses& processes_;
  const std::uint64_t chain_;
};

void AddAdapter(std::string& text, int process, const TraceAdapter& adapter, std::string_view label) {
  const auto out = std::back_inserter(text);
  const std::string id = adapter.gpu_id ? fmt::format(",\"gpu_id\":{}", *adapter.gpu_id) : std::string();
  fmt::format_to(out, R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}{}}}}})", process, Quoted(adapter.name), id);
  fmt::format_to(out, ",\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_labels\",\"args\":{{\"labels\":{}}}}}", process,
                 Quoted(label));
}

}  // namespace

std::size_t TraceLanes::LaneFor(std::int64_t begin_ns) const {
  for (std::size_t lane = 0; lane + 1 < busy_until_ns_.size(); ++lane) {
    if (busy_until_ns_[lane] <= begin_ns) return lane;
  }
  return busy_until_ns_.size() - 1;
}

void TraceChain::Follow(const TraceFrame& frame) {
  begun = true;
  if (frame.shown_ns == 0) {
    if (frame.lines_missing) on_screen = 0;
    return;
  }
  on_screen = frame.number;
  on_screen_ns = frame.shown_ns;
  on_screen_by = frame.shown_by;
  ways.Take(frame.presented_ns, frame.shown_ns);
  if (frame.flip_queued_ns != 0) flips.Take(frame.flip_queued_ns, frame.shown_ns);
}

void BeginTrace(std::string& text, const TraceRun& run, bool first_run) {
  text += first_run ? "[\n" : ",\n";
  const TraceProcesses processes = run.processes();
  AddAdapter(text, processes.render, run.render, run.label);
  if (processes.display == processes.render) return;
  text += ",\n";
  AddAdapter(text, processes.display, run.display, run.label);
}

void AddTraceFrame(std::string& text, const TraceProcesses& processes, const TraceChain& chain, const TraceFrame& frame) {
  Events events(text, processes, frame.swap_chain);
  if (!chain.begun) {
    for (const auto& [track, name] :
         {std::pair(kProgram, "program"), std::pair(kCopy, "copy"), std::pair(kLink, "link"), std::pair(kDisplay, "display")}) {
      events.NameTrack(track, name);
    }
  }
  if (frame.acquired_ns != 0) events.Slice(kProgram, frame.number, frame.acquired_ns, frame.presented_ns);
  if (frame.copy_begin_ns != 0) events.Slice(kCopy, frame.number, frame.copy_begin_ns, frame.copy_end_ns);
  if (frame.link_begin_ns != 0) events.Slice(kLink, frame.number, frame.link_begin_ns, frame.link_end_ns);
  if (frame.shown_ns == 0) return events.Moment(kProgram, frame.number, frame.presented_ns);
  if (frame.flip_queued_ns != 0) {
    const std::size_t lane = chain.flips.LaneFor(frame.flip_queued_ns);
    if (chain.flips.IsNew(lane)) events.NameTrack(kFlip + static_cast<int>(lane), "flip");
    events.Slice(kFlip + static_cast<int>(lane), frame.number, frame.flip_queued_ns, frame.shown_ns);
  }
  const std::size_t lane = chain.ways.LaneFor(frame.presented_ns);
  if (chain.ways.IsNew(lane)) events.NameTrack(kWay + static_cast<int>(lane), "present to screen");
  std::string more = fmt::format(",\"path\":{},\"held\":{}", Quoted(frame.path), frame.held);
  if (!frame.encoding.empty()) {
    more += fmt::format(",\"encoding\":{},\"link_bytes\":{}", Quoted(frame.encoding), frame.link_bytes);
  }
  events.Slice(kWay + static_cast<int>(lane), frame.number, frame.presented_ns, frame.shown_ns, more);
  events.Counter(kProgram, "encode", frame.presented_ns, frame.encode_ns);
  events.Counter(kProgram, "link", frame.presented_ns, frame.link_ns);
  events.Counter(kDisplay, "decode", frame.presented_ns, frame.decode_ns);
  if (chain.on_screen == 0 || frame.lines_missing) return;
  events.Slice(kDisplay, chain.on_screen, chain.on_screen_ns, frame.shown_ns,
               fmt::format(",\"shown_by\":{}", Quoted(chain.on_screen_by)));
}

}  // namespace tandem::status
