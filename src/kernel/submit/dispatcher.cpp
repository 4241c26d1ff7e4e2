#include "kernel/submit/dispatcher.h"

#include <algorithm>
#include <array>

namespace tandem::kernel {

Dispatcher::Dispatcher(WorkMonitor& monitor, ContextFlow& contexts, MemoryWaiters& memory, Owner& owner, const TdrSettings& tdr)
    : monitor_(monitor),
      adapter_(monitor.adapter()),
      contexts_(contexts),
      memory_(memory),
      owner_(owner),
      recovery_(monitor, *this, tdr) {
  NodeQueue::Owner& nodes_owner = *this;
  for (std::uint32_t node = 0; node < adapter_.node_count(); ++node)
    nodes_.push_back(std::make_unique<NodeQueue>(monitor_, nodes_owner, node));
}

void Dispatcher::DispatchAll(Irql irql) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) Dispatch(node, irql);
}

void Dispatcher::Dispatch(std::uint32_t node_ordinal, Irql irql) {
  NodeQueue& node = *nodes_[node_ordinal];
  for (std::uint32_t submitted = 0; HasRoom(node) && adapter_.alive(); ++submitted) {
    Packet* const again = node.NextPreempted();
    ContextQueue* context = contexts_.Next(node_ordinal);
    if (again == nullptr && context == nullptr) break;
    // Patch is for PASSIVE_LEVEL. And a thread is not kept for the work of others that comes meanwhile.
    if (irql == Irql::kDispatch || submitted == kMaxInFlight) {
      owner_.Wake();
      break;
    }
    if (again != nullptr && (context == nullptr || context->order() <= again->order)) {
      context = again->context;
      node.TakePreempted(*again);
      Submit(*again, node_ordinal, Submission::kRepeated);
    } else {
      if (!memory_.HasMemory(*context, *context->operations.front().packet)) continue;
      Submit(contexts_.TakeFront(*context), node_ordinal, Submission::kFirst);
    }
    // The packet may have been complete before the call returned.
    if (context != nullptr) contexts_.Advance(*context);
  }
  recovery_.Watch(node_ordinal);
}

void Dispatcher::Submit(Packet& packet, std::uint32_t node_ordinal, Submission submission) {
  NodeQueue& node = *nodes_[node_ordinal];
  node.BeginSubmit(packet);
  monitor_.Unlock();
  SubmitPacket(adapter_, packet, node_ordinal, submission);
  monitor_.Lock();
  node.EndSubmit();
}

bool Dispatcher::IsWanted(std::uint32_t node_ordinal, std::int32_t order) {
  NodeQueue& node = *nodes_[node_ordinal];
  if (HasRoom(node)) return false;
  const Packet* const again = node.NextPreempted();
  const ContextQueue* const context = contexts_.Next(node_ordinal);
  return (again != nullptr && again->order > order) || (context != nullptr && context->order() > order);
}

bool Dispatcher::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      nodes_[data.DmaCompleted.NodeOrdinal]->OnCompleted(data.DmaCompleted.SubmissionFenceId);
      return true;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      nodes_[data.DmaPreempted.NodeOrdinal]->OnPreempted(data.DmaPreempted.PreemptionFenceId,
                                                         data.DmaPreempted.LastCompletedFenceId);
      return true;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      OnPageFault(data.DmaPageFaulted.NodeOrdinal, data.DmaPageFaulted.FaultedFenceId, data.DmaPageFaulted.PageFaultFlags);
      return true;
    default: return false;
  }
}

void Dispatcher::OnPageFault(UINT node_ordinal, UINT fence, DXGK_PAGE_FAULT_FLAGS flags) {
  NodeQueue& node = *nodes_[node_ordinal];
  const auto faulted = node.FindFaulted(fence, flags);
  if (!faulted) return;
  if (faulted->packet != nullptr && faulted->packet->context != nullptr)
    owner_.MarkLost(*faulted->packet->context->device, DeviceLoss::kPageFault);
  if ((flags & (DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED)) != 0) {
    recovery_.Halt(node_ordinal);
  } else {
    node.Complete(faulted->fence);
  }
}

bool Dispatcher::IsWorking() const {
  return std::ranges::any_of(nodes_, [](const auto& node) TANDEM_REQUIRES(work_lock) { return node->has_work(); });
}

bool Dispatcher::IsSubmitting(const ContextQueue& context) const {
  const Packet* const packet = nodes_[context.node]->submitting();
  return packet != nullptr && packet->context == &context;
}

void Dispatcher::GiveUp(const ContextQueue& context) {
  for (const auto& node : nodes_) node->GiveUp(&context, nullptr);
}

Packet* Dispatcher::TakeLost() {
  for (const auto& node : nodes_) {
    if (Packet* const packet = node->TakeLost()) return packet;
  }
  return nullptr;
}

NTSTATUS Dispatcher::Suspend() {
  const WorkLock lock(monitor_);
  ++suspensions_;
  const std::int64_t deadline_ns = adapter_.clock().NowNs() + kIdleTimeoutNs;
  const auto busy = [](const auto& node) TANDEM_REQUIRES(work_lock) { return node->busy(); };
  while (std::ranges::any_of(nodes_, busy)) {
    if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
    if (!monitor_.Sleep(deadline_ns)) return STATUS_DEVICE_NOT_READY;
  }
  return STATUS_SUCCESS;
}

void Dispatcher::Resume() {
  const WorkLock lock(monitor_);
  if (--suspensions_ != 0) return;
  monitor_.Notify();  // paging
  owner_.Wake();
}

NTSTATUS Dispatcher::RunPaging(Packet& packet) {
  const WorkLock lock(monitor_);
  NodeQueue& node = *nodes_[adapter_.paging_node()];
  packet.order = kPagingOrder;
  bool submitted = false;
  while (adapter_.alive() && !packet.done) {
    if (!submitted && HasRoom(node)) {
      Submit(packet, adapter_.paging_node(), Submission::kFirst);
      recovery_.Watch(adapter_.paging_node());
      submitted = true;
      // Packets that found the node taken during the call start now. Its completion may have come within the call, too early
      // for them.
      if (node.NextPreempted() != nullptr || contexts_.Next(adapter_.paging_node()) != nullptr) owner_.Wake();
    } else {
      monitor_.Sleep(kNoDeadline);
    }
  }
  if (packet.done) return STATUS_SUCCESS;
  node.GiveUp(nullptr, &packet);
  return STATUS_DEVICE_REMOVED;
}

void Dispatcher::WaitSubmitted() {
  const WorkLock lock(monitor_);
  std::array<UINT, kMaxNodes> wanted{};
  for (std::size_t i = 0; i < nodes_.size(); ++i) wanted[i] = nodes_[i]->last_submitted();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    while (nodes_[i]->IsPending(wanted[i]) && adapter_.alive()) monitor_.Sleep(kNoDeadline);
  }
}

void Dispatcher::OnRetired(Packet& packet) {
  if (packet.kind == PacketKind::kPaging) {
    packet.done = true;
  } else {
    ++packet.context->packets_complete;
    owner_.Recycle(packet);
  }
}

void Dispatcher::OnAborted(Packet& packet, const DeviceCondition* guilty) {
  DeviceCondition& device = *packet.context->device;
  owner_.MarkLost(device, &device == guilty ? DeviceLoss::kHung : DeviceLoss::kReset);
  OnRetired(packet);
}

}  // namespace tandem::kernel
