// Timeout detection and recovery: engines that work for too long are asked, preempted and reset in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/adapter/timeout_watch.h"
#include "kernel/kernel.h"
#include "kernel/submit/engine_reset.h"
#include "kernel/submit/node_queue.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// One per adapter, with a thread that watches its nodes (docs/contract.md, Timeouts). Threads: any, at PASSIVE_LEVEL unless said.
class TimeoutRecovery final : public TimeoutWatch::Owner {
 public:
  class Owner : public EngineReset::Owner {
   public:
    // Work of a higher order than `order` waits for room on the node.
    [[nodiscard]] virtual bool IsWanted(std::uint32_t node_ordinal, std::int32_t order) TANDEM_REQUIRES(work_lock) = 0;
    // Contexts may have something to submit. Any thread, under any lock.
    virtual void Wake() = 0;
  };
  // kEngine resets one node, or the adapter where engines cannot be reset alone.
  enum class ForcedReset : std::uint8_t { kEngine, kAdapter };

  // Both outlive the object.
  TimeoutRecovery(WorkMonitor& monitor, Owner& owner, const TdrSettings& settings);
  TimeoutRecovery(const TimeoutRecovery&) = delete;
  TimeoutRecovery& operator=(const TimeoutRecovery&) = delete;

  // Between the two calls the watch's thread runs. kLimit without threads. Stop() waits for a reset to end.
  [[nodiscard]] Result<void> Start();
  void Stop() { watch_.reset(); }

  // Something was submitted to the node, or ended there: the watch looks in time. IRQL up to DISPATCH.
  void Watch(std::uint32_t node_ordinal) TANDEM_REQUIRES(work_lock);
  // The node's engine stands: it is as hung as one that did not answer in time. IRQL up to DISPATCH.
  void Halt(std::uint32_t node_ordinal) TANDEM_REQUIRES(work_lock);
  void OnDpc() { reset_.OnDpc(); }

  // D3DKMTEscape. The reset comes soon, on the watch's thread, also for an idle node; it counts as a timeout. False while
  // detection is off.
  [[nodiscard]] bool ForceReset(ForcedReset what, std::uint32_t node_ordinal);
  void SetDetection(bool on);  // as the settings have it, or off
  void SetLimit(std::uint32_t count, std::int64_t time_ns);
  // See Kernel::Preempt.
  [[nodiscard]] bool ForcePreemption(std::uint32_t node_ordinal);
  // See Kernel::QueryFence; the status is the driver's.
  [[nodiscard]] NTSTATUS QueryFence(std::uint32_t node_ordinal, FenceProgress& progress);
  // The last kMaxTimeoutReports timeouts.
  [[nodiscard]] std::vector<TimeoutReport> Reports();

  std::int64_t CheckTimeouts() override;

 private:
  enum class Reset : std::uint8_t { kAdapter, kEngineIfItCan };
  struct Forced {
    ForcedReset what;
    std::uint32_t node;
  };
  // The time at which the watch has to look at the node.
  [[nodiscard]] std::int64_t DeadlineOf(std::uint32_t node_ordinal) TANDEM_REQUIRES(work_lock);
  void CheckNode(std::uint32_t node_ordinal);
  // DxgkDdiQueryCurrentFence: an interrupt may have been lost. False when the adapter was stopped over the answer.
  [[nodiscard]] bool AskForFence(std::uint32_t node_ordinal);
  // Gives the lock up while the driver is called.
  void Preempt(std::uint32_t node_ordinal) TANDEM_REQUIRES(work_lock);
  void RunForcedReset();
  // The preemption of the node was not answered.
  void RecoverNode(std::uint32_t node_ordinal);
  // Resets the engine that `report` names, and records the report.
  void Recover(TimeoutReport report, Reset reset);
  // One timeout more. False, and the adapter is stopped, when the limit is passed.
  [[nodiscard]] bool MayRecover();
  void RecordTimeout(TimeoutReport report);

  WorkMonitor& monitor_;
  Adapter& adapter_;
  Owner& owner_;
  EngineReset reset_;
  const TdrSettings settings_;
  TdrSettings tdr_ TANDEM_GUARDED_BY(work_lock);  // the settings, as tests changed them
  std::optional<Forced> forced_ TANDEM_GUARDED_BY(work_lock);
  std::vector<TimeoutReport> reports_ TANDEM_GUARDED_BY(work_lock);
  std::vector<std::int64_t> recovered_at_ns_;  // the watch's thread
  std::unique_ptr<TimeoutWatch> watch_;
};

}  // namespace tandem::kernel
