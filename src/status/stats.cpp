#include "status/stats.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/named_file.h"
#include "base/printable.h"
#include "base/replacement_file.h"
#include "base/timed_lock.h"
#include "base/write_all.h"
#include "config/policy/identity.h"
#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"
#include "status/run_note.h"

namespace tandem::status {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMiB = 1 << 20;

double Milliseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

double PerFrame(double amount, std::uint64_t frames) { return frames == 0 ? 0.0 : amount / static_cast<double>(frames); }

// Frame rate from the first shown frame to the last.
double PerSecond(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  if (statistics.frames_shown < 2 || statistics.shown_ns <= 0) return 0.0;
  return static_cast<double>(statistics.frames_shown - 1) * 1e9 / static_cast<double>(statistics.shown_ns);
}

// Mean time between presents.
double WallPerFrame(const SwapChainRecord& record) {
  const std::uint64_t frames = record.statistics.frames_presented;
  return PerFrame(Milliseconds(record.wall_ns), frames > 1 ? frames - 1 : 0);
}

double CopiesPerFrame(const swapchain::Statistics& statistics) {
  return PerFrame(statistics.full_frame_copies, statistics.frames_shown);
}

std::uint64_t EncodedFrames(const swapchain::Statistics& statistics) {
  return std::accumulate(statistics.frames_by_encoding.begin(), statistics.frames_by_encoding.end(), std::uint64_t{0});
}

// Counts a present once if several swap chains saw it on a shared adapter.
std::vector<PresentSpan> Merged(std::vector<PresentSpan> spans) {
  std::ranges::sort(spans, {}, [](const PresentSpan& span) { return std::pair(span.adapter, span.from); });
  std::vector<PresentSpan> merged;
  for (const PresentSpan& span : spans) {
    if (merged.empty() || merged.back().adapter != span.adapter || merged.back().to < span.from) {
      merged.push_back(span);
    } else {
      merged.back().to = std::max(merged.back().to, span.to);
    }
  }
  return merged;
}

std::uint64_t CountOf(const std::vector<PresentSpan>& spans) {
  std::uint64_t count = 0;
  for (const PresentSpan& span : spans) count += span.to - span.from;
  return count;
}

// Sums over swap chains.
void Add(SwapChainRecord& all, const SwapChainRecord& one) {
  all.output_written_bytes += one.output_written_bytes;
  all.presents.insert(all.presents.end(), one.presents.begin(), one.presents.end());
  all.presents = Merged(std::move(all.presents));
  swapchain::Statistics& sum = all.statistics;
  const swapchain::Statistics& part = one.statistics;
  sum.frames_presented += part.frames_presented;
  sum.frames_shown += part.frames_shown;
  sum.frames_dropped += part.frames_dropped;
  sum.frames_composed += part.frames_composed;
  sum.full_frame_copies += part.full_frame_copies;
  sum.bytes_moved += part.bytes_moved;
  sum.counts_passes = sum.counts_passes && part.counts_passes;
}

void PutSums(Json& into, const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  into["frames_presented"] = statistics.frames_presented;
  into["frames_shown"] = statistics.frames_shown;
  into["frames_dropped"] = statistics.frames_dropped;
  into["frames_composed"] = statistics.frames_composed;
  into["copies_per_frame"] = statistics.counts_passes ? Json(CopiesPerFrame(statistics)) : Json();
  into["bytes_per_frame"] =
      statistics.counts_passes ? Json(PerFrame(static_cast<double>(statistics.bytes_moved), statistics.frames_shown)) : Json();
  into["output_bytes_per_frame"] = PerFrame(static_cast<double>(record.output_written_bytes), statistics.frames_shown);
  into["ddi_presents"] = CountOf(record.presents);
}

// `tier` is null before the first swap chain, because the kernel reports tiers of started adapters only.
Json AdapterJson(const config::AdapterInfo& adapter, const Json& tier) {
  return {{"index", adapter.index},
          {"name", adapter.name},
          {"kind", adapter.kind},
          {"driver", adapter.driver},
          {"driver_detail", adapter.driver_detail},
          {"tier", tier}};
}

Json EventsJson(const std::vector<swapchain::PathEvent>& events) {
  auto list = Json::array();
  for (const swapchain::PathEvent& event : events) {
    list.push_back({{"frame", event.frame}, {"now", std::string(swapchain::ToString(event.now))}, {"reason", event.reason}});
  }
  return list;
}

Json ChangesJson(const std::vector<swapchain::DisplayChange>& changes) {
  auto list = Json::array();
  for (const swapchain::DisplayChange& change : changes) {
    list.push_back({{"frame", change.frame},
                    {"from", change.from},
                    {"to", change.to},
                    {"path", std::string(swapchain::ToString(change.path))},
                    {"frames_lost", change.frames_lost},
                    {"pause_ms", Milliseconds(change.pause_ns)},
                    {"reason", change.reason}});
  }
  return list;
}

// Bandwidth of the frames' bytes, if their time on the link was measured; 0 if it was not, or the link is emulated.
std::uint64_t TrackedLink(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  if (record.emulated_link != 0 || statistics.link_ns == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(statistics.link_timed_bytes) * 1e9 /
                                    static_cast<double>(statistics.link_ns));
}

// Time of one frame; null if no time was reported.
Json TimePerFrame(std::int64_t ns, std::uint64_t frames) {
  return ns == 0 || frames == 0 ? Json() : Json(PerFrame(Milliseconds(ns), frames));
}

// Lossless frames that lost low bits do not count as lossless.
std::uint64_t FramesIn(link::LinkEncoding encoding, const swapchain::Statistics& statistics) {
  const std::uint64_t frames = statistics.frames_by_encoding[static_cast<std::uint32_t>(encoding)];
  return encoding == link::LinkEncoding::kLossless ? frames - statistics.lossy_frames : frames;
}

Json LinkJson(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  Json frames;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    frames[std::string(link::ToString(encoding))] = FramesIn(encoding, statistics);
  }
  frames["lossy"] = statistics.lossy_frames;
  return {{"emulated_bytes_per_second", record.emulated_link},
          {"measured_bytes_per_second", record.measured_link.bytes_per_second},
          {"measured_latency_ns", record.measured_link.latency_ns},
          {"tracked_bytes_per_second", TrackedLink(record)},
          {"bytes_per_frame", PerFrame(static_cast<double>(statistics.link_bytes), EncodedFrames(statistics))},
          {"encode_ms_per_frame", TimePerFrame(statistics.encode_ns, EncodedFrames(statistics))},
          {"link_ms_per_frame", TimePerFrame(statistics.link_ns, EncodedFrames(statistics))},
          {"decode_ms_per_frame", TimePerFrame(statistics.decode_ns, statistics.decoded_frames)},
          {"frames", std::move(frames)},
          {"frame_bytes", record.frame_bytes},
          {"yuv", record.yuv},
          {"unchanged_tiles", statistics.unchanged_tiles / 1000.0},
          {"reason", statistics.encoding_reason}};
}

