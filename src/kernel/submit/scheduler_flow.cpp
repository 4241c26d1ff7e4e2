// The part of Scheduler that moves work on: from contexts to nodes and the flip queue, from interrupts to fences. All under the
// lock.
#include <utility>

#include <fmt/core.h>

#include "kernel/submit/scheduler.h"

namespace tandem::kernel {
namespace {

// Fence ids are 32 bits wide and wrap.
bool Passed(UINT fence, UINT other) { return static_cast<INT>(fence - other) > 0; }

}  // namespace

void Scheduler::Advance(ContextQueue& context) {
  std::size_t before = 0;
  do {
    before = context.operations.size();
    while (!context.operations.empty() && Issue(context, context.operations.front())) context.operations.pop();
    IssueFlips(context);
    CompleteSignals(context);
    // Flips and signals that went made room for operations behind them.
  } while (!context.operations.empty() && context.operations.size() != before);
}

void Scheduler::AdvanceAll(Irql irql) {
  for (ContextQueue* context : contexts_) Advance(*context);
  for (std::uint32_t node = 0; node < adapter_.node_count(); ++node) Dispatch(node, irql);
}

bool Scheduler::Issue(ContextQueue& context, Operation& operation) {
  switch (operation.type) {
    case OperationType::kPacket:
      // Its node takes it when its turn has come.
      if (context.ready_since == 0) context.ready_since = ++ready_count_;
      return false;
    case OperationType::kWait: return ReachWait(context, operation);
    case OperationType::kSignal: {
      if (context.signals.full()) return false;
      AfterWork signal{
          context.packets_issued, context.flips_issued + context.flips.size(), std::move(operation.fence), operation.value, {}};
      context.signals.push(std::move(signal));
      return true;
    }
    case OperationType::kFlip: {
      if (context.flips.full()) return false;
      context.flips.push({context.packets_issued, 0, nullptr, 0, operation.flip});
      return true;
    }
  }
  return true;
}

bool Scheduler::ReachWait(ContextQueue& context, Operation& operation) {
  ContextWaiter& waiter = context.waiter;
  if (waiter.fence == nullptr) {
    if (!operation.fence->Wait(waiter, operation.value)) return true;
    waiter.fence = operation.fence;
    return false;
  }
  // A fence that was lost never comes: what is behind goes on, so that its own users see their own errors.
  if (operation.fence->value() < operation.value && !operation.fence->lost()) return false;
  waiter.fence->Cancel(waiter);
  waiter.fence.reset();
  return true;
}

// What a lost device would have signalled never comes: its work did not end well. DropLostWork ends the waits for it.
void Scheduler::CompleteSignals(ContextQueue& context) {
  if (context.device->loss() != DeviceLoss::kNone) return;
  while (!context.signals.empty()) {
    AfterWork& signal = context.signals.front();
    if (context.packets_complete < signal.packets || context.flips_retired < signal.flips) return;
    signal.fence->Signal(signal.value);
    context.signals.pop();
  }
}

// The node was checked when the driver noted the interrupt.
void Scheduler::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const MutexLock lock(mutex_);
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED: OnCompleted(data.DmaCompleted.NodeOrdinal, data.DmaCompleted.SubmissionFenceId); break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      OnPreempted(data.DmaPreempted.NodeOrdinal, data.DmaPreempted.PreemptionFenceId, data.DmaPreempted.LastCompletedFenceId);
      break;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      OnPageFault(data.DmaPageFaulted.NodeOrdinal, data.DmaPageFaulted.FaultedFenceId, data.DmaPageFaulted.PageFaultFlags);
      break;
    default: return;
  }
  CollectRetiredFlips();
  AdvanceAll(Irql::kDispatch);
}

void Scheduler::OnCompleted(UINT node_ordinal, UINT fence) {
  Node& node = nodes_[node_ordinal];
  if (node.resetting) return;
  if (Passed(fence, node.last_submitted)) {
    adapter_.ReportViolation(
        "DmaCompleted.FenceWasSubmitted",
        fmt::format("Node {} completed fence {}; the last submitted is {}.", node_ordinal, fence, node.last_submitted));
    return;
  }
  // Interrupts come in the order of their fences: with this one, all that the driver was asked for have come.
  const UINT asked = std::exchange(node.asked, Passed(node.asked, fence) ? node.asked : 0);
  if (Passed(node.last_completed, fence)) {
    if (asked != 0 && !Passed(fence, asked)) return;  // it was late; the driver said so when it was asked
    adapter_.ReportViolation("DmaCompleted.FencesRise",
                             fmt::format("Node {} completed fence {} after {}.", node_ordinal, fence, node.last_completed));
    return;
  }
  if (fence != node.last_completed && !IsInFlight(node, fence)) {
    adapter_.ReportViolation("DmaCompleted.FenceIsInFlight",
                             fmt::format("Node {} completed fence {}, which it gave back.", node_ordinal, fence));
    return;
  }
  Complete(node, fence);
}

bool Scheduler::IsInFlight(Node& node, UINT fence) {
  for (std::size_t i = 0; i < node.in_flight.size(); ++i) {
    if (node.in_flight.at(i).fence == fence) return true;
  }
  return false;
}

