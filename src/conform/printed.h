// Shortens the output of a trial's process, mostly that of its driver and a sanitizer, for a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::conform {

// A sanitizer's first report without addresses, so that equal faults compare equal; empty when there is none. Example:
// "AddressSanitizer: heap-buffer-overflow driver.c:12 in Present".
[[nodiscard]] std::string SanitizerReport(std::string_view printed);
// The data races among what was printed.
struct Races {
  std::vector<std::string> places;  // each once, such as "queue.cpp:76 in Take"
  std::string reports;              // whole
  std::string others;               // the rest of what was printed
};
[[nodiscard]] Races TakeRaces(std::string_view printed);

// Without ThreadSanitizer's reports whose two accesses are no work of `module`, a shared object's file name: the sanitizer does
// not see what orders code that was not built with it.
[[nodiscard]] std::string WithoutOthersRaces(std::string_view printed, std::string_view module);

// The whole output, each line ended by a line feed. Control characters except tabs become '?'.
[[nodiscard]] std::string Printable(std::string_view printed);

// The most useful lines: a sanitizer's report from its first line, otherwise the last lines. At most `lines`, formatted by
// Printable().
[[nodiscard]] std::string Excerpt(std::string_view printed, std::size_t lines);

}  // namespace tandem::conform
