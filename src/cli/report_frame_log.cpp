#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/printable.h"
#include "cli/report_run.h"

namespace tandem::cli {
namespace {

// A column, the field that it fills and the reader of its text. False for a text that is no such value.
struct Column {
  std::string_view name;
  bool (*read)(ReportFrame& frame, std::string_view text);
};

template <class Number>
bool ReadNumber(Number& number, std::string_view text) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// An empty text: the value is not known.
bool ReadAmount(double& amount, std::string_view text) {
  return text.empty() || (ReadNumber(amount, text) && std::isfinite(amount) && amount >= 0);
}

bool ReadFlag(bool& flag, std::string_view text, std::string_view off, std::string_view on) {
  flag = text == on;
  return flag || text == off;
}

bool ReadText(std::string& field, std::string_view text) {
  field = Printable(text);
  return true;
}

bool ReadIndex(std::optional<std::uint32_t>& index, std::string_view text) {
  return text.empty() || ReadNumber(index.emplace(), text);
}

constexpr std::size_t kNeededColumns = 15;  // older logs have no more
constexpr std::array<Column, kNeededColumns + 9> kColumns = {{
    {"swap_chain", [](ReportFrame& frame, std::string_view text) { return ReadNumber(frame.swap_chain, text); }},
    {"frame", [](ReportFrame& frame, std::string_view text) { return ReadNumber(frame.number, text); }},
    {"outcome", [](ReportFrame& frame, std::string_view text) { return ReadFlag(frame.shown, text, "dropped", "shown"); }},
    {"held", [](ReportFrame& frame, std::string_view text) { return ReadFlag(frame.held, text, "0", "1"); }},
    {"acquired_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.acquired_ms, text); }},
    {"presented_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.presented_ms, text); }},
    {"shown_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.shown_ms, text); }},
    {"path", [](ReportFrame& frame, std::string_view text) { return ReadText(frame.path, text); }},
    {"shown_by", [](ReportFrame& frame, std::string_view text) { return ReadText(frame.shown_by, text); }},
    {"encoding", [](ReportFrame& frame, std::string_view text) { return ReadText(frame.encoding, text); }},
    {"link_bytes", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.link_bytes, text); }},
    {"encode_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.encode_ms, text); }},
    {"link_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.link_ms, text); }},
    {"decode_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.decode_ms, text); }},
    {"lost_before", [](ReportFrame& frame, std::string_view text) { return ReadNumber(frame.lost_before, text); }},
    {"copy_begin_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.copy_begin_ms, text); }},
    {"copy_end_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.copy_end_ms, text); }},
    {"link_begin_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.link_begin_ms, text); }},
    {"link_end_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.link_end_ms, text); }},
    {"flip_queued_ms", [](ReportFrame& frame, std::string_view text) { return ReadAmount(frame.flip_queued_ms, text); }},
    {"render_gpu", [](ReportFrame& frame, std::string_view text) { return ReadIndex(frame.render_gpu, text); }},
    {"render_adapter", [](ReportFrame& frame, std::string_view text) { return ReadText(frame.render_adapter, text); }},
    {"display_gpu", [](ReportFrame& frame, std::string_view text) { return ReadIndex(frame.display_gpu, text); }},
    {"display_adapter", [](ReportFrame& frame, std::string_view text) { return ReadText(frame.display_adapter, text); }},
}};

std::vector<std::string_view> FieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = std::min(line.find(','), line.size());
    fields.push_back(line.substr(0, end));
    if (end == line.size()) return fields;
    line.remove_prefix(end + 1);
  }
}

// The log of another program, by its first columns; empty for none that Tandem writes.
std::string_view ForeignFormat(std::string_view header) {
  return header.starts_with("Application,ProcessID,") ? "presentmon"
         : header.starts_with("os,cpu,gpu,")          ? "mangohud"
                                                      : std::string_view();
}

constexpr std::size_t kNoPlace = ~std::size_t{0};

// The place of each of kColumns among the fields of a line, or kNoPlace.
using Places = std::array<std::size_t, kColumns.size()>;

Result<Places> PlacesIn(std::string_view header) {
  const std::vector<std::string_view> names = FieldsOf(header);
  if (const std::string_view format = ForeignFormat(header); !format.empty()) {
    return Fail(ErrorKind::kInvalidArgument,
                "This is a log of --frame-log-format {}; a report is made of logs in Tandem's own format.", format);
  }
  Places places{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto name = std::ranges::find(names, kColumns[i].name);
    if (name == names.end() && i >= kNeededColumns) {
      places[i] = kNoPlace;
      continue;
    }
    if (name == names.end()) {
      return Fail(ErrorKind::kInvalidArgument, "Column {} is missing: this is no frame log.", kColumns[i].name);
    }
    places[i] = static_cast<std::size_t>(name - names.begin());
  }
  return places;
}

Result<ReportFrame> ParseLine(std::string_view line, const Places& places, std::size_t columns) {
  const std::vector<std::string_view> fields = FieldsOf(line);
  if (fields.size() != columns) {
    return Fail(ErrorKind::kInvalidArgument, "The line has {} fields, the first line {}.", fields.size(), columns);
  }
  ReportFrame frame;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (places[i] == kNoPlace) continue;
    const std::string_view text = fields[places[i]];
    if (!kColumns[i].read(frame, text)) {
      return Fail(ErrorKind::kInvalidArgument, "{} is '{}'.", kColumns[i].name, Printable(text));
    }
  }
  if (frame.presented_ms == 0) return Fail(ErrorKind::kInvalidArgument, "presented_ms is missing.");
  if (frame.shown != (frame.shown_ms != 0)) return Fail(ErrorKind::kInvalidArgument, "outcome and shown_ms disagree.");
  return frame;
}

}  // namespace

Result<std::vector<ReportFrame>> ParseFrameLog(std::string_view text, const std::string& file) {
  std::vector<ReportFrame> frames;
  std::optional<Places> places;
  std::size_t columns = 0;
  for (std::size_t number = 1; number == 1 || !text.empty(); ++number) {
    const auto in_line = [&](Error error) { return std::move(error).Context(fmt::format("{}:{}", file, number)); };
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!places) {
      auto found = PlacesIn(line);
      if (!found.ok()) return in_line(std::move(found).error());
      places = *found;
      columns = FieldsOf(line).size();
      continue;
    }
    auto frame = ParseLine(line, *places, columns);
    // A program that is killed may leave the last line unfinished.
    if (!frame.ok() && end == std::string_view::npos) break;
    if (!frame.ok()) return in_line(std::move(frame).error());
    frames.push_back(*std::move(frame));
  }
  return frames;
}

}  // namespace tandem::cli
