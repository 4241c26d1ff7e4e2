#include "cli/report_summary.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/printable.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? Printable(found->get<std::string>()) : std::string();
}

double NumberAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::uint64_t CountAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string NamesOf(const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& file : files) {
    names += (names.empty() ? "" : ", ") + Printable(std::filesystem::path(file).filename().string());
  }
  return names;
}

ReportColumn ColumnOfRun(const ReportRun& run) {
  ReportColumn column;
  column.run = column.title = NamesOf(run.files);
  if (!run.figures.is_object()) return column;
  column.program = Printable(std::filesystem::path(TextAt(run.figures, "program")).filename().string());
  column.render_adapter = TextAt(run.figures, "render_adapter");
  column.display_adapter = TextAt(run.figures, "display_adapter");
  return column;
}

// Without a log: the counts and means of the whole run. Its longest frame is not known.
void AddFigures(ReportColumn& column, const Json& figures) {
  column.presented = CountAt(figures, "frames_presented");
  column.shown = CountAt(figures, "frames_shown");
  column.dropped = CountAt(figures, "frames_dropped");
  column.shown_per_second = NumberAt(figures, "frames_per_second");
  if (const std::string path = TextAt(figures, "path"); !path.empty()) column.frames_by_path[path] = column.shown;
  if (const auto link = figures.find("link"); link != figures.end() && link->is_object()) {
    column.link_bytes = NumberAt(*link, "bytes_per_frame");
  }
  const auto latency = figures.find("latency_ms");
  if (latency == figures.end() || !latency->is_object()) return;
  column.latency_ms = {NumberAt(*latency, "p50"), NumberAt(*latency, "p99"), 0};
}

void AddSpan(std::vector<ReportSpan>& spans, double at_s, const std::string& label) {
  if (spans.empty() || spans.back().label != label) spans.push_back({at_s, label});
}

std::vector<double> ValuesOf(const std::vector<ReportPoint>& points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const ReportPoint& point : points) values.push_back(point.value);
  return values;
}

void AddPoint(std::vector<ReportPoint>& points, double at_s, double value) {
  if (value != 0) points.push_back({at_s, value});
}

// Frames are ordered by their number.
void AddFrames(ReportColumn& column, std::span<const ReportFrame> frames) {
  const double begin_ms = frames.front().presented_ms;
  double shown_before_ms = 0;
  std::size_t encoded = 0;
  double bytes = 0;
  for (const ReportFrame& frame : frames) {
    const double at_s = (frame.presented_ms - begin_ms) / 1e3;
    column.length_s = std::max({column.length_s, at_s, (frame.shown_ms - begin_ms) / 1e3});
    column.held += frame.held ? 1 : 0;
    column.lost += frame.lost_before;
    if (frame.lost_before != 0) shown_before_ms = 0;
    if (!frame.encoding.empty()) {
      ++encoded;
      bytes += frame.link_bytes;
      ++column.frames_by_encoding[frame.encoding];
      AddSpan(column.encodings, at_s, frame.encoding);
      AddPoint(column.encode_times, at_s, frame.encode_ms);
      AddPoint(column.link_times, at_s, frame.link_ms);
      AddPoint(column.decode_times, at_s, frame.decode_ms);
    }
    if (!frame.shown) {
      column.drops_s.push_back(at_s);
      continue;
    }
    const std::string& path = frame.shown_by == "composition" ? frame.shown_by : frame.path;
    ++column.frames_by_path[path];
    AddSpan(column.paths, at_s, path);
    column.latencies.push_back({at_s, frame.shown_ms - frame.presented_ms});
    if (shown_before_ms != 0) {
      column.frame_times.push_back({(frame.shown_ms - begin_ms) / 1e3, frame.shown_ms - shown_before_ms});
    }
    shown_before_ms = frame.shown_ms;
  }
  column.has_frames = true;
  column.presented = frames.size();
  column.dropped = column.drops_s.size();
  column.shown = column.presented - column.dropped;
  column.link_bytes = encoded == 0 ? 0 : bytes / static_cast<double>(encoded);
  column.frame_ms = SpreadOf(ValuesOf(column.frame_times));
  column.latency_ms = SpreadOf(ValuesOf(column.latencies));
  double shown_ms = 0;
  for (const ReportPoint& point : column.frame_times) shown_ms += point.value;
  if (shown_ms > 0) column.shown_per_second = static_cast<double>(column.frame_times.size()) * 1e3 / shown_ms;
}

}  // namespace

ReportSpread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&values](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.99), values.back()};
}

std::vector<ReportColumn> ColumnsOf(const std::vector<ReportRun>& runs) {
  std::vector<ReportColumn> columns;
  for (const ReportRun& run : runs) {
    const ReportColumn column = ColumnOfRun(run);
    if (run.frames.empty()) {
      columns.push_back(column);
      if (run.figures.is_object()) AddFigures(columns.back(), run.figures);
      continue;
    }
    std::map<std::uint64_t, std::vector<ReportFrame>> chains;
    for (const ReportFrame& frame : run.frames) chains[frame.swap_chain].push_back(frame);
    for (auto& [chain, frames] : chains) {
      std::ranges::sort(frames, {}, &ReportFrame::number);
      columns.push_back(column);
      if (chains.size() > 1) columns.back().title += fmt::format(", swap chain {}", chain);
      AddFrames(columns.back(), frames);
    }
  }
  return columns;
}

}  // namespace tandem::cli
