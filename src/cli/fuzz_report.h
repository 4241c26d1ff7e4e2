// The report of `tandem fuzz`, for people and for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "conform/fuzz/call_script.h"
#include "conform/fuzz/finding.h"
#include "conform/fuzz/run_notes.h"

namespace tandem::cli {

struct FuzzResult {
  conform::Finding finding;
  std::vector<std::string> stack;  // named
  conform::CallScript script;      // the shortest that shows it
  std::size_t first_steps = 0;     // of the script that showed it first
  std::uint64_t runs = 0;          // that showed it
  std::uint32_t replays = 0;       // of kReplays that showed it again
  std::string file;                // of the script
  std::string printed;             // excerpt of what the run's process printed
};

inline constexpr std::uint32_t kReplays = 3;

struct FuzzTotals {
  std::string driver;
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  // sequences
  std::uint64_t calls = 0;
  std::uint64_t reached = 0;  // calls that entered the driver; the kernel answered the others
  std::uint64_t kept = 0;     // sequences that saw something new
  std::size_t edges = 0;      // of the driver's code; 0: it was built without coverage
  std::size_t edges_taken = 0;
  double seconds = 0;
  void Count(std::size_t all_edges, const conform::SeenByRuns& seen);
};

[[nodiscard]] std::string ToText(const FuzzResult& result, const FuzzTotals& totals, const TextStyle& style);
[[nodiscard]] std::string Summary(std::span<const FuzzResult> results, const FuzzTotals& totals, const TextStyle& style);
// Stable: fields are added, never changed.
[[nodiscard]] std::string ToJson(std::span<const FuzzResult> results, const FuzzTotals& totals);
// Remarks of a finding's file.
[[nodiscard]] std::vector<std::string> RemarksOf(const FuzzResult& result, const FuzzTotals& totals);

}  // namespace tandem::cli
