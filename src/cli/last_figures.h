// Figures of a program that was ended before it could write its own: what it had reported until then.
#pragma once

#include <cstdint>
#include <string>

#include "status/live_record.h"

namespace tandem::cli {

struct LastFigures {
  status::LiveProgram program;
  int signal = 0;             // that ended it; 0: not known
  std::int64_t ended_ns = 0;  // about when, as LiveSwapChain::reported_ns counts
};

// "was ended by signal 9 (SIGKILL)"; "ended early" where it is not known.
[[nodiscard]] std::string HowEnded(int signal);
// Time of its last report, as reported_ns; 0: none.
[[nodiscard]] std::int64_t LastReported(const status::LiveProgram& program);
// For standard error, as the program's own summary begins.
[[nodiscard]] std::string SummaryOf(const LastFigures& last);
// One object with keys of --stats-json, as far as they are known.
[[nodiscard]] std::string JsonOf(const LastFigures& last);

}  // namespace tandem::cli
