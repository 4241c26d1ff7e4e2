#include "drivers/vulkan/kmd/interrupts.h"

#include <utility>

namespace tandem::vulkan {

void Interrupts::SetVerticalBlank(std::uint32_t target, std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  registers_.targets[target] = {true, address};
}

void Interrupts::WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (registers_.targets[target].address == address) registers_.targets[target].vsync = false;
}

void Interrupts::Completed(std::uint32_t node, UINT fence) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    registers_.nodes[node].completed = true;
    registers_.nodes[node].fence = fence;
  }
  Raise();
  AnswerPreemptions();
}

void Interrupts::Preempt(std::uint32_t node, UINT preemption_fence) {
  nodes_.engines[node]->GiveBack();
  preempting_[node].store(preemption_fence, std::memory_order_release);
  AnswerPreemptions();
}

void Interrupts::AnswerPreemptions() {
  bool raise = false;
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (preempting_[node].load(std::memory_order_acquire) == 0 || !nodes_.engines[node]->idle()) continue;
    const UINT fence = preempting_[node].exchange(0, std::memory_order_acq_rel);
    if (fence == 0) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    registers_.nodes[node].preempted = true;
    registers_.nodes[node].preemption_fence = fence;
    raise = true;
  }
  if (raise) Raise();
}

bool Interrupts::Report(const DXGKRNL_INTERFACE& callbacks) {
  Registers pending;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending = registers_;
    registers_ = {};
  }
  bool any = false;
  const auto notify = [&](DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    callbacks.DxgkCbNotifyInterrupt(callbacks.DeviceHandle, &data);
    any = true;
  };
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    const Node& state = pending.nodes[node];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    if (state.completed) {
      data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      data.DmaCompleted.SubmissionFenceId = state.fence;
      data.DmaCompleted.NodeOrdinal = node;
      notify(data);
    }
    if (state.preempted) {
      data = {};
      data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
      data.DmaPreempted.PreemptionFenceId = state.preemption_fence;
      data.DmaPreempted.LastCompletedFenceId = nodes_.engines[node]->completed_fence();
      data.DmaPreempted.NodeOrdinal = node;
      notify(data);
    }
  }
  for (std::uint32_t target = 0; target < kMaxVidPnSources; ++target) {
    if (!pending.targets[target].vsync) continue;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    data.CrtcVsync.VidPnTargetId = target;
    data.CrtcVsync.PhysicalAddress.QuadPart = static_cast<LONGLONG>(pending.targets[target].address);
    notify(data);
  }
  if (any) callbacks.DxgkCbQueueDpc(callbacks.DeviceHandle);
  return any;
}

}  // namespace tandem::vulkan
