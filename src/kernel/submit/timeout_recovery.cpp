#include "kernel/submit/timeout_recovery.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {

TimeoutRecovery::TimeoutRecovery(WorkMonitor& monitor, Owner& owner, const TdrSettings& settings)
    : monitor_(monitor),
      adapter_(monitor.adapter()),
      owner_(owner),
      reset_(monitor, owner),
      settings_(settings),
      tdr_(settings) {}

Result<void> TimeoutRecovery::Start() {
  auto watch = TimeoutWatch::Create(adapter_.clock(), *this, "tandem-tdr");
  if (!watch.ok()) return std::move(watch).error();
  watch_ = *std::move(watch);
  return {};
}

std::int64_t TimeoutRecovery::DeadlineOf(std::uint32_t node_ordinal) {
  NodeQueue& node = owner_.Node(node_ordinal);
  const std::optional<std::int64_t> since_ns = node.WatchedSince();
  if (!since_ns) return kNoDeadline;
  std::int64_t span_ns = tdr_.level == TdrLevel::kOff ? kNoDeadline : tdr_.delay_ns;
  const Packet* const running = node.Front();
  if (!node.preempting() && running != nullptr && (node.IsFrontOvertaken() || owner_.IsWanted(node_ordinal, running->order)))
    span_ns = std::min(kPreemptionQuantumNs, span_ns);
  return span_ns < kNoDeadline - std::max<std::int64_t>(*since_ns, 0) ? *since_ns + span_ns : kNoDeadline;
}

void TimeoutRecovery::Watch(std::uint32_t node_ordinal) {
  if (!owner_.Node(node_ordinal).empty()) watch_->Arm(DeadlineOf(node_ordinal));
}

void TimeoutRecovery::Halt(std::uint32_t node_ordinal) {
  owner_.Node(node_ordinal).Halt(adapter_.clock().NowNs() - tdr_.delay_ns);
  watch_->Arm(DeadlineOf(node_ordinal));
}

std::int64_t TimeoutRecovery::CheckTimeouts() {
  RunForcedReset();
  for (std::uint32_t node = 0; node < adapter_.node_count(); ++node) CheckNode(node);
  const WorkLock lock(monitor_);
  std::int64_t next_ns = kNoDeadline;
  for (std::uint32_t node = 0; node < adapter_.node_count() && adapter_.alive(); ++node)
    next_ns = std::min(next_ns, DeadlineOf(node));
  return next_ns;
}

void TimeoutRecovery::CheckNode(std::uint32_t node_ordinal) {
  {
    const WorkLock lock(monitor_);
    if (!adapter_.alive() || DeadlineOf(node_ordinal) > adapter_.clock().NowNs()) return;
  }
  if (!AskForFence(node_ordinal)) return;
  {
    const WorkLock lock(monitor_);
    if (DeadlineOf(node_ordinal) > adapter_.clock().NowNs()) return;
    if (!owner_.Node(node_ordinal).preempting()) {
      Preempt(node_ordinal);
      return;
    }
  }
  RecoverNode(node_ordinal);
}

bool TimeoutRecovery::AskForFence(std::uint32_t node_ordinal) {
  if (adapter_.ddi().DxgkDdiQueryCurrentFence == nullptr) return adapter_.alive();  // of a compute-only driver
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = node_ordinal;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kQueryCurrentFence, adapter_.ddi().DxgkDdiQueryCurrentFence, adapter_.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return adapter_.alive();
  const WorkLock lock(monitor_);
  NodeQueue& node = owner_.Node(node_ordinal);
  if (IsLater(args.CurrentFence, node.last_submitted())) {
    adapter_.ReportViolation(
        "QueryCurrentFence.FenceWasSubmitted",
        fmt::format("Node {} is at fence {}; the last submitted is {}.", node_ordinal, args.CurrentFence, node.last_submitted()));
    return false;
  }
  if (!node.OnAsked(args.CurrentFence)) return true;
  Log(LogLevel::kInfo, "Adapter {}: the interrupt of node {} for fence {} is late or lost.", adapter_.name(), node_ordinal,
      args.CurrentFence);
  adapter_.counters().lost_interrupts.fetch_add(1, std::memory_order_relaxed);
  owner_.Wake();
  return true;
}

void TimeoutRecovery::Preempt(std::uint32_t node_ordinal) {
  adapter_.counters().preemptions.fetch_add(1, std::memory_order_relaxed);
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = owner_.Node(node_ordinal).BeginPreemption();
  args.NodeOrdinal = node_ordinal;
  monitor_.Unlock();
  // The gate reports a driver that fails here.
  static_cast<void>(CallDdi(adapter_, Ddi::kPreemptCommand, adapter_.ddi().DxgkDdiPreemptCommand, adapter_.miniport_context(),
                            static_cast<const DXGKARG_PREEMPTCOMMAND*>(&args)));
  monitor_.Lock();
}

void TimeoutRecovery::RunForcedReset() {
  TimeoutReport report;
  report.time_ns = adapter_.clock().NowNs();
  Reset reset = Reset::kAdapter;
  {
    const WorkLock lock(monitor_);
    if (!forced_ || !adapter_.alive()) return;
    report.node = forced_->node;
    if (forced_->what == ForcedReset::kEngine) reset = Reset::kEngineIfItCan;
    forced_.reset();
    report.fence = owner_.Node(report.node).front_fence();
  }
  Recover(std::move(report), reset);
}

