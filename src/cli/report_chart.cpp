#include "cli/report_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "cli/markup.h"

namespace tandem::cli {
namespace {

// The plot of a chart in units of its view box; axis labels stand left of and below it.
constexpr int kWidth = 560;
constexpr int kHeight = 130;
constexpr int kLeft = 44;
constexpr int kTop = 8;
constexpr int kBarHeight = 18;
constexpr int kBelow = 20;
constexpr double kOutlier = 2;  // times the 99th percentile

// Labels with a colour of their own, by their number in the style sheet.
constexpr std::array<std::string_view, 12> kLabels = {"direct", "one-copy", "two-copy", "cpu", "compressed", "composition",
                                                      "plain",  "packed",   "lossless", "420", "420-tiles",  "bc1"};

double X(double at_s, double length_s) { return kLeft + (length_s <= 0 ? 0 : std::clamp(at_s / length_s, 0.0, 1.0) * kWidth); }

double Y(double value, double most) { return kTop + (1 - (most <= 0 ? 0 : std::min(value / most, 1.0))) * kHeight; }

// 1, 2 or 5 times a power of ten, so that an axis of `most` has three to six steps.
double StepOf(double most) {
  const double rough = most / 4;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double times = rough / power;
  return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

std::string Axes(ChartScale scale) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (scale.most > 0) {
    const double step = StepOf(scale.most);
    for (double value = 0; value <= scale.most * 1.001; value += step) {
      const double y = Y(value, scale.most);
      fmt::format_to(out, R"(<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft, kLeft + kWidth, y, y);
      fmt::format_to(out, R"(<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:.3g}</text>)", kLeft - 4, y + 4, value);
    }
  }
  return text;
}

std::string TimeAxis(double length_s, int bottom) {
  std::string text;
  if (length_s <= 0) return text;
  const double step = StepOf(length_s);
  for (double at_s = 0; at_s <= length_s * 1.001; at_s += step) {
    fmt::format_to(std::back_inserter(text), R"(<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{:.4g} s</text>)",
                   X(at_s, length_s), bottom + 14, at_s);
  }
  return text;
}

// The lowest and the highest point of each column of the chart, in their order.
std::vector<ReportPoint> Thinned(const std::vector<ReportPoint>& points, double length_s) {
  std::vector<ReportPoint> thinned;
  for (std::size_t begin = 0; begin < points.size();) {
    const auto column = std::floor(X(points[begin].at_s, length_s));
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor(X(points[end].at_s, length_s)) == column) ++end;
    const auto part = std::span(points).subspan(begin, end - begin);
    auto [low, high] = std::ranges::minmax_element(part, {}, &ReportPoint::value);
    const auto first = std::min(low, high), second = std::max(low, high);
    thinned.push_back(*first);
    if (second != first) thinned.push_back(*second);
    begin = end;
  }
  return thinned;
}

std::string Line(const std::vector<ReportPoint>& points, std::size_t number, ChartScale scale) {
  std::string line = fmt::format(R"(<polyline class="line line-{}" points=")", number);
  for (const ReportPoint& point : Thinned(points, scale.length_s)) {
    fmt::format_to(std::back_inserter(line), "{:.1f},{:.1f} ", X(point.at_s, scale.length_s), Y(point.value, scale.most));
  }
  return line + R"("/>)";
}

std::string Begin(int height) { return fmt::format(R"(<svg viewBox="0 0 {} {}" role="img">)", kLeft + kWidth + 16, height); }

}  // namespace

std::size_t LabelNumber(std::string_view label) {
  return static_cast<std::size_t>(std::ranges::find(kLabels, label) - kLabels.begin());
}

std::string LineChart(const std::vector<ChartLine>& lines, const std::vector<double>& drops_s, ChartScale scale) {
  const int bottom = kTop + kHeight;
  std::string chart = Begin(bottom + kBelow) + Axes(scale) + TimeAxis(scale.length_s, bottom);
  for (std::size_t i = 0; i < lines.size(); ++i) chart += Line(lines[i].points, i + 1, scale);
  double marked = -1;
  for (const double at_s : drops_s) {
    const double x = std::floor(X(at_s, scale.length_s));
    if (x == marked) continue;
    marked = x;
    fmt::format_to(std::back_inserter(chart), R"(<line class="drop" x1="{0:.0f}" x2="{0:.0f}" y1="{1}" y2="{2}"/>)", x,
                   bottom - 8, bottom);
  }
  return chart + "</svg>";
}

std::string SpanChart(const std::vector<ReportSpan>& spans, double end_s, double length_s) {
  const int bottom = kTop + kBarHeight;
  std::string chart = Begin(bottom + kBelow) + TimeAxis(length_s, bottom);
  const int columns = static_cast<int>(std::ceil(X(end_s, length_s))) - kLeft;
  const auto span_at = [&](int column) {
    const double at_s = (column + 0.5) * length_s / kWidth;
    const auto after = std::ranges::upper_bound(spans, at_s, {}, &ReportSpan::begin_s);
    return after == spans.begin() ? after : after - 1;
  };
  for (int begin = 0; begin < columns && !spans.empty();) {
    const std::string& label = span_at(begin)->label;
    int end = begin + 1;
    while (end < columns && span_at(end)->label == label) ++end;
    fmt::format_to(std::back_inserter(chart),
                   R"(<rect class="span-{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>)", LabelNumber(label),
                   kLeft + begin, kTop, end - begin, kBarHeight, InMarkup(label));
    begin = end;
  }
  return chart + "</svg>";
}

double MostOf(const std::vector<const std::vector<ReportPoint>*>& series) {
  double most = 0;
  for (const std::vector<ReportPoint>* const points : series) {
    std::vector<double> values;
    for (const ReportPoint& point : *points) values.push_back(point.value);
    const ReportSpread spread = SpreadOf(std::move(values));
    most = std::max(most, std::min(spread.most, spread.p99 * kOutlier));
  }
  return most * 1.05;
}

}  // namespace tandem::cli