std::string LinkWidth(const SwapChainRecord& record) {
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  if (record.emulated_link != 0) return fmt::format(" of {:.0f} MB/s (emulated)", megabytes(record.emulated_link));
  if (record.measured_link.bytes_per_second == 0) return {};
  const std::uint64_t tracked = TrackedLink(record);
  const std::string since = tracked == 0 ? std::string() : fmt::format(", with frames {:.0f}", megabytes(tracked));
  return fmt::format(" of {:.0f} MB/s after {:.0f} us (measured{})", megabytes(record.measured_link.bytes_per_second),
                     static_cast<double>(record.measured_link.latency_ns) / 1e3, since);
}

std::string LinkLine(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  std::string frames;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    const std::uint64_t count = FramesIn(encoding, statistics);
    if (count != 0) frames += fmt::format("{}{} {}", frames.empty() ? "" : ", ", count, link::ToString(encoding));
  }
  if (statistics.lossy_frames != 0) {
    frames += fmt::format("{}{} in tiles that lost low bits to stay within {} bytes", frames.empty() ? "" : ", ",
                          statistics.lossy_frames, record.frame_bytes);
  }
  if (FramesIn(link::LinkEncoding::kYuv420, statistics) + FramesIn(link::LinkEncoding::kYuv420Tiles, statistics) != 0)
    frames += fmt::format("; 4:2:0 as {}", record.yuv);
  const double bytes = PerFrame(static_cast<double>(statistics.link_bytes), EncodedFrames(statistics));
  const double plain = static_cast<double>(record.width) * record.height * 4;
  return fmt::format("tandem:   link{}: {:.2f} MB a frame in place of {:.2f}; frames: {}\ntandem:   {}\n", LinkWidth(record),
                     bytes / 1e6, plain / 1e6, frames.empty() ? "none" : frames, statistics.encoding_reason);
}

// True if frames are encoded, even when nothing decodes them.
bool IsEncoded(const swapchain::PathDecision& decision) {
  return decision.path == swapchain::Path::kCompressed || decision.encoding != link::LinkEncoding::kPlain;
}

