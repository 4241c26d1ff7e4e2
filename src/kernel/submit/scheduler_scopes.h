// Parts of the scheduler that a caller holds for a while, and gives back when it leaves.
#pragma once

#include <cstdint>
#include <utility>

#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

// Scheduler::BeginBuild to EndBuild.
class BuildScope {
 public:
  BuildScope(Scheduler& scheduler, std::uint32_t sources)
      : scheduler_(scheduler), sources_(sources), status_(scheduler.BeginBuild(sources)) {}
  ~BuildScope() {
    if (NT_SUCCESS(status_)) scheduler_.EndBuild(sources_);
  }
  BuildScope(const BuildScope&) = delete;
  BuildScope& operator=(const BuildScope&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }

 private:
  Scheduler& scheduler_;
  const std::uint32_t sources_;
  const NTSTATUS status_;
};

// Scheduler::BeginModeChange to EndModeChange.
class ModeChangeScope {
 public:
  ModeChangeScope(Scheduler& scheduler, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source)
      : scheduler_(scheduler), vidpn_source_(vidpn_source), status_(scheduler.BeginModeChange(vidpn_source)) {}
  ~ModeChangeScope() {
    if (NT_SUCCESS(status_)) scheduler_.EndModeChange(vidpn_source_);
  }
  ModeChangeScope(const ModeChangeScope&) = delete;
  ModeChangeScope& operator=(const ModeChangeScope&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }

 private:
  Scheduler& scheduler_;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source_;
  const NTSTATUS status_;
};

// Scheduler::Suspend to Resume. Whoever has it makes nothing resident.
class IdleScope {
 public:
  explicit IdleScope(Scheduler& scheduler) : scheduler_(scheduler), status_(scheduler.Suspend()) {}
  ~IdleScope() { scheduler_.Resume(); }
  IdleScope(const IdleScope&) = delete;
  IdleScope& operator=(const IdleScope&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }

 private:
  Scheduler& scheduler_;
  const NTSTATUS status_;
};

// Scheduler::ReserveFlip, until QueueFlip takes the place.
class FlipPlace {
 public:
  FlipPlace(Scheduler& scheduler, ContextQueue& context, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source,
            Scheduler::FullQueue when_full)
      : scheduler_(scheduler),
        vidpn_source_(vidpn_source),
        status_(scheduler.ReserveFlip(context, vidpn_source, when_full)),
        reserved_(NT_SUCCESS(status_)) {}
  ~FlipPlace() {
    if (reserved_) scheduler_.ReleaseFlip(vidpn_source_);
  }
  FlipPlace(const FlipPlace&) = delete;
  FlipPlace& operator=(const FlipPlace&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }
  // The flip is queued in the place.
  [[nodiscard]] NTSTATUS Queue(ContextQueue& context, const PendingFlip& flip) {
    reserved_ = false;
    return scheduler_.QueueFlip(context, flip);
  }

 private:
  Scheduler& scheduler_;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source_;
  const NTSTATUS status_;
  bool reserved_;
};

}  // namespace tandem::kernel
