#include "kernel/submit/engine_reset.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {
namespace {

// Bug check codes of Windows for what happens here.
constexpr std::uint32_t kAdapterTimeout = 0x117;
constexpr std::uint32_t kEngineTimeout = 0x141;

}  // namespace

bool EngineReset::ResetEngines(TimeoutReport& report) {
  DXGKARG_QUERYDEPENDENTENGINEGROUP group{};
  group.NodeOrdinal = report.node;
  if (!NT_SUCCESS(CallDdi(adapter_, Ddi::kQueryDependentEngineGroup, adapter_.ddi().DxgkDdiQueryDependentEngineGroup,
                          adapter_.miniport_context(), &group))) {
    return false;
  }
  const std::uint32_t count = adapter_.node_count();
  const ULONGLONG all = (ULONGLONG{1} << count) - 1;
  const ULONGLONG nodes = group.DependentNodeOrdinalMask;
  if ((nodes & ~all) != 0 || (nodes >> report.node & 1) == 0) {
    adapter_.ReportViolation(
        "QueryDependentEngineGroup.DependentNodeOrdinalMask",
        fmt::format("Mask 0x{:X} of node {} lacks it or names more than {} nodes.", nodes, report.node, count));
    return true;
  }
  const DeviceCondition* guilty = nullptr;
  {
    const WorkLock lock(monitor_);
    guilty = owner_.Node(report.node).FrontDevice();
    for (std::uint32_t i = 0; i < count; ++i) owner_.Node(i).SetResetting((nodes >> i & 1) != 0);
    AwaitSubmitters(nodes);
  }
  Collect(kEngineTimeout, "VIDEO_ENGINE_TIMEOUT_DETECTED", report);
  std::array<UINT, kMaxNodes> last_aborted{};
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((nodes >> i & 1) != 0 && !ResetEngine(i, last_aborted[i])) return !adapter_.alive();
  }
  FlushDpcs();
  const WorkLock lock(monitor_);
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((nodes >> i & 1) == 0) continue;
    owner_.Node(i).Abort(last_aborted[i], guilty);
    owner_.Node(i).SetResetting(false);
  }
  return true;
}

bool EngineReset::ResetEngine(std::uint32_t node_ordinal, UINT& last_aborted) {
  DXGKARG_RESETENGINE args{};
  args.NodeOrdinal = node_ordinal;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kResetEngine, adapter_.ddi().DxgkDdiResetEngine, adapter_.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return false;
  last_aborted = args.LastAbortedFenceId;
  const WorkLock lock(monitor_);
  NodeQueue& node = owner_.Node(node_ordinal);
  if (!node.MayAbort(last_aborted)) {
    adapter_.ReportViolation("ResetEngine.LastAbortedFenceId",
                             fmt::format("Node {} aborted up to fence {}, which is not within {} and {}.", node_ordinal,
                                         last_aborted, node.last_completed(), node.last_submitted()));
    return false;
  }
  // Memory that was being moved cannot be given up with one engine.
  return !node.HasPagingUpTo(last_aborted);
}

void EngineReset::ResetAdapter(TimeoutReport& report) {
  const std::uint32_t count = adapter_.node_count();
  const DeviceCondition* guilty = nullptr;
  {
    const WorkLock lock(monitor_);
    guilty = owner_.Node(report.node).FrontDevice();
    for (std::uint32_t i = 0; i < count; ++i) owner_.Node(i).SetResetting(true);
    AwaitSubmitters(~ULONGLONG{0});
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
    const WorkLock lock(monitor_);
    for (std::uint32_t i = 0; i < count; ++i) owner_.Node(i).Abort(owner_.Node(i).last_submitted(), guilty);
    owner_.LoseAllDevices(guilty);
  }
  if (!call("RestartFromTimeout.MayNotFail", Ddi::kRestartFromTimeout, adapter_.ddi().DxgkDdiRestartFromTimeout)) return;
  const WorkLock lock(monitor_);
  for (std::uint32_t i = 0; i < count; ++i) owner_.Node(i).SetResetting(false);
  monitor_.Notify();  // paging
}

void EngineReset::AwaitSubmitters(ULONGLONG nodes) {
  for (std::uint32_t i = 0; i < adapter_.node_count(); ++i) {
    while ((nodes >> i & 1) != 0 && owner_.Node(i).submitting() != nullptr && adapter_.alive()) monitor_.Sleep(kNoDeadline);
  }
}

void EngineReset::Collect(std::uint32_t code, const char* name, TimeoutReport& report) {
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

void EngineReset::FlushDpcs() {
  const WorkLock lock(monitor_);
  dpc_awaited_.store(true, std::memory_order_release);
  // The first one may have been on its way before the driver's last DPC was queued.
  for (int turn = 0; turn < 2; ++turn) {
    const std::uint64_t before = dpcs_;
    adapter_.RequestDpc();
    while (dpcs_ == before && adapter_.alive()) monitor_.Sleep(kNoDeadline);
  }
  dpc_awaited_.store(false, std::memory_order_release);
}

void EngineReset::OnDpc() {
  if (!dpc_awaited_.load(std::memory_order_acquire)) return;
  const WorkLock lock(monitor_);
  ++dpcs_;
  monitor_.Notify();
}

}  // namespace tandem::kernel
