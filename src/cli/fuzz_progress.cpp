#include "cli/fuzz_progress.h"

#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"

namespace tandem::cli {
namespace {

constexpr std::int64_t kPeriodNs = 250'000'000;

}  // namespace

ProgressLine::ProgressLine() : shown_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(const FuzzTotals& totals, std::size_t findings) {
  const std::int64_t now_ns = MonotonicClock().NowNs();
  if (!shown_ || now_ns - last_ns_ < kPeriodNs) return;
  last_ns_ = now_ns;
  std::fprintf(stderr, "\r\033[K%s",
               fmt::format("{:.0f} s, {} sequences, {} calls, {} reached the driver, {} findings", totals.seconds, totals.runs,
                           totals.calls, totals.reached, findings)
                   .c_str());
}

void ProgressLine::Clear() const {
  if (shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace tandem::cli
