#include "kernel/submit/context_flow.h"

#include <utility>

namespace tandem::kernel {

void ContextFlow::Advance(ContextQueue& context) {
  std::size_t before = 0;
  do {
    before = context.operations.size();
    while (!context.operations.empty() && Reach(context, context.operations.front())) context.operations.pop();
    flips_.Issue(context);
    CompleteSignals(context);
    // Flips and signals that went made room for operations behind them.
  } while (!context.operations.empty() && context.operations.size() != before);
}

bool ContextFlow::Reach(ContextQueue& context, Operation& operation) {
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

bool ContextFlow::ReachWait(ContextQueue& context, Operation& operation) {
  ContextWaiter& waiter = context.waiter;
  if (waiter.fence == nullptr) {
    if (!operation.fence->Wait(waiter, operation.value)) return true;
    waiter.fence = operation.fence;
    return false;
  }
  // A fence that was lost never comes: what is behind goes on, so that its own users see their own errors. One that was set back
  // after it had reached the value has forgotten the waiter.
  waiter.fence->Cancel(waiter);
  if (operation.fence->Wait(waiter, operation.value)) return false;
  waiter.fence.reset();
  return true;
}

// A lost device signals nothing: its work did not end well. LoseFences ends the waits for its signals.
void ContextFlow::CompleteSignals(ContextQueue& context) {
  if (context.device->loss() != DeviceLoss::kNone) return;
  while (!context.signals.empty()) {
    AfterWork& signal = context.signals.front();
    if (context.packets_complete < signal.packets || context.flips_retired < signal.flips) return;
    signal.fence->Signal(signal.value);
    context.signals.pop();
  }
}

ContextQueue* ContextFlow::Next(std::uint32_t node_ordinal) {
  ContextQueue* best = nullptr;
  for (ContextQueue* context : contexts_) {
    if (context->node != node_ordinal || context->ready_since == 0 || context->preempted != 0) continue;
    // It waits for memory, or for the worker to drop what it has.
    if (context->memory != ContextQueue::Memory::kReady || context->device->loss() != DeviceLoss::kNone) continue;
    const bool older = best != nullptr && context->order() == best->order() && context->ready_since < best->ready_since;
    if (best == nullptr || context->order() > best->order() || older) best = context;
  }
  return best;
}

Packet& ContextFlow::TakeFront(ContextQueue& context) {
  Packet& packet = *context.operations.front().packet;
  context.operations.pop();
  context.ready_since = 0;
  ++context.packets_issued;
  packet.order = context.order();
  return packet;
}

void ContextFlow::Drop(ContextQueue& context) {
  if (context.waiter.fence != nullptr) {
    context.waiter.fence->Cancel(context.waiter);
    context.waiter.fence.reset();
  }
  while (!context.operations.empty()) {
    Operation& operation = context.operations.front();
    if (operation.type == OperationType::kPacket) owner_.OnCancelled(*operation.packet);
    if (operation.type == OperationType::kFlip) flips_.Forget(operation.flip);
    context.operations.pop();
  }
  while (!context.flips.empty()) {
    flips_.Forget(context.flips.front().flip);
    context.flips.pop();
  }
  while (!context.signals.empty()) context.signals.pop();
  context.memory = ContextQueue::Memory::kReady;
  context.ready_since = 0;
}

void ContextFlow::LoseFences(ContextQueue& context) {
  for (std::size_t i = 0; i < context.operations.size(); ++i) {
    Operation& operation = context.operations.at(i);
    if (operation.type == OperationType::kSignal) operation.fence->MarkLost();
  }
  for (std::size_t i = 0; i < context.signals.size(); ++i) context.signals.at(i).fence->MarkLost();
}

}  // namespace tandem::kernel
