// The part of Scheduler that notices engines that work for too long: it preempts what runs, asks the driver for lost interrupts,
// and decides that an engine hangs (timeout detection; reference, section 6.4). On the watch's thread.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {
namespace {

bool Passed(UINT fence, UINT other) { return static_cast<INT>(fence - other) > 0; }

}  // namespace

std::int64_t Scheduler::DeadlineOf(std::uint32_t node_ordinal) {
  Node& node = nodes_[node_ordinal];
  const std::int64_t delay_ns = tdr_.level == TdrLevel::kOff ? kNoDeadline : tdr_.delay_ns;
  const auto after = [](std::int64_t since_ns, std::int64_t span_ns) {
    return span_ns < kNoDeadline - std::max<std::int64_t>(since_ns, 0) ? since_ns + span_ns : kNoDeadline;
  };
  // The submitter looks at the deadline again when the call has returned.
  if (node.resetting || node.submitting != nullptr) return kNoDeadline;
  if (node.preempting) return after(node.preempting_since_ns, delay_ns);
  if (node.in_flight.empty()) return kNoDeadline;
  const Packet* const running = node.in_flight.front().packet;
  bool overtaken = false;
  for (std::size_t i = 1; i < node.in_flight.size() && running != nullptr; ++i) {
    const Packet* const other = node.in_flight.at(i).packet;
    overtaken = overtaken || (other != nullptr && other->order > running->order);
  }
  // While there is room, nobody waits.
  const Candidate next = overtaken || running == nullptr || HasRoom(node) ? Candidate{} : NextFor(node_ordinal);
  overtaken = overtaken || (!next.empty() && next.order > running->order);
  return after(node.front_since_ns, overtaken ? std::min(kPreemptionQuantumNs, delay_ns) : delay_ns);
}

std::int64_t Scheduler::CheckTimeouts() {
  RunForcedReset();
  for (std::uint32_t node = 0; node < adapter_.node_count(); ++node) CheckNode(node);
  const MutexLock lock(mutex_);
  std::int64_t next_ns = kNoDeadline;
  for (std::uint32_t node = 0; node < adapter_.node_count() && adapter_.alive(); ++node)
    next_ns = std::min(next_ns, DeadlineOf(node));
  return next_ns;
}

void Scheduler::CheckNode(std::uint32_t node_ordinal) {
  {
    const MutexLock lock(mutex_);
    if (!adapter_.alive() || DeadlineOf(node_ordinal) > adapter_.clock().NowNs()) return;
  }
  if (!AskForFence(node_ordinal)) return;
  {
    const MutexLock lock(mutex_);
    if (DeadlineOf(node_ordinal) > adapter_.clock().NowNs()) return;
    if (!nodes_[node_ordinal].preempting) {
      Preempt(node_ordinal);
      return;
    }
  }
  Recover(node_ordinal);
}

bool Scheduler::ForcePreemption(std::uint32_t node_ordinal) {
  const MutexLock lock(mutex_);
  Node& node = nodes_[node_ordinal];
  const bool busy = node.submitting != nullptr || node.preempting || node.resetting;
  if (node.in_flight.empty() || busy || !adapter_.alive()) return false;
  Preempt(node_ordinal);
  watch_->Arm(DeadlineOf(node_ordinal));
  return true;
}

NTSTATUS Scheduler::QueryFence(std::uint32_t node_ordinal, FenceProgress& progress) {
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = node_ordinal;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kQueryCurrentFence, adapter_.ddi().DxgkDdiQueryCurrentFence, adapter_.miniport_context(), &args);
  const MutexLock lock(mutex_);
  progress = {args.CurrentFence, nodes_[node_ordinal].last_completed, nodes_[node_ordinal].last_submitted};
  return status;
}

bool Scheduler::AskForFence(std::uint32_t node_ordinal) {
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = node_ordinal;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kQueryCurrentFence, adapter_.ddi().DxgkDdiQueryCurrentFence, adapter_.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return adapter_.alive();
  const MutexLock lock(mutex_);
  Node& node = nodes_[node_ordinal];
  if (Passed(args.CurrentFence, node.last_submitted)) {
    adapter_.ReportViolation(
        "QueryCurrentFence.FenceWasSubmitted",
        fmt::format("Node {} is at fence {}; the last submitted is {}.", node_ordinal, args.CurrentFence, node.last_submitted));
    return false;
  }
  if (node.in_flight.empty() || Passed(node.in_flight.front().fence, args.CurrentFence)) return true;
  node.asked = args.CurrentFence;
  Log(LogLevel::kInfo, "Adapter {}: the interrupt of node {} for fence {} is late or lost.", adapter_.name(), node_ordinal,
      args.CurrentFence);
  adapter_.counters().lost_interrupts.fetch_add(1, std::memory_order_relaxed);
  Complete(node, args.CurrentFence);
  Wake();
  return true;
}

