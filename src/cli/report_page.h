// A report as one page of HTML that needs no other file and no network.
#pragma once

#include <string>
#include <vector>

#include "cli/report_summary.h"

namespace tandem::cli {

// The page is well-formed XML, too.
[[nodiscard]] std::string ReportPage(const std::vector<ReportColumn>& columns);

}  // namespace tandem::cli
