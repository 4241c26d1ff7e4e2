// D3DKMT_DEVICESTATE_PRESENT: the last present of each source that is on the screen, and its vertical blank.
#pragma once

#include <array>
#include <cstdint>

#include "base/ring.h"
#include "base/thread.h"
#include "kernel/present/flip_queue.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/limits.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// Threads: any, up to DISPATCH_LEVEL. Its lock is the last one taken. Allocates nothing.
class PresentStats {
 public:
  // The flip is about to be queued with `cookie`.
  void OnQueued(const PendingFlip& flip, std::uint64_t cookie);
  void OnRetired(std::uint32_t vidpn_source, const RetiredFlip& retired);
  // Zero while no present of the source was on the screen.
  [[nodiscard]] D3DKMT_PRESENT_STATS Of(std::uint32_t vidpn_source) const;

 private:
  struct Queued {
    std::uint64_t cookie = 0;
    UINT present_count = 0;
  };
  struct Source {
    Ring<Queued, kMaxPendingFlips + 1> queued;
    D3DKMT_PRESENT_STATS shown{};
  };

  mutable Mutex mutex_;
  std::array<Source, kMaxFlipSources> sources_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
