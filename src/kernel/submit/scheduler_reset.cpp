// The part of Scheduler that resets an engine or the adapter, and loses devices (reference, section 6.4). On the watch's thread;
// DDIs of PASSIVE_LEVEL are called without the lock, while the nodes that they concern are marked as resetting.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {
namespace {

// Bug check codes of Windows for what happens here.
constexpr std::uint32_t kAdapterTimeout = 0x117;
constexpr std::uint32_t kEngineTimeout = 0x141;

bool Passed(UINT fence, UINT other) { return static_cast<INT>(fence - other) > 0; }

}  // namespace

void Scheduler::LoseDevice(DeviceCondition& device, DeviceLoss why) {
  const MutexLock lock(mutex_);
  Lose(device, why);
}

void Scheduler::Lose(DeviceCondition& device, DeviceLoss why) {
  if (!device.Lose(why)) return;
  work_lost_ = true;
  Wake();
  changed_.notify_all();
}

void Scheduler::DropLostWork() {
  if (!std::exchange(work_lost_, false)) return;
  for (Node& node : nodes_) {
    for (std::size_t i = 0; i < node.preempted.size();) {
      Packet& packet = *node.preempted.at(i);
      if (packet.context == nullptr || packet.context->device->loss() == DeviceLoss::kNone) {
        ++i;
        continue;
      }
      node.preempted.erase(i);
      --packet.context->preempted;
      ++packet.context->packets_complete;
      Cancel(packet);
    }
  }
  for (ContextQueue* context : contexts_) {
    if (context->device->loss() == DeviceLoss::kNone) continue;
    // The memory host gives it back, and wakes the worker again.
    if (context->memory == ContextQueue::Memory::kPaging) {
      work_lost_ = true;
      continue;
    }
    // Whoever waits for what the context would have signalled must not wait for ever.
    for (std::size_t i = 0; i < context->operations.size(); ++i) {
      Operation& operation = context->operations.at(i);
      if (operation.type == OperationType::kSignal) operation.fence->Lose();
    }
    for (std::size_t i = 0; i < context->signals.size(); ++i) context->signals.at(i).fence->Lose();
    DropQueued(*context);
  }
}

const DeviceCondition* Scheduler::FrontDevice(Node& node) {
  const Packet* const packet = node.in_flight.empty() ? nullptr : node.in_flight.front().packet;
  return packet == nullptr || packet->context == nullptr ? nullptr : packet->context->device;
}

bool Scheduler::ResetEngines(std::uint32_t node_ordinal, TimeoutReport& report) {
  DXGKARG_QUERYDEPENDENTENGINEGROUP group{};
  group.NodeOrdinal = node_ordinal;
  if (!NT_SUCCESS(CallDdi(adapter_, Ddi::kQueryDependentEngineGroup, adapter_.ddi().DxgkDdiQueryDependentEngineGroup,
                          adapter_.miniport_context(), &group))) {
    return false;
  }
  const ULONGLONG all = (ULONGLONG{1} << adapter_.node_count()) - 1;
  const ULONGLONG nodes = group.DependentNodeOrdinalMask;
  if ((nodes & ~all) != 0 || (nodes >> node_ordinal & 1) == 0) {
    adapter_.ReportViolation(
        "QueryDependentEngineGroup.DependentNodeOrdinalMask",
        fmt::format("Mask 0x{:X} of node {} lacks it or names more than {} nodes.", nodes, node_ordinal, adapter_.node_count()));
    return true;
  }
  const DeviceCondition* guilty = nullptr;
  {
    MutexLock lock(mutex_);
    guilty = FrontDevice(nodes_[node_ordinal]);
    for (std::uint32_t i = 0; i < adapter_.node_count(); ++i) nodes_[i].resetting = (nodes >> i & 1) != 0;
    AwaitSubmitters(lock, nodes);
  }
  Collect(kEngineTimeout, "VIDEO_ENGINE_TIMEOUT_DETECTED", report);
  std::array<UINT, kMaxScheduledNodes> last_aborted{};
  for (std::uint32_t i = 0; i < adapter_.node_count(); ++i) {
    if ((nodes >> i & 1) != 0 && !ResetEngine(i, last_aborted[i])) return !adapter_.alive();
  }
  FlushDpcs();
  const MutexLock lock(mutex_);
  for (std::uint32_t i = 0; i < adapter_.node_count(); ++i) {
    if ((nodes >> i & 1) == 0) continue;
    Abort(nodes_[i], last_aborted[i], guilty);
    nodes_[i].resetting = false;
  }
  return true;
}

bool Scheduler::ResetEngine(std::uint32_t node_ordinal, UINT& last_aborted) {
  DXGKARG_RESETENGINE args{};
  args.NodeOrdinal = node_ordinal;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kResetEngine, adapter_.ddi().DxgkDdiResetEngine, adapter_.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return false;
  last_aborted = args.LastAbortedFenceId;
  const MutexLock lock(mutex_);
  Node& node = nodes_[node_ordinal];
  if (Passed(node.last_completed, last_aborted) || Passed(last_aborted, node.last_submitted)) {
    adapter_.ReportViolation("ResetEngine.LastAbortedFenceId",
                             fmt::format("Node {} aborted up to fence {}, which is not within {} and {}.", node_ordinal,
                                         last_aborted, node.last_completed, node.last_submitted));
    return false;
  }
  for (std::size_t i = 0; i < node.in_flight.size(); ++i) {
    const InFlight& entry = node.in_flight.at(i);
    // Memory that was being moved cannot be given up with one engine.
    if (entry.packet != nullptr && entry.packet->kind == PacketKind::kPaging && !Passed(entry.fence, last_aborted)) return false;
  }
  return true;
}

