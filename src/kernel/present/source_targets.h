// Which targets each VidPn source of an adapter feeds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "kernel/kernel.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// Threads: any.
class SourceTargets {
 public:
  // Source N feeds target N at first. `targets` are all that the adapter has.
  SourceTargets(std::uint32_t sources, std::vector<ULONG> targets);

  // kInvalidArgument for no target, one that is named twice or does not exist, or no rotation; nothing changes then.
  [[nodiscard]] Result<void> Check(std::span<const SourceTarget> targets) const;
  // `targets` passed Check(), and `source` exists. Other sources lose these targets.
  void Set(std::uint32_t source, std::span<const SourceTarget> targets);

  // The primary one first; empty for a source that feeds none or does not exist.
  [[nodiscard]] std::vector<SourceTarget> Of(std::uint32_t source) const;
  [[nodiscard]] std::optional<ULONG> PrimaryOf(std::uint32_t source) const;

 private:
  const std::vector<ULONG> all_;
  mutable Mutex mutex_;
  std::vector<std::vector<SourceTarget>> of_source_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
