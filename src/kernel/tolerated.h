// Rules of the contract that a driver breaks and that Windows lets pass. The adapter goes on.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::kernel {

// The driver host's rules that a free build of Windows does not enforce
// (docs/decisions/0049-what-windows-lets-pass.md).
inline constexpr std::array<std::string_view, 4> kToleratedNtRules{"Nt.Assertion", "Nt.Handle", "Nt.PagedCode", "Nt.Port"};

// A rule that a driver broke.
struct Tolerated {
  std::string rule;
  std::string seen;  // a sentence
  bool operator==(const Tolerated&) const = default;
};

// Logs the rule and keeps it, once for each text; the first 64 are kept. Any thread, any IRQL.
void ReportTolerated(std::string_view rule, std::string_view seen);

// The reports of the process's drivers since the last call, in their order.
[[nodiscard]] std::vector<Tolerated> TakeTolerated();

}  // namespace tandem::kernel