// Keys of a swap chain; the file has the same keys for the last one.
void PutFigures(Json& into, const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  into["path"] = std::string(swapchain::ToString(record.decision.path));
  if (const auto& counts = record.display_counts) {
    into["display_report"] = {{"seen", counts->seen}, {"replaced", counts->replaced}, {"pending", counts->pending}};
  }
  into["path_reason"] = record.decision.reason;
  into["crossing_format"] = std::string(swapchain::NameOf(record.decision.crossing_format));
  into["paths_refused"] = record.decision.refused;
  into["path_events"] = EventsJson(record.events);
  into["display_changes"] = ChangesJson(record.display_changes);
  into["present_mode"] = record.present_mode;
  PutSums(into, record);
  if (IsEncoded(record.decision)) into["link"] = LinkJson(record);
  into["priority_refusal"] = statistics.priority_refusal;
  into["frame_bytes_refusal"] = record.frame_bytes_refusal;
  into["dithering"] = record.dithering;
  into["frames_per_second"] = PerSecond(record);
  into["latency_ms"] = {{"p50", Milliseconds(statistics.latency_p50_ns)}, {"p99", Milliseconds(statistics.latency_p99_ns)}};
  into["cpu_ms_per_frame"] = PerFrame(Milliseconds(record.cpu_ns), statistics.frames_presented);
  into["wall_ms_per_frame"] = WallPerFrame(record);
}

Json SwapChainJson(const SwapChainRecord& record) {
  Json json{{"width", record.width}, {"height", record.height}, {"format", record.format}, {"images", record.images}};
  json["shown_on"] = record.shown_on;
  PutFigures(json, record);
  return json;
}

std::string SummaryLine(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  std::string text = fmt::format(
      "tandem: {}x{} {} {}, {} images, on {}\n"
      "tandem:   path {}: {}\n",
      record.width, record.height, record.format, record.present_mode, record.images, Escaped(record.shown_on),
      swapchain::ToString(record.decision.path), record.decision.reason);
  for (const std::string& refused : record.decision.refused) text += fmt::format("tandem:   refused: {}\n", refused);
  for (const swapchain::PathEvent& event : record.events) {
    text += fmt::format("tandem:   from frame {} on {}: {}\n", event.frame, swapchain::ToString(event.now), event.reason);
  }
  for (const swapchain::DisplayChange& change : record.display_changes) {
    text += fmt::format(
        "tandem:   from frame {} on {} shows in place of {}, path {}: {} frames lost, none shown for {:.0f} ms\n"
        "tandem:   {}\n",
        change.frame, Escaped(change.to), Escaped(change.from), swapchain::ToString(change.path), change.frames_lost,
        Milliseconds(change.pause_ns), change.reason);
  }
  if (IsEncoded(record.decision)) text += LinkLine(record);
  if (!statistics.priority_refusal.empty()) {
    text += fmt::format("tandem:   the display thread has the program's priority: {}\n", statistics.priority_refusal);
  }
  if (!record.frame_bytes_refusal.empty()) text += fmt::format("tandem:   {}\n", record.frame_bytes_refusal);
  if (!record.dithering.empty()) text += fmt::format("tandem:   {}\n", record.dithering);
  const std::string copies =
      statistics.counts_passes
          ? fmt::format("{:.2f} copies and {:.1f} MiB written a frame shown", CopiesPerFrame(statistics),
                        PerFrame(static_cast<double>(statistics.bytes_moved), statistics.frames_shown) / kMiB)
          : std::string("a driver does not count its copies");
  text += fmt::format(
      "tandem:   {} frames presented, {} shown, {} dropped; {:.1f} shown a second\n"
      "tandem:   {}, {:.1f} MiB more by the output\n"
      "tandem:   {:.2f} ms and {:.2f} ms of processor time a frame presented\n"
      "tandem:   present to vertical blank: median {:.2f} ms, 99 % within {:.2f} ms\n",
      statistics.frames_presented, statistics.frames_shown, statistics.frames_dropped, PerSecond(record), copies,
      PerFrame(static_cast<double>(record.output_written_bytes), statistics.frames_shown) / kMiB, WallPerFrame(record),
      PerFrame(Milliseconds(record.cpu_ns), statistics.frames_presented), Milliseconds(statistics.latency_p50_ns),
      Milliseconds(statistics.latency_p99_ns));
  if (const auto& counts = record.display_counts) {
    text += fmt::format("tandem:   the display reports {} frames seen, {} replaced, {} not yet\n", counts->seen, counts->replaced,
                        counts->pending);
  }
  return text;
}

}  // namespace

StatsBook::Id StatsBook::Open(Source source) {
  const std::lock_guard lock(mutex_);
  live_.push_back({next_id_, std::move(source)});
  return next_id_++;
}

