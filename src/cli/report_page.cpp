#include "cli/report_page.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "cli/markup.h"
#include "cli/report_chart.h"
#include "cli/version.h"

namespace tandem::cli {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #1c1f24; --dim: #6b7280; --grid: #e5e7eb; --card: #f8fafc; --back: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e5e7eb; --dim: #9ca3af; --grid: #374151; --card: #1f2937; --back: #111827; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 24px; }
h1 { font-size: 22px; margin: 0 0 4px; }
h2 { font-size: 16px; margin: 28px 0 6px; }
h3 { font-size: 13px; font-weight: 600; margin: 0 0 2px 44px; overflow-wrap: anywhere; }
p { margin: 0 0 12px; color: var(--dim); }
table { border-collapse: collapse; }
th, td { text-align: right; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--grid); font-variant-numeric: tabular-nums; }
th { font-weight: 600; }
tr > :first-child { text-align: left; font-weight: 400; color: var(--dim); }
.charts { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); }
.card { background: var(--card); border-radius: 8px; padding: 10px 12px; }
svg { width: 100%; display: block; }
.grid { stroke: var(--grid); stroke-width: 1; }
.tick { fill: var(--dim); font-size: 11px; }
.line { fill: none; stroke-width: 1.3; stroke-linejoin: round; }
.drop { stroke: #dc2626; stroke-width: 1.5; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin: 0 5px 0 12px; }
.keys { font-size: 12px; color: var(--dim); margin: 2px 0 0 32px; }
.line-1 { stroke: #2563eb; } .line-2 { stroke: #ea580c; } .line-3 { stroke: #16a34a; }
.key-1 { background: #2563eb; } .key-2 { background: #ea580c; } .key-3 { background: #16a34a; } .key-drop { background: #dc2626; }
)";
// Colours of LabelNumber(); the last one is for labels without a number.
constexpr std::string_view kLabelColours[] = {"#16a34a", "#65a30d", "#0891b2", "#9333ea", "#ea580c", "#db2777", "#64748b",
                                              "#0d9488", "#2563eb", "#d97706", "#eab308", "#78350f", "#a8a29e"};

std::string LabelStyle() {
  std::string style;
  for (std::size_t i = 0; i < std::size(kLabelColours); ++i) {
    fmt::format_to(std::back_inserter(style), ".span-{0} {{ fill: {1}; background: {1}; }}\n", i, kLabelColours[i]);
  }
  return style;
}

// A row of the table; `text` is empty where the column has no such value. `value`: NaN for rows that are not compared.
struct Row {
  std::string_view name;
  std::string (*text)(const ReportColumn& column);
  double (*value)(const ReportColumn& column);
};

double Uncompared(const ReportColumn&) { return std::nan(""); }
std::string Count(std::uint64_t count, bool known = true) { return known ? fmt::to_string(count) : std::string(); }
std::string Ms(double ms) { return ms == 0 ? std::string() : fmt::format("{:.2f} ms", ms); }

std::string Counts(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [label, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", label, count);
  return text;
}

const Row kRows[] = {
    {"program", [](const ReportColumn& column) { return column.program; }, Uncompared},
    {"render adapter", [](const ReportColumn& column) { return column.render_adapter; }, Uncompared},
    {"display adapter", [](const ReportColumn& column) { return column.display_adapter; }, Uncompared},
    {"frames presented", [](const ReportColumn& column) { return Count(column.presented); },
     [](const ReportColumn& column) { return static_cast<double>(column.presented); }},
    {"frames shown", [](const ReportColumn& column) { return Count(column.shown); },
     [](const ReportColumn& column) { return static_cast<double>(column.shown); }},
    {"frames dropped", [](const ReportColumn& column) { return Count(column.dropped); },
     [](const ReportColumn& column) { return static_cast<double>(column.dropped); }},
    {"frames held back", [](const ReportColumn& column) { return Count(column.held, column.has_frames); },
     [](const ReportColumn& column) { return column.has_frames ? static_cast<double>(column.held) : std::nan(""); }},
    {"lines missing in the log", [](const ReportColumn& column) { return Count(column.lost, column.lost != 0); }, Uncompared},
    {"frames shown a second", [](const ReportColumn& column) { return fmt::format("{:.2f}", column.shown_per_second); },
     [](const ReportColumn& column) { return column.shown_per_second; }},
    {"frame time, median", [](const ReportColumn& column) { return Ms(column.frame_ms.median); },
     [](const ReportColumn& column) { return column.frame_ms.median; }},
    {"frame time, 99 % within", [](const ReportColumn& column) { return Ms(column.frame_ms.p99); },
     [](const ReportColumn& column) { return column.frame_ms.p99; }},
    {"frame time, longest", [](const ReportColumn& column) { return Ms(column.frame_ms.most); },
     [](const ReportColumn& column) { return column.frame_ms.most; }},
    {"latency, median", [](const ReportColumn& column) { return Ms(column.latency_ms.median); },
     [](const ReportColumn& column) { return column.latency_ms.median; }},
    {"latency, 99 % within", [](const ReportColumn& column) { return Ms(column.latency_ms.p99); },
     [](const ReportColumn& column) { return column.latency_ms.p99; }},
    {"latency, longest", [](const ReportColumn& column) { return Ms(column.latency_ms.most); },
     [](const ReportColumn& column) { return column.latency_ms.most; }},
    {"frames by path", [](const ReportColumn& column) { return Counts(column.frames_by_path); }, Uncompared},
    {"frames by encoding", [](const ReportColumn& column) { return Counts(column.frames_by_encoding); }, Uncompared},
    {"bytes of an encoded frame",
     [](const ReportColumn& column) {
       return column.link_bytes == 0 ? std::string() : fmt::format("{:.3f} MB", column.link_bytes / 1e6);
     },
     [](const ReportColumn& column) { return column.link_bytes; }},
};

std::string Change(double from, double to) {
  if (!(from > 0) || std::isnan(to)) return "";
  return fmt::format("{:+.1f} %", (to - from) / from * 100);
}

std::string Table(const std::vector<ReportColumn>& columns) {
  const bool pair = columns.size() == 2;
  std::string table = "<table><tr><th></th>";
  for (const ReportColumn& column : columns) table += "<th>" + InMarkup(column.title) + "</th>";
  table += pair ? "<th>change</th></tr>\n" : "</tr>\n";
  for (const Row& row : kRows) {
    if (std::ranges::all_of(columns, [&row](const ReportColumn& column) { return row.text(column).empty(); })) continue;
    table += fmt::format("<tr><td>{}</td>", row.name);
    for (const ReportColumn& column : columns) table += "<td>" + InMarkup(row.text(column)) + "</td>";
    if (pair) table += "<td>" + Change(row.value(columns[0]), row.value(columns[1])) + "</td>";
    table += "</tr>\n";
  }
  return table + "</table>\n";
}

std::string Key(std::string_view style, std::string_view name) {
  return fmt::format(R"(<span class="key {}"></span>{})", style, InMarkup(name));
}

std::string SpanKeys(const std::vector<ReportSpan>& spans) {
  std::string keys;
  std::set<std::string> seen;
  for (const ReportSpan& span : spans) {
    if (seen.insert(span.label).second) keys += Key(fmt::format("span-{}", LabelNumber(span.label)), span.label);
  }
  return keys;
}

using Chart = std::function<std::string(const ReportColumn& column)>;

// A heading, and each column's chart side by side; empty if no column has one.
std::string Section(std::string_view heading, std::string_view text, const std::vector<ReportColumn>& columns,
                    const Chart& chart) {
  std::string cards;
  bool any = false;
  for (const ReportColumn& column : columns) {
    const std::string drawn = chart(column);
    any = any || !drawn.empty();
    fmt::format_to(std::back_inserter(cards), "<div class=\"card\"><h3>{}</h3>{}</div>\n", InMarkup(column.title),
                   drawn.empty() ? "<div class=\"keys\">no such frames</div>" : drawn);
  }
  if (!any) return "";
  return fmt::format("<h2>{}</h2><p>{}</p>\n<div class=\"charts\">\n{}</div>\n", heading, text, cards);
}

std::string Keys(const std::string& keys) { return "<div class=\"keys\">" + keys + "</div>"; }

std::string Charts(const std::vector<ReportColumn>& columns) {
  double length_s = 0;
  std::vector<const std::vector<ReportPoint>*> frame_times, latencies, link_times;
  for (const ReportColumn& column : columns) {
    length_s = std::max(length_s, column.length_s);
    frame_times.push_back(&column.frame_times);
    latencies.push_back(&column.latencies);
    for (const auto* points : {&column.encode_times, &column.link_times, &column.decode_times}) link_times.push_back(points);
  }
  const ChartScale frame_scale{length_s, MostOf(frame_times)};
  const ChartScale latency_scale{length_s, MostOf(latencies)};
  const ChartScale link_scale{length_s, MostOf(link_times)};
  return Section("Frame times",
                 "Milliseconds from one shown frame to the next; outliers stand at the upper edge. Marks below: frames that were "
                 "dropped.",
                 columns,
                 [&](const ReportColumn& column) {
                   return column.frame_times.empty()
                              ? std::string()
                              : LineChart({{"frame time", column.frame_times}}, column.drops_s, frame_scale);
                 }) +
         Section(
             "Latency", "Milliseconds from the present of a frame to the vertical blank that showed it.", columns,
             [&](const ReportColumn& column) {
               return column.latencies.empty() ? std::string() : LineChart({{"latency", column.latencies}}, {}, latency_scale);
             }) +
         Section("Path", "The way of the frames over time.", columns,
                 [&](const ReportColumn& column) {
                   return column.paths.empty()
                              ? std::string()
                              : SpanChart(column.paths, column.length_s, length_s) + Keys(SpanKeys(column.paths));
                 }) +
         Section("Encoding", "The encoding of frames on the compressed path over time.", columns,
                 [&](const ReportColumn& column) {
                   return column.encodings.empty()
                              ? std::string()
                              : SpanChart(column.encodings, column.length_s, length_s) + Keys(SpanKeys(column.encodings));
                 }) +
         Section("On the link", "Milliseconds that each encoded frame took.", columns, [&](const ReportColumn& column) {
           if (column.encode_times.empty() && column.link_times.empty() && column.decode_times.empty()) return std::string();
           return LineChart({{"encode", column.encode_times}, {"link", column.link_times}, {"decode", column.decode_times}}, {},
                            link_scale) +
                  Keys(Key("key-1", "encode") + Key("key-2", "link") + Key("key-3", "decode"));
         });
}

}  // namespace

std::string ReportPage(const std::vector<ReportColumn>& columns) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width\"/><title>Tandem report</title>\n<style>{}{}</style></head>\n<body>\n"
      "<h1>Tandem report</h1><p>Written by tandem {}.</p>\n{}{}</body></html>\n",
      kStyle, LabelStyle(), kVersion, Table(columns), Charts(columns));
}

}  // namespace tandem::cli
