// The interrupt line of an adapter: fences and preemptions of its nodes, vertical blanks of its targets.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/limits.h"
#include "drivers/vulkan/display/display.h"
#include "drivers/vulkan/kmd/nodes.h"

#include <dispmprt.h>

namespace tandem::vulkan {

// Threads: any; Report runs in the interrupt routine.
class Interrupts final : public Display::Owner {
 public:
  // The nodes outlive it.
  Interrupts(const TANDEM_BUS_INTERFACE& bus, const Nodes& nodes) : bus_(bus), nodes_(nodes) {}

  // A node has done everything up to `fence`.
  void Completed(std::uint32_t node, UINT fence);
  // Gives back what the node has not begun. DMA_PREEMPTED is reported once the node is empty.
  void Preempt(std::uint32_t node, UINT preemption_fence);
  // DxgkDdiInterruptRoutine. False when there is nothing to report.
  bool Report(const DXGKRNL_INTERFACE& callbacks);

  // Display::Owner.
  void SetVerticalBlank(std::uint32_t target, std::uint64_t address) override;
  void RaiseVerticalBlank() override { Raise(); }
  void WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address) override;

 private:
  struct Node {
    bool completed = false;
    UINT fence = 0;
    bool preempted = false;
    UINT preemption_fence = 0;
  };
  struct Target {
    bool vsync = false;
    std::uint64_t address = 0;
  };
  struct Registers {
    std::array<Node, kNodeCount> nodes;
    std::array<Target, kMaxVidPnSources> targets;
  };

  void Raise() { bus_.RaiseInterrupt(bus_.Context, 0); }
  void AnswerPreemptions();

  const TANDEM_BUS_INTERFACE bus_;
  const Nodes& nodes_;
  std::mutex mutex_;
  Registers registers_;                                     // under mutex_
  std::array<std::atomic<UINT>, kNodeCount> preempting_{};  // PreemptionFenceId that waits for its answer; 0: none
};

}  // namespace tandem::vulkan