void Scheduler::OnPreempted(UINT node_ordinal, UINT preemption_fence, UINT last_completed_fence) {
  Node& node = nodes_[node_ordinal];
  if (node.resetting) return;
  if (!node.preempting || preemption_fence != node.preemptions) {
    // The answer to a request that was given up meanwhile is late, and no lie.
    if (preemption_fence != 0 && !Passed(preemption_fence, node.preemptions)) return;
    adapter_.ReportViolation("DmaPreempted.WasRequested", fmt::format("Node {} answered preemption {}; the last requested is {}.",
                                                                      node_ordinal, preemption_fence, node.preemptions));
    return;
  }
  const bool asked_meanwhile = node.asked != 0 && !Passed(last_completed_fence, node.asked);
  if (Passed(last_completed_fence, node.last_submitted) ||
      (Passed(node.last_completed, last_completed_fence) && !asked_meanwhile)) {
    adapter_.ReportViolation("DmaPreempted.LastCompletedFenceId",
                             fmt::format("Node {} was preempted after fence {}, which is not within {} and {}.", node_ordinal,
                                         last_completed_fence, node.last_completed, node.last_submitted));
    return;
  }
  adapter_.counters().preemptions_answered.fetch_add(1, std::memory_order_relaxed);
  if (!Passed(node.last_completed, last_completed_fence)) Complete(node, last_completed_fence);
  if (!Passed(node.asked, last_completed_fence)) node.asked = 0;
  TakeBack(node);
  node.preempting = false;
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::OnPageFault(UINT node_ordinal, UINT fence, DXGK_PAGE_FAULT_FLAGS flags) {
  Node& node = nodes_[node_ordinal];
  if (node.resetting || node.in_flight.empty()) return;
  std::size_t faulted = 0;  // whoever runs, when the engine does not know the fence
  if ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0) {
    while (faulted < node.in_flight.size() && node.in_flight.at(faulted).fence != fence) ++faulted;
    if (faulted == node.in_flight.size()) {
      adapter_.ReportViolation("DmaPageFaulted.FenceIsInFlight",
                               fmt::format("Node {} faulted at fence {}, which is not in flight.", node_ordinal, fence));
      return;
    }
  }
  const InFlight& entry = node.in_flight.at(faulted);
  if (entry.packet != nullptr && entry.packet->context != nullptr) Lose(*entry.packet->context->device, DeviceLoss::kPageFault);
  if ((flags & (DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED)) != 0) {
    // The engine stands: it is as hung as one that did not answer in time.
    node.preempting = true;
    ++node.preemptions;
    node.preempting_since_ns = adapter_.clock().NowNs() - tdr_.delay_ns;
    watch_->Arm(DeadlineOf(node_ordinal));
    return;
  }
  Complete(node, entry.fence);
}

void Scheduler::Complete(Node& node, UINT fence) {
  node.last_completed = fence;
  RetireCompleted(node);
}

void Scheduler::RetireCompleted(Node& node) {
  bool any = false;
  while (!node.in_flight.empty() && !Passed(node.in_flight.front().fence, node.last_completed)) {
    Packet* const packet = node.in_flight.front().packet;
    // The driver still has its buffers and lists in the call.
    if (packet != nullptr && packet == node.submitting) break;
    if (packet != nullptr) Retire(*packet);
    node.in_flight.pop();
    any = true;
  }
  if (any) node.front_since_ns = adapter_.clock().NowNs();
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::Retire(Packet& packet) {
  if (packet.kind == PacketKind::kPaging) {
    packet.done = true;
  } else {
    ++packet.context->packets_complete;
    Recycle(packet);
  }
}

void Scheduler::Recycle(Packet& packet) {
  packet.CheckGuards(adapter_);
  packet.Reset();
  DropBuilt(std::exchange(packet.built_for, 0));
  releases_.fetch_add(1, std::memory_order_release);
  packet.context->free_packets.push_back(&packet);
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::OnDpc() {
  if (!dpc_awaited_.load(std::memory_order_acquire)) return;
  const MutexLock lock(mutex_);
  ++dpcs_;
  changed_.notify_all();
}

void Scheduler::OnAdapterLost() {
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

void Scheduler::DropQueued(ContextQueue& context) {
  if (context.waiter.fence != nullptr) {
    context.waiter.fence->Cancel(context.waiter);
    context.waiter.fence.reset();
  }
  while (!context.operations.empty()) {
    Operation& operation = context.operations.front();
    if (operation.type == OperationType::kPacket) Cancel(*operation.packet);
    if (operation.type == OperationType::kFlip) ForgetFlip(operation.flip);
    context.operations.pop();
  }
  while (!context.flips.empty()) {
    ForgetFlip(context.flips.front().flip);
    context.flips.pop();
  }
  while (!context.signals.empty()) context.signals.pop();
  context.memory = ContextQueue::Memory::kReady;
  context.ready_since = 0;
}

void Scheduler::Unuse(Allocation* allocation) {
  if (allocation->uses.fetch_sub(1, std::memory_order_acq_rel) == 1 && sleepers_ != 0) changed_.notify_all();
}

}  // namespace tandem::kernel
