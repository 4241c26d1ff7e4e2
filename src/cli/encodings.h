// tandem encodings: what each encoding makes of pictures.
#pragma once

#include <span>
#include <string>

#include "cli/command_line.h"
#include "system/encoding_report.h"

namespace tandem::cli {

[[nodiscard]] std::string ToTable(std::span<const system::EncodingReportRow> rows);
[[nodiscard]] std::string ToJson(std::span<const system::EncodingReportRow> rows);

// Prints the report on standard output and returns the exit code.
[[nodiscard]] int ReportEncodings(const EncodingsCommand& command);

}  // namespace tandem::cli
