// The report on one swap chain of a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/report_run.h"

namespace tandem::cli {

// A value over time; `at_s` counts from the swap chain's first present.
struct ReportPoint {
  double at_s = 0;
  double value = 0;
};

// A label that holds from `begin_s` until the next span.
struct ReportSpan {
  double begin_s = 0;
  std::string label;
};

struct ReportSpread {
  double median = 0;
  double p99 = 0;
  double most = 0;
};
// Zeros without values.
[[nodiscard]] ReportSpread SpreadOf(std::vector<double> values);

// One column of the report: a swap chain, or a run without a frame log.
struct ReportColumn {
  std::string title;
  std::string run;      // names of its files
  std::string program;  // empty where no figures name it
  std::string render_adapter;
  std::string display_adapter;
  bool has_frames = false;  // from a log
  double length_s = 0;      // from the first present to the last time known
  std::uint64_t presented = 0;
  std::uint64_t shown = 0;
  std::uint64_t dropped = 0;
  std::uint64_t held = 0;
  std::uint64_t lost = 0;  // lines that the log lacks
  double shown_per_second = 0;
  ReportSpread frame_ms;                 // between frames shown
  ReportSpread latency_ms;               // from present to shown
  double link_bytes = 0;                 // of an encoded frame, mean; 0: none were encoded
  std::vector<ReportPoint> frame_times;  // of frames shown: the time since the one before
  std::vector<ReportPoint> latencies;    // of frames shown
  std::vector<ReportPoint> encode_times;
  std::vector<ReportPoint> link_times;
  std::vector<ReportPoint> decode_times;
  std::vector<double> drops_s;  // presents of dropped frames
  std::vector<ReportSpan> paths;
  std::vector<ReportSpan> encodings;  // empty: no frame was encoded
  std::map<std::string, std::uint64_t> frames_by_path;
  std::map<std::string, std::uint64_t> frames_by_encoding;
};

// The swap chains of all runs, in their order.
[[nodiscard]] std::vector<ReportColumn> ColumnsOf(const std::vector<ReportRun>& runs);

}  // namespace tandem::cli
