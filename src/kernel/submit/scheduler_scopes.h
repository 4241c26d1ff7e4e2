// Places and permissions of the scheduler that a caller holds for a scope.
#pragma once

#include <cstdint>
#include <utility>

#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

// ModeGate::BeginBuild to EndBuild.
class BuildScope {
 public:
  BuildScope(ModeGate& modes, std::uint32_t sources) : modes_(modes), sources_(sources), status_(modes.BeginBuild(sources)) {}
  ~BuildScope() {
    if (NT_SUCCESS(status_)) modes_.EndBuild(sources_);
  }
  BuildScope(const BuildScope&) = delete;
  BuildScope& operator=(const BuildScope&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }

 private:
  ModeGate& modes_;
  const std::uint32_t sources_;
  const NTSTATUS status_;
};

// ModeGate::BeginChange to EndChange.
class ModeChangeScope {
 public:
  ModeChangeScope(ModeGate& modes, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source)
      : modes_(modes), vidpn_source_(vidpn_source), status_(modes.BeginChange(vidpn_source)) {}
  ~ModeChangeScope() {
    if (NT_SUCCESS(status_)) modes_.EndChange(vidpn_source_);
  }
  ModeChangeScope(const ModeChangeScope&) = delete;
  ModeChangeScope& operator=(const ModeChangeScope&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }

 private:
  ModeGate& modes_;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source_;
  const NTSTATUS status_;
};

// Dispatcher::Suspend to Resume. Whoever has it makes nothing resident.
class IdleScope {
 public:
  explicit IdleScope(Dispatcher& dispatcher) : dispatcher_(dispatcher), status_(dispatcher.Suspend()) {}
  ~IdleScope() { dispatcher_.Resume(); }
  IdleScope(const IdleScope&) = delete;
  IdleScope& operator=(const IdleScope&) = delete;
  [[nodiscard]] NTSTATUS status() const { return status_; }

 private:
  Dispatcher& dispatcher_;
  const NTSTATUS status_;
};

// A place of FlipLedger::Reserve, until Scheduler::QueueFlip takes it.
class FlipPlace {
 public:
  FlipPlace(Scheduler& scheduler, ContextQueue& context, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source,
            FlipLedger::FullQueue when_full)
      : scheduler_(scheduler),
        vidpn_source_(vidpn_source),
        status_(scheduler.flips().Reserve(context, vidpn_source, when_full)),
        reserved_(NT_SUCCESS(status_)) {}
  ~FlipPlace() {
    if (reserved_) scheduler_.flips().Release(vidpn_source_);
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