void Scheduler::ResetAdapter(std::uint32_t node_ordinal, TimeoutReport& report) {
  const DeviceCondition* guilty = nullptr;
  {
    MutexLock lock(mutex_);
    guilty = FrontDevice(nodes_[node_ordinal]);
    for (Node& node : nodes_) node.resetting = true;
    AwaitSubmitters(lock, ~ULONGLONG{0});
  }
  Collect(kAdapterTimeout, "VIDEO_TDR_TIMEOUT_DETECTED", report);
  const auto call = [this](const char* rule, Ddi ddi, auto function) {
    const NTSTATUS status = CallDdi(adapter_, ddi, function, adapter_.miniport_context());
    if (!NT_SUCCESS(status) && adapter_.alive())
      adapter_.ReportViolation(rule, fmt::format("The driver answered {}.", StatusText(status)));
    return NT_SUCCESS(status);
  };
  if (!call("ResetFromTimeout.MayNotFail", Ddi::kResetFromTimeout, adapter_.ddi().DxgkDdiResetFromTimeout)) return;
  FlushDpcs();
  {
    const MutexLock lock(mutex_);
    for (Node& node : nodes_) Abort(node, node.last_submitted, guilty);
    for (DeviceCondition* device : devices_) Lose(*device, device == guilty ? DeviceLoss::kHung : DeviceLoss::kReset);
  }
  if (!call("RestartFromTimeout.MayNotFail", Ddi::kRestartFromTimeout, adapter_.ddi().DxgkDdiRestartFromTimeout)) return;
  const MutexLock lock(mutex_);
  for (Node& node : nodes_) node.resetting = false;
  changed_.notify_all();  // paging
}

void Scheduler::AwaitSubmitters(MutexLock& lock, ULONGLONG nodes) {
  const auto is_busy = [&](std::uint32_t node)
                           TANDEM_REQUIRES(mutex_) { return (nodes >> node & 1) != 0 && nodes_[node].submitting != nullptr; };
  for (std::uint32_t node = 0; node < kMaxScheduledNodes; ++node) {
    while (is_busy(node) && adapter_.alive()) Sleep(lock, kNoDeadline);
  }
}

// Work up to the fence is given up, and its devices with it; paging and what is behind is submitted again.
void Scheduler::Abort(Node& node, UINT last_aborted, const DeviceCondition* guilty) {
  for (std::size_t i = 0; i < node.in_flight.size();) {
    const InFlight entry = node.in_flight.at(i);
    const bool again =
        entry.packet != nullptr && (entry.packet->kind == PacketKind::kPaging || Passed(entry.fence, last_aborted));
    if (again) {
      ++i;
      continue;
    }
    node.in_flight.erase(i);
    if (entry.packet == nullptr) continue;
    DeviceCondition& device = *entry.packet->context->device;
    Lose(device, &device == guilty ? DeviceLoss::kHung : DeviceLoss::kReset);
    Retire(*entry.packet);
  }
  node.last_completed = last_aborted;
  node.asked = 0;
  node.preempting = false;
  TakeBack(node);
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::Collect(std::uint32_t code, const char* name, TimeoutReport& report) {
  report.code = code;
  report.name = name;
  report.debug_info.assign(kDebugInfoBytes, std::byte{0});
  DXGKARG_COLLECTDBGINFO_EXT extension{};
  DXGKARG_COLLECTDBGINFO args{};
  args.Reason = code;
  args.pBuffer = report.debug_info.data();
  args.BufferSize = report.debug_info.size();
  args.pExtension = &extension;
  static_cast<void>(CallDdi(adapter_, Ddi::kCollectDbgInfo, adapter_.ddi().DxgkDdiCollectDbgInfo, adapter_.miniport_context(),
                            static_cast<const DXGKARG_COLLECTDBGINFO*>(&args)));
  const auto last =
      std::find_if(report.debug_info.rbegin(), report.debug_info.rend(), [](std::byte byte) { return byte != std::byte{0}; });
  report.debug_info.erase(last.base(), report.debug_info.end());
}

void Scheduler::FlushDpcs() {
  MutexLock lock(mutex_);
  dpc_awaited_.store(true, std::memory_order_release);
  // The first one may have been on its way before the driver's last DPC was queued.
  for (int turn = 0; turn < 2; ++turn) {
    const std::uint64_t before = dpcs_;
    adapter_.RequestDpc();
    while (dpcs_ == before && adapter_.alive()) Sleep(lock, kNoDeadline);
  }
  dpc_awaited_.store(false, std::memory_order_release);
}

}  // namespace tandem::kernel
