// Charts of a report, as SVG inside a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report_summary.h"

namespace tandem::cli {

struct ChartScale {
  double length_s = 0;
  double most = 0;  // values above it stand at the upper edge
};

struct ChartLine {
  std::string name;  // also the class that gives its colour: "line-1" to "line-3" in the order of the lines
  const std::vector<ReportPoint>& points;
};

// Lines of milliseconds over seconds. `drops_s`: marks at the lower edge.
[[nodiscard]] std::string LineChart(const std::vector<ChartLine>& lines, const std::vector<double>& drops_s, ChartScale scale);
// The number of the label's colour, the same in all charts: class "span-NUMBER".
[[nodiscard]] std::size_t LabelNumber(std::string_view label);
// Bars that show which label held when; a span of less than a unit of the chart may be left out.
[[nodiscard]] std::string SpanChart(const std::vector<ReportSpan>& spans, double end_s, double length_s);

// An upper limit for charts of these points: the largest value, but no outlier far above 99 percent of them.
[[nodiscard]] double MostOf(const std::vector<const std::vector<ReportPoint>*>& series);

}  // namespace tandem::cli