void Scheduler::Recover(std::uint32_t node_ordinal) {
  TimeoutReport report;
  report.node = node_ordinal;
  report.time_ns = adapter_.clock().NowNs();
  {
    const MutexLock lock(mutex_);
    Node& node = nodes_[node_ordinal];
    if (node.in_flight.empty()) {
      // Everything was done when the driver should have said that it preempted: only that interrupt is missing.
      Log(LogLevel::kWarn, "Adapter {}: node {} did not answer preemption {}.", adapter_.name(), node_ordinal, node.preemptions);
      node.preempting = false;
      changed_.notify_all();  // paging, and who waits for an idle engine
      Wake();
      return;
    }
    report.fence = node.in_flight.front().fence;
  }
  Give(std::move(report), Reset::kEngineIfItCan);
}

void Scheduler::Give(TimeoutReport report, Reset reset) {
  if (!MayRecover()) return;
  if (adapter_.ddi().DxgkDdiQueryEngineStatus != nullptr) {
    DXGKARG_QUERYENGINESTATUS status{};
    status.NodeOrdinal = report.node;
    static_cast<void>(CallDdi(adapter_, Ddi::kQueryEngineStatus, adapter_.ddi().DxgkDdiQueryEngineStatus,
                              adapter_.miniport_context(), &status));
    report.responsive = status.EngineStatus.Responsive != 0;
  }
  const bool engines = reset == Reset::kEngineIfItCan && adapter_.caps().SupportPerEngineTDR;
  if (!engines || !ResetEngines(report.node, report)) ResetAdapter(report.node, report);
  if (!adapter_.alive()) return;
  adapter_.counters().resets.fetch_add(1, std::memory_order_relaxed);
  Log(LogLevel::kWarn, "Adapter {}: {} (0x{:X}): fence {} of node {} did not finish and was given up.", adapter_.name(),
      report.name, report.code, report.fence, report.node);
  Keep(std::move(report));
  Wake();
}

bool Scheduler::MayRecover() {
  TdrSettings tdr;
  {
    const MutexLock lock(mutex_);
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

bool Scheduler::ForceReset(ForcedReset what, std::uint32_t node_ordinal) {
  const MutexLock lock(mutex_);
  if (tdr_.level == TdrLevel::kOff) return false;
  forced_ = Forced{what, node_ordinal};
  watch_->Arm(adapter_.clock().NowNs());
  return true;
}

void Scheduler::RunForcedReset() {
  TimeoutReport report;
  report.time_ns = adapter_.clock().NowNs();
  Reset reset = Reset::kAdapter;
  {
    const MutexLock lock(mutex_);
    if (!forced_ || !adapter_.alive()) return;
    report.node = forced_->node;
    if (forced_->what == ForcedReset::kEngine) reset = Reset::kEngineIfItCan;
    forced_.reset();
    Node& node = nodes_[report.node];
    report.fence = node.in_flight.empty() ? node.last_submitted : node.in_flight.front().fence;
  }
  Give(std::move(report), reset);
}

void Scheduler::SetDetection(bool on) {
  const MutexLock lock(mutex_);
  tdr_.level = on ? settings_.level : TdrLevel::kOff;
  watch_->Arm(adapter_.clock().NowNs());
}

void Scheduler::SetTimeoutLimit(std::uint32_t count, std::int64_t time_ns) {
  const MutexLock lock(mutex_);
  tdr_.limit_count = count;
  tdr_.limit_time_ns = time_ns;
}

void Scheduler::Keep(TimeoutReport report) {
  const MutexLock lock(mutex_);
  if (timeouts_.size() == kMaxTimeoutReports) timeouts_.erase(timeouts_.begin());
  timeouts_.push_back(std::move(report));
}

std::vector<TimeoutReport> Scheduler::Timeouts() {
  const MutexLock lock(mutex_);
  return timeouts_;
}

}  // namespace tandem::kernel