void StatsBook::Close(Id id) {
  const std::lock_guard lock(mutex_);
  for (auto item = live_.begin(); item != live_.end(); ++item) {
    if (item->id != id) continue;
    if (finished_.size() == kMaxRecordedSwapChains) {
      Add(forgotten_, finished_.front());
      finished_.erase(finished_.begin());
    }
    finished_.push_back(item->source());
    live_.erase(item);
    return;
  }
}

void StatsBook::SetAdapters(const config::AdapterInfo& render, const config::AdapterInfo& display) {
  const std::lock_guard lock(mutex_);
  if (!render_.name.empty() && !config::IsSameAdapter(render_, render)) render_changes_.push_back({render_.name, render.name});
  render_ = render;
  display_ = display;
}

void StatsBook::StepAside(const std::string& reason, LogLevel level) {
  Log(level, "The layer steps aside: {}", reason);
  status::NoteStepAside(reason);
  const std::lock_guard lock(mutex_);
  step_aside_reason_ = reason;
}

void StatsBook::SetOpenedBy(const std::string& command) {
  const std::lock_guard lock(mutex_);
  opened_by_ = command;
}

void StatsBook::RefuseSwapChain(const std::string& reason) {
  Log(LogLevel::kError, "The swap chain cannot be made. {}", reason);
  const std::lock_guard lock(mutex_);
  refusal_ = reason;
}

std::vector<SwapChainRecord> StatsBook::Records() const {
  std::vector<SwapChainRecord> records = finished_;
  for (const Live& live : live_) records.push_back(live.source());
  return records;
}

std::string StatsBook::Text() const {
  Json root{{"tandem", TANDEM_VERSION}, {"program", config::PathOfThisProgram()}, {"pid", getpid()}};
  if (!step_aside_reason_.empty()) root["stepped_aside"] = step_aside_reason_;
  if (!opened_by_.empty()) root["opened_by"] = opened_by_;
  if (!refusal_.empty()) root["refused_swap_chain"] = refusal_;
  root["render_changes"] = Json::array();
  for (const RenderChange& change : render_changes_) {
    root["render_changes"].push_back({{"from", change.from}, {"to", change.to}});
  }
  root["render_adapter"] = render_.name;
  root["display_adapter"] = display_.name;
  const auto records = Records();
  root["adapters"] = {{"render", AdapterJson(render_, records.empty() ? Json() : Json(records.back().render_tier))},
                      {"display", AdapterJson(display_, records.empty() ? Json() : Json(records.back().display_tier))}};
  SwapChainRecord total = forgotten_;
  auto list = Json::array();
  for (const SwapChainRecord& record : records) {
    Add(total, record);
    list.push_back(SwapChainJson(record));
  }
  if (!records.empty()) PutFigures(root, records.back());
  PutSums(root, total);
  root["swap_chains"] = std::move(list);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void StatsBook::WriteJson(const std::string& path, Occasion occasion) noexcept {
  try {
    const std::unique_lock lock = TimedLock(mutex_);
    if (!lock.owns_lock()) return;
    const auto file = FindNamedFile(path);
    const bool nothing_shown = live_.empty() && finished_.empty();
    if (nothing_shown && file.ok() && file->kind != NamedFile::Kind::kNew) return;
    if (occasion != Occasion::kExit && file.ok() && file->kind == NamedFile::Kind::kStream) return;
    if (const auto written = ReplaceFile(path, Text()); !written.ok())
      Log(LogLevel::kError, "The figures cannot be written. {}", written.error().message);
  } catch (...) {
    Log(LogLevel::kError, "The figures cannot be written to {}: out of memory.", path);
  }
}

void StatsBook::PrintSummary() noexcept {
  try {
    const std::unique_lock lock = TimedLock(mutex_);
    if (!lock.owns_lock()) return;
    std::string text;
    if (!step_aside_reason_.empty()) text += fmt::format("tandem: stepped aside: {}\n", step_aside_reason_);
    if (!refusal_.empty()) text += fmt::format("tandem: a swap chain could not be made: {}\n", refusal_);
    const auto records = Records();
    if (!records.empty()) {
      text += fmt::format("tandem: rendered on {}, shown by {}\n", Escaped(render_.name), Escaped(display_.name));
    }
    for (const RenderChange& change : render_changes_) {
      text += fmt::format("tandem: {} was lost, and {} renders in its place\n", Escaped(change.from), Escaped(change.to));
    }
    std::uint32_t empty = 0;
    for (const SwapChainRecord& record : records) {
      if (record.statistics.frames_presented == 0) {
        ++empty;
      } else {
        text += SummaryLine(record);
      }
    }
    if (empty != 0) text += fmt::format("tandem: {} swap chain{} without a frame\n", empty, empty == 1 ? "" : "s");
    WriteToStandardError(text);
  } catch (...) {  // a summary is lost when memory runs out
  }
}

}  // namespace tandem::status