void TimeoutRecovery::RecoverNode(std::uint32_t node_ordinal) {
  TimeoutReport report;
  report.node = node_ordinal;
  report.time_ns = adapter_.clock().NowNs();
  {
    const WorkLock lock(monitor_);
    NodeQueue& node = owner_.Node(node_ordinal);
    if (node.empty()) {
      // Everything was done when the driver should have said that it preempted: only that interrupt is missing.
      Log(LogLevel::kWarn, "Adapter {}: node {} did not answer preemption {}.", adapter_.name(), node_ordinal,
          node.preemptions());
      node.GiveUpPreemption();
      monitor_.Notify();  // paging, and who waits for an idle engine
      owner_.Wake();
      return;
    }
    report.fence = node.front_fence();
  }
  Recover(std::move(report), Reset::kEngineIfItCan);
}

void TimeoutRecovery::Recover(TimeoutReport report, Reset reset) {
  if (!MayRecover()) return;
  if (adapter_.ddi().DxgkDdiQueryEngineStatus != nullptr) {
    DXGKARG_QUERYENGINESTATUS status{};
    status.NodeOrdinal = report.node;
    static_cast<void>(CallDdi(adapter_, Ddi::kQueryEngineStatus, adapter_.ddi().DxgkDdiQueryEngineStatus,
                              adapter_.miniport_context(), &status));
    report.responsive = status.EngineStatus.Responsive != 0;
  }
  const bool engines = reset == Reset::kEngineIfItCan && adapter_.caps().SupportPerEngineTDR;
  if (!engines || !reset_.ResetEngines(report)) reset_.ResetAdapter(report);
  if (!adapter_.alive()) return;
  adapter_.counters().resets.fetch_add(1, std::memory_order_relaxed);
  Log(LogLevel::kWarn, "Adapter {}: {} (0x{:X}): fence {} of node {} did not finish and was given up.", adapter_.name(),
      report.name, report.code, report.fence, report.node);
  RecordTimeout(std::move(report));
  owner_.Wake();
}

bool TimeoutRecovery::MayRecover() {
  TdrSettings tdr;
  {
    const WorkLock lock(monitor_);
    tdr = tdr_;
  }
  const std::int64_t now_ns = adapter_.clock().NowNs();
  std::erase_if(recovered_at_ns_, [&](std::int64_t at_ns) { return now_ns - at_ns > tdr.limit_time_ns; });
  if (tdr.level == TdrLevel::kStop || recovered_at_ns_.size() >= tdr.limit_count) {
    adapter_.ReportViolation("VIDEO_TDR_FAILURE",
                             fmt::format("Timeout {} within {} s; the limit is {}.", recovered_at_ns_.size() + 1,
                                         tdr.limit_time_ns / 1'000'000'000, tdr.level == TdrLevel::kStop ? 0 : tdr.limit_count));
    return false;
  }
  recovered_at_ns_.push_back(now_ns);
  return true;
}

void TimeoutRecovery::RecordTimeout(TimeoutReport report) {
  const WorkLock lock(monitor_);
  if (reports_.size() == kMaxTimeoutReports) reports_.erase(reports_.begin());
  reports_.push_back(std::move(report));
}

bool TimeoutRecovery::ForceReset(ForcedReset what, std::uint32_t node_ordinal) {
  const WorkLock lock(monitor_);
  if (tdr_.level == TdrLevel::kOff) return false;
  forced_ = Forced{what, node_ordinal};
  watch_->Arm(adapter_.clock().NowNs());
  return true;
}

void TimeoutRecovery::SetDetection(bool on) {
  const WorkLock lock(monitor_);
  tdr_.level = on ? settings_.level : TdrLevel::kOff;
  watch_->Arm(adapter_.clock().NowNs());
}

void TimeoutRecovery::SetLimit(std::uint32_t count, std::int64_t time_ns) {
  const WorkLock lock(monitor_);
  tdr_.limit_count = count;
  tdr_.limit_time_ns = time_ns;
}

bool TimeoutRecovery::ForcePreemption(std::uint32_t node_ordinal) {
  const WorkLock lock(monitor_);
  // A node that is being submitted to or reset is not watched.
  NodeQueue& node = owner_.Node(node_ordinal);
  if (node.empty() || node.preempting() || !node.WatchedSince() || !adapter_.alive()) return false;
  Preempt(node_ordinal);
  watch_->Arm(DeadlineOf(node_ordinal));
  return true;
}

NTSTATUS TimeoutRecovery::QueryFence(std::uint32_t node_ordinal, FenceProgress& progress) {
  if (adapter_.ddi().DxgkDdiQueryCurrentFence == nullptr) return STATUS_NOT_SUPPORTED;
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = node_ordinal;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kQueryCurrentFence, adapter_.ddi().DxgkDdiQueryCurrentFence, adapter_.miniport_context(), &args);
  const WorkLock lock(monitor_);
  NodeQueue& node = owner_.Node(node_ordinal);
  progress = {args.CurrentFence, node.last_completed(), node.last_submitted()};
  return status;
}

std::vector<TimeoutReport> TimeoutRecovery::Reports() {
  const WorkLock lock(monitor_);
  return reports_;
}

}  // namespace tandem::kernel
