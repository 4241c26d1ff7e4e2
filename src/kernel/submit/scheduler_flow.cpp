// The part of Scheduler that moves work on: from contexts to nodes and the flip queue, from interrupts to fences. All under the
// lock.
#include <utility>

#include <fmt/core.h>

#include "kernel/memory/ddi_call.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {
namespace {

// Fence ids are 32 bits wide and wrap.
bool Passed(UINT fence, UINT other) { return static_cast<INT>(fence - other) > 0; }

void RaiseTo(std::atomic<std::uint64_t>& cookie, std::uint64_t value) {
  std::uint64_t current = cookie.load(std::memory_order_relaxed);
  while (current < value && !cookie.compare_exchange_weak(current, value, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace

void Scheduler::Advance(ContextQueue& context, Irql irql) {
  std::size_t before = 0;
  do {
    before = context.operations.size();
    while (!context.operations.empty() && Issue(context, context.operations.front(), irql)) context.operations.pop();
    IssueFlips(context);
    CompleteSignals(context);
    // Flips and signals that went made room for operations behind them.
  } while (!context.operations.empty() && context.operations.size() != before);
}

bool Scheduler::Issue(ContextQueue& context, Operation& operation, Irql irql) {
  switch (operation.type) {
    case OperationType::kPacket:
      if (nodes_[context.node].in_flight.full()) return false;
      if (irql == Irql::kDispatch) {  // Patch is for PASSIVE_LEVEL
        Wake();
        return false;
      }
      if (!HasMemory(context, *operation.packet)) return false;
      ++context.packets_issued;
      Submit(*operation.packet, context.node);
      return true;
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

void Scheduler::IssueFlips(ContextQueue& context) {
  while (!context.flips.empty() && context.packets_complete >= context.flips.front().packets) {
    const PendingFlip flip = context.flips.front().flip;
    context.flips.pop();
    ++context.flips_issued;
    Source& source = sources_[flip.vidpn_source];
    --source.queued;
    const std::uint64_t cookie = ++source.last_cookie;
    source.issued.push({cookie, &context, flip.allocation});
    const NTSTATUS status = flip_host_ != nullptr ? flip_host_->QueueFlip(flip, cookie) : STATUS_DEVICE_REMOVED;
    // A flip that the queue refused is over: whoever waits for it must not wait for ever.
    if (!NT_SUCCESS(status)) RaiseTo(source.retired, cookie);
  }
  CollectRetiredFlips();
}

void Scheduler::CompleteSignals(ContextQueue& context) {
  while (!context.signals.empty()) {
    AfterWork& signal = context.signals.front();
    if (context.packets_complete < signal.packets || context.flips_retired < signal.flips) return;
    signal.fence->Signal(signal.value);
    context.signals.pop();
  }
}

void Scheduler::Submit(Packet& packet, std::uint32_t node_ordinal) {
  Node& node = nodes_[node_ordinal];
  if (++node.last_submitted == 0) ++node.last_submitted;  // 0 is no fence
  packet.fence = node.last_submitted;
  node.in_flight.push(&packet);
  if (packet.kind != PacketKind::kPaging) {
    const NTSTATUS status = Patch(packet);
    if (!NT_SUCCESS(status)) {
      if (adapter_.alive()) {
        adapter_.ReportViolation("Patch.MayNotFail",
                                 fmt::format("DxgkDdiPatch answered 0x{:08X}.", static_cast<std::uint32_t>(status)));
      }
      return;
    }
  }
  const NTSTATUS status = SubmitCommand(packet, node_ordinal);
  if (!NT_SUCCESS(status) && adapter_.alive()) {
    adapter_.ReportViolation("SubmitCommand.MayNotFail",
                             fmt::format("DxgkDdiSubmitCommand answered 0x{:08X}.", static_cast<std::uint32_t>(status)));
  }
}

NTSTATUS Scheduler::Patch(const Packet& packet) {
  adapter_.counters().patches.fetch_add(1, std::memory_order_relaxed);
  DXGKARG_PATCH args{};
  args.hContext = packet.context->driver_context;
  args.DmaBufferPhysicalAddress = packet.DmaAddress();
  args.pDmaBuffer = packet.dma.data();
  args.DmaBufferSize = static_cast<UINT>(packet.dma.size());
  args.DmaBufferSubmissionEndOffset = packet.dma_used;
  args.pDmaBufferPrivateData = packet.private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  args.DmaBufferPrivateDataSubmissionEndOffset = packet.private_data_used;
  args.pAllocationList = packet.allocations.data();
  args.AllocationListSize = packet.allocation_count;
  args.pPatchLocationList = packet.patches.data();
  args.PatchLocationListSize = packet.patch_count;
  args.PatchLocationListSubmissionLength = packet.patch_count;
  args.SubmissionFenceId = packet.fence;
  args.Flags.Present = packet.kind == PacketKind::kPresent ? 1u : 0u;
  args.Flags.NullRendering = packet.null_rendering ? 1u : 0u;
  return CallDdi(adapter_, Ddi::kPatch, adapter_.ddi().DxgkDdiPatch, adapter_.miniport_context(),
                 static_cast<const DXGKARG_PATCH*>(&args));
}

NTSTATUS Scheduler::SubmitCommand(const Packet& packet, std::uint32_t node_ordinal) {
  adapter_.counters().submissions.fetch_add(1, std::memory_order_relaxed);
  DXGKARG_SUBMITCOMMAND args{};
  args.hContext = packet.context != nullptr ? packet.context->driver_context : nullptr;
  args.DmaBufferPhysicalAddress = packet.DmaAddress();
  args.DmaBufferSize = static_cast<UINT>(packet.dma.size());
  args.DmaBufferSubmissionEndOffset = packet.dma_used;
  args.pDmaBufferPrivateData = packet.private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  args.DmaBufferPrivateDataSubmissionEndOffset = packet.private_data_used;
  args.SubmissionFenceId = packet.fence;
  args.NodeOrdinal = node_ordinal;
  args.Flags.Paging = packet.kind == PacketKind::kPaging ? 1u : 0u;
  args.Flags.Present = packet.kind == PacketKind::kPresent ? 1u : 0u;
  args.Flags.NullRendering = packet.null_rendering ? 1u : 0u;
  return CallDdi(adapter_, Ddi::kSubmitCommand, adapter_.ddi().DxgkDdiSubmitCommand, adapter_.miniport_context(),
                 static_cast<const DXGKARG_SUBMITCOMMAND*>(&args));
}

void Scheduler::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (data.InterruptType != DXGK_INTERRUPT_DMA_COMPLETED) return;
  const UINT node_ordinal = data.DmaCompleted.NodeOrdinal;
  if (node_ordinal >= adapter_.node_count()) {
    adapter_.ReportViolation("DmaCompleted.NodeOrdinal",
                             fmt::format("Node {} is not one of {}.", node_ordinal, adapter_.node_count()));
    return;
  }
  const MutexLock lock(mutex_);
  CollectRetiredFlips();
  Complete(node_ordinal, data.DmaCompleted.SubmissionFenceId);
  for (ContextQueue* context : contexts_) Advance(*context, Irql::kDispatch);
}

void Scheduler::Complete(UINT node_ordinal, UINT fence) {
  Node& node = nodes_[node_ordinal];
  if (Passed(fence, node.last_submitted)) {
    adapter_.ReportViolation(
        "DmaCompleted.FenceWasSubmitted",
        fmt::format("Node {} completed fence {}; the last submitted is {}.", node_ordinal, fence, node.last_submitted));
    return;
  }
  if (Passed(node.last_completed, fence)) {
    adapter_.ReportViolation("DmaCompleted.FencesRise",
                             fmt::format("Node {} completed fence {} after {}.", node_ordinal, fence, node.last_completed));
    return;
  }
  node.last_completed = fence;
  while (!node.in_flight.empty()) {
    Packet* packet = node.in_flight.front();
    if (packet != nullptr) {
      if (Passed(packet->fence, fence)) break;
      if (packet->kind == PacketKind::kPaging) {
        packet->done = true;
      } else {
        ++packet->context->packets_complete;
        Recycle(*packet);
      }
    }
    node.in_flight.pop();
  }
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::Recycle(Packet& packet) {
  packet.Reset();
  releases_.fetch_add(1, std::memory_order_release);
  packet.context->free_packets.push_back(&packet);
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie) {
  if (vidpn_source >= kMaxFlipSources) return;
  RaiseTo(sources_[vidpn_source].retired, cookie);
  const MutexLock lock(mutex_);
  CollectRetiredFlips();
  for (ContextQueue* context : contexts_) Advance(*context, Irql::kDispatch);
}

void Scheduler::OnAdapterLost() {
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

void Scheduler::CollectRetiredFlips() {
  bool changed = false;
  for (Source& source : sources_) {
    const std::uint64_t retired = source.retired.load(std::memory_order_acquire);
    while (!source.issued.empty() && source.issued.front().cookie <= retired) {
      const IssuedFlip flip = source.issued.front();
      source.issued.pop();
      if (flip.context != nullptr) ++flip.context->flips_retired;
      // It is scanned out until another one is: only then is it unused.
      if (source.on_screen != nullptr) EndFlip(source.on_screen);
      source.on_screen = flip.allocation;
      changed = true;
    }
  }
  if (changed && sleepers_ != 0) changed_.notify_all();
}

void Scheduler::DropFlips(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  if (vidpn_source >= kMaxFlipSources) return;
  const MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  RaiseTo(source.retired, source.last_cookie);
  CollectRetiredFlips();
  if (source.on_screen != nullptr) EndFlip(std::exchange(source.on_screen, nullptr));
  for (ContextQueue* context : contexts_) CompleteSignals(*context);
}

void Scheduler::DropQueued(ContextQueue& context) {
  if (context.waiter.fence != nullptr) {
    context.waiter.fence->Cancel(context.waiter);
    context.waiter.fence.reset();
  }
  while (!context.operations.empty()) {
    Operation& operation = context.operations.front();
    if (operation.type == OperationType::kPacket) Recycle(*operation.packet);
    if (operation.type == OperationType::kFlip) ForgetFlip(operation.flip);
    context.operations.pop();
  }
  while (!context.flips.empty()) {
    ForgetFlip(context.flips.front().flip);
    context.flips.pop();
  }
  while (!context.signals.empty()) context.signals.pop();
  context.memory = ContextQueue::Memory::kReady;
}

void Scheduler::ForgetFlip(const PendingFlip& flip) {
  --sources_[flip.vidpn_source].queued;
  EndFlip(flip.allocation);
}

void Scheduler::Unuse(Allocation* allocation) {
  if (allocation->uses.fetch_sub(1, std::memory_order_acq_rel) == 1 && sleepers_ != 0) changed_.notify_all();
}

void Scheduler::EndFlip(Allocation* allocation) {
  allocation->residency.Unpin();
  releases_.fetch_add(1, std::memory_order_release);
  Unuse(allocation);
}

}  // namespace tandem::kernel
