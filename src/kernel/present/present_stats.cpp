#include "kernel/present/present_stats.h"

namespace tandem::kernel {

void PresentStats::OnQueued(const PendingFlip& flip, std::uint64_t cookie) {
  const MutexLock lock(mutex_);
  auto& queued = sources_[flip.vidpn_source].queued;
  if (queued.full()) queued.pop();  // the queue refused it
  queued.push({cookie, flip.present_count});
}

void PresentStats::OnRetired(std::uint32_t vidpn_source, const RetiredFlip& retired) {
  const MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  while (!source.queued.empty() && source.queued.front().cookie <= retired.cookie) {
    source.shown.PresentCount = source.queued.pop().present_count;
    source.shown.PresentRefreshCount = source.shown.SyncRefreshCount = static_cast<UINT>(retired.vsync);
    source.shown.SyncQPCTime.QuadPart = retired.time_ns;
  }
}

D3DKMT_PRESENT_STATS PresentStats::Of(std::uint32_t vidpn_source) const {
  const MutexLock lock(mutex_);
  return sources_[vidpn_source].shown;
}

}  // namespace tandem::kernel
