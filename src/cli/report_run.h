// The runs of a report, read from frame logs and files of --stats-json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace tandem::cli {

// One line of a frame log. Times are milliseconds of one clock; 0: the frame did not get so far, or the time is not known.
struct ReportFrame {
  std::uint64_t swap_chain = 0;
  std::uint64_t number = 0;
  bool shown = false;
  bool held = false;
  double acquired_ms = 0;
  double presented_ms = 0;
  double shown_ms = 0;
  std::string path;
  std::string shown_by;  // empty: not shown
  std::string encoding;  // empty: not encoded
  double link_bytes = 0;
  double encode_ms = 0;
  double link_ms = 0;
  double decode_ms = 0;
  std::uint64_t lost_before = 0;  // lines that are missing before this one
  // Columns that older logs lack. A swap chain's first line alone names the adapters.
  double copy_begin_ms = 0;
  double copy_end_ms = 0;
  double link_begin_ms = 0;
  double link_end_ms = 0;
  double flip_queued_ms = 0;
  std::optional<std::uint32_t> render_gpu;
  std::optional<std::uint32_t> display_gpu;
  std::string render_adapter;
  std::string display_adapter;
};

// One run: a frame log, the figures of --stats-json, or both.
struct ReportRun {
  std::vector<std::string> files;
  std::vector<ReportFrame> frames;  // in the order of the log; empty without one
  nlohmann::ordered_json figures;   // an object; null without one
};

// The frames of a log in Tandem's own format. kInvalidArgument with "file:line: reason".
[[nodiscard]] Result<std::vector<ReportFrame>> ParseFrameLog(std::string_view text, const std::string& file);
// The object of --stats-json. kInvalidArgument with "file:line: reason".
[[nodiscard]] Result<nlohmann::ordered_json> ParseFigures(const std::string& text, const std::string& file);

// Reads all files. A frame log and figures whose paths differ in the extension alone are one run; each other file is a run of
// its own. kNotFound, kIo, kInvalidArgument.
[[nodiscard]] Result<std::vector<ReportRun>> ReadRuns(const std::vector<std::string>& files);

}  // namespace tandem::cli
