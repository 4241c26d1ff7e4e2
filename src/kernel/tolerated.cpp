#include "kernel/tolerated.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/thread.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kMostKept = 64;

Mutex mutex;
std::vector<Tolerated> kept TANDEM_GUARDED_BY(mutex);

}  // namespace

void ReportTolerated(std::string_view rule, std::string_view seen) {
  Tolerated report{std::string(rule), std::string(seen)};
  {
    const MutexLock lock(mutex);
    if (kept.size() == kMostKept || std::ranges::find(kept, report) != kept.end()) return;
    kept.push_back(report);
  }
  Log(LogLevel::kInfo, "{}: {}", report.rule, report.seen);
}

std::vector<Tolerated> TakeTolerated() {
  const MutexLock lock(mutex);
  return std::exchange(kept, {});
}

}  // namespace tandem::kernel
