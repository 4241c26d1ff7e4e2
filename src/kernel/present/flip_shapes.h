// The shapes of the surfaces that each source flips to: a change of shape makes earlier answers of overlay checks invalid.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/present/overlay_checks.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/limits.h"

namespace tandem::kernel {

// Threads: any, any IRQL, under any lock.
class FlipShapes {
 public:
  // The checks outlive the object.
  explicit FlipShapes(OverlayChecks& checks) : checks_(checks) {}

  // The flip is queued with `cookie`.
  void OnQueued(const PendingFlip& flip, std::uint64_t cookie);
  void OnRetired(std::uint32_t vidpn_source, std::uint64_t cookie);
  // The source shows a new mode, in which every shape is new.
  void OnModeShown(std::uint32_t vidpn_source);

 private:
  struct Source {
    std::atomic<std::uint64_t> reshaping{0};  // cookie of the last flip to planes of another shape
    std::atomic<std::uint64_t> shape{0};      // the last flip's; 0: none in this mode
  };

  OverlayChecks& checks_;
  std::array<Source, kMaxFlipSources> sources_;
};

}  // namespace tandem::kernel
