#include "kernel/adapter/interrupt_check.h"

#include <algorithm>

#include <fmt/core.h>

#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

struct EngineRules {
  const char* node;
  const char* engine;
};

// An engine is one of several adapters that are linked behind a node; nothing is linked here.
std::optional<BrokenInterruptRule> CheckEngine(const EngineRules& rules, UINT node, UINT engine, const InterruptLimits& limits) {
  if (node >= limits.nodes) return BrokenInterruptRule{rules.node, fmt::format("Node {} is not one of {}.", node, limits.nodes)};
  if (engine != 0) return BrokenInterruptRule{rules.engine, fmt::format("Engine {} of node {} is not 0.", engine, node)};
  return std::nullopt;
}

}  // namespace

std::optional<BrokenInterruptRule> CheckInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data, const InterruptLimits* limits) {
  // What the kernel enabled; none of these carries a pointer into the driver's memory.
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      if (limits == nullptr) return std::nullopt;
      return CheckEngine({"DmaCompleted.NodeOrdinal", "DmaCompleted.EngineOrdinal"}, data.DmaCompleted.NodeOrdinal,
                         data.DmaCompleted.EngineOrdinal, *limits);
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      if (limits == nullptr) return std::nullopt;
      return CheckEngine({"DmaPreempted.NodeOrdinal", "DmaPreempted.EngineOrdinal"}, data.DmaPreempted.NodeOrdinal,
                         data.DmaPreempted.EngineOrdinal, *limits);
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      if (limits == nullptr) return std::nullopt;
      return CheckEngine({"DmaPageFaulted.NodeOrdinal", "DmaPageFaulted.EngineOrdinal"}, data.DmaPageFaulted.NodeOrdinal,
                         data.DmaPageFaulted.EngineOrdinal, *limits);
    case DXGK_INTERRUPT_CRTC_VSYNC: {
      const ULONG target = data.CrtcVsync.VidPnTargetId;
      if (limits == nullptr || std::find(limits->targets.begin(), limits->targets.end(), target) != limits->targets.end())
        return std::nullopt;
      return BrokenInterruptRule{"CrtcVsync.VidPnTargetId", fmt::format("Target {} is not one of the adapter's {} outputs.",
                                                                        target, limits->targets.size())};
    }
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED: return std::nullopt;
    default:
      return BrokenInterruptRule{rules::kNotifyInterruptType,
                                 fmt::format("Interrupt type {} was never enabled.", static_cast<int>(data.InterruptType))};
  }
}

}  // namespace tandem::kernel
