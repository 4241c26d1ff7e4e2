// Output of a trial's process, of its driver and a sanitizer above all, cut down to a report's room.
#pragma once

#include <string>
#include <string_view>

namespace tandem::conform {

// "AddressSanitizer: heap-buffer-overflow driver.c:12 in Present": a sanitizer's first report, without addresses, so that equal
// faults are equal; empty when there is none.
[[nodiscard]] std::string SanitizerReport(std::string_view printed);

// All of it, each line ended by a line feed; control characters but tabs are shown as '?'.
[[nodiscard]] std::string Printable(std::string_view printed);

// The lines of most use: a sanitizer's report from its first line on, else the last lines. At most `lines`, as
// Printable() shows them.
[[nodiscard]] std::string Excerpt(std::string_view printed, std::size_t lines);

}  // namespace tandem::conform
