// The part of Scheduler that hands packets to the driver, and takes them back. All under the lock, which is given up while the
// driver is called.
#include <utility>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {
namespace {

// What DXGKARG_PATCH and DXGKARG_CANCELCOMMAND say alike of a DMA buffer and its lists.
template <class Args>
void Describe(const Packet& packet, Args& args) {
  packet.GiveList();
  args.hContext = packet.context->driver_context;
  args.pDmaBuffer = packet.dma.data();
  args.DmaBufferSize = static_cast<UINT>(packet.dma.size());
  args.DmaBufferSubmissionStartOffset = packet.dma_begin;
  args.DmaBufferSubmissionEndOffset = packet.dma_used;
  args.pDmaBufferPrivateData = packet.private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  args.DmaBufferPrivateDataSubmissionEndOffset = packet.private_data_used;
  args.pAllocationList = packet.allocations.data();
  args.AllocationListSize = packet.allocation_count();
  args.pPatchLocationList = packet.patches.data();
  args.PatchLocationListSize = packet.patch_count;
  args.PatchLocationListSubmissionStart = packet.patch_begin;
  args.PatchLocationListSubmissionLength = packet.patch_count - packet.patch_begin;
}

}  // namespace

bool Scheduler::HasRoom(Node& node) {
  return suspensions_ == 0 && node.in_flight.size() < most_in_flight_ && !node.preempting && !node.resetting &&
         node.submitting == nullptr;
}

Scheduler::Candidate Scheduler::NextFor(std::uint32_t node_ordinal) {
  Node& node = nodes_[node_ordinal];
  Candidate best;
  // The oldest of the highest priority; of one context, the first.
  for (std::size_t i = 0; i < node.preempted.size(); ++i) {
    const Packet& packet = *node.preempted.at(i);
    bool first = true;
    for (std::size_t before = 0; before < i && packet.context != nullptr; ++before)
      first = first && node.preempted.at(before)->context != packet.context;
    if (first && (best.empty() || packet.order > best.order)) best = {packet.order, nullptr, i};
  }
  for (ContextQueue* context : contexts_) {
    if (context->node != node_ordinal || context->ready_since == 0 || context->preempted != 0) continue;
    // It waits for memory, or for the worker to drop what it has.
    if (context->memory != ContextQueue::Memory::kReady || context->device->loss() != DeviceLoss::kNone) continue;
    const bool older =
        best.context != nullptr && context->order() == best.order && context->ready_since < best.context->ready_since;
    if (best.empty() || context->order() > best.order || older) best = {context->order(), context, kNotPreempted};
  }
  return best;
}

void Scheduler::Dispatch(std::uint32_t node_ordinal, Irql irql) {
  Node& node = nodes_[node_ordinal];
  for (std::uint32_t submitted = 0; HasRoom(node) && adapter_.alive(); ++submitted) {
    const Candidate next = NextFor(node_ordinal);
    if (next.empty()) break;
    // Patch is for PASSIVE_LEVEL. And a thread is not kept for the work of others that comes meanwhile.
    if (irql == Irql::kDispatch || submitted == kMaxInFlight) {
      Wake();
      break;
    }
    ContextQueue* context = next.context;
    if (context == nullptr) {
      Packet& packet = *node.preempted.at(next.preempted);
      context = packet.context;
      node.preempted.erase(next.preempted);
      if (context != nullptr) --context->preempted;
      Submit(packet, node_ordinal, Submission::kRepeated);
    } else {
      Packet& packet = *context->operations.front().packet;
      if (!HasMemory(*context, packet)) continue;
      context->operations.pop();
      context->ready_since = 0;
      ++context->packets_issued;
      packet.order = context->order();
      Submit(packet, node_ordinal, Submission::kFirst);
    }
    // It may have been complete before the call returned.
    if (context != nullptr) Advance(*context);
  }
  if (!node.in_flight.empty()) watch_->Arm(DeadlineOf(node_ordinal));
}

void Scheduler::Submit(Packet& packet, std::uint32_t node_ordinal, Submission submission) {
  Node& node = nodes_[node_ordinal];
  if (++node.last_submitted == 0) ++node.last_submitted;  // 0 is no fence
  packet.fence = node.last_submitted;
  if (node.in_flight.empty()) node.front_since_ns = adapter_.clock().NowNs();
  node.in_flight.push({&packet, packet.fence});
  node.submitting = &packet;
  mutex_.Unlock();
  CallToSubmit(packet, node_ordinal, submission);
  mutex_.Lock();
  node.submitting = nullptr;
  RetireCompleted(node);
  if (!node.in_flight.empty()) watch_->Arm(DeadlineOf(node_ordinal));
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::CallToSubmit(const Packet& packet, std::uint32_t node_ordinal, Submission submission) {
  const auto report = [this](const char* rule, const char* ddi, NTSTATUS status) {
    if (!adapter_.alive()) return;
    adapter_.ReportViolation(rule, fmt::format("{} answered {}.", ddi, StatusText(status)));
  };
  if (packet.kind != PacketKind::kPaging && NeedsPatch(packet)) {
    if (const NTSTATUS status = Patch(packet); !NT_SUCCESS(status)) return report("Patch.MayNotFail", "DxgkDdiPatch", status);
  }
  const NTSTATUS status = SubmitCommand(packet, node_ordinal, submission);
  if (!NT_SUCCESS(status)) report("SubmitCommand.MayNotFail", "DxgkDdiSubmitCommand", status);
}

bool Scheduler::NeedsPatch(const Packet& packet) const { return packet.moved || !adapter_.trial().skips_needless_patches; }

NTSTATUS Scheduler::Patch(const Packet& packet) {
  adapter_.counters().patches.fetch_add(1, std::memory_order_relaxed);
  DXGKARG_PATCH args{};
  Describe(packet, args);
  args.DmaBufferPhysicalAddress = packet.DmaAddress();
  args.SubmissionFenceId = packet.fence;
  args.Flags.Present = packet.kind == PacketKind::kPresent ? 1u : 0u;
  args.Flags.NullRendering = packet.null_rendering ? 1u : 0u;
  const NTSTATUS status = CallDdi(adapter_, Ddi::kPatch, adapter_.ddi().DxgkDdiPatch, adapter_.miniport_context(),
                                  static_cast<const DXGKARG_PATCH*>(&args));
  if (const auto changed = packet.FindChange(); changed && NT_SUCCESS(status)) {
    adapter_.ReportViolation("Patch.pAllocationList", fmt::format("Element {} of {} was changed; a driver reads the list.",
                                                                  *changed, packet.allocation_count()));
    return STATUS_DEVICE_REMOVED;
  }
  return status;
}

NTSTATUS Scheduler::SubmitCommand(const Packet& packet, std::uint32_t node_ordinal, Submission submission) {
  adapter_.counters().submissions.fetch_add(1, std::memory_order_relaxed);
  DXGKARG_SUBMITCOMMAND args{};
  args.hContext = packet.context != nullptr ? packet.context->driver_context : nullptr;
  args.DmaBufferPhysicalAddress = packet.DmaAddress();
  args.DmaBufferSize = static_cast<UINT>(packet.dma.size());
  args.DmaBufferSubmissionStartOffset = packet.dma_begin;
  args.DmaBufferSubmissionEndOffset = packet.dma_used;
  args.pDmaBufferPrivateData = packet.private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  args.DmaBufferPrivateDataSubmissionEndOffset = packet.private_data_used;
  args.SubmissionFenceId = packet.fence;
  args.NodeOrdinal = node_ordinal;
  args.Flags.Paging = packet.kind == PacketKind::kPaging ? 1u : 0u;
  args.Flags.Present = packet.kind == PacketKind::kPresent ? 1u : 0u;
  args.Flags.NullRendering = packet.null_rendering ? 1u : 0u;
  args.VidPnSourceId = packet.flip.vidpn_source;
  args.FlipInterval = packet.flip.interval;
  args.Flags.Flip = packet.flip.flips ? 1u : 0u;
  args.Flags.FlipWithNoWait = packet.flip.without_wait ? 1u : 0u;
  // Drivers of WDDM 1.x find the bit always 0 (reference, section 2.4).
  args.Flags.Resubmission = submission == Submission::kRepeated && adapter_.caps().WDDMVersion >= DXGKDDI_WDDMv2 ? 1u : 0u;
  return CallDdi(adapter_, Ddi::kSubmitCommand, adapter_.ddi().DxgkDdiSubmitCommand, adapter_.miniport_context(),
                 static_cast<const DXGKARG_SUBMITCOMMAND*>(&args));
}

void Scheduler::Preempt(std::uint32_t node_ordinal) {
  Node& node = nodes_[node_ordinal];
  if (++node.preemptions == 0) ++node.preemptions;
  node.preempting = true;
  node.preempting_since_ns = adapter_.clock().NowNs();
  adapter_.counters().preemptions.fetch_add(1, std::memory_order_relaxed);
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = node.preemptions;
  args.NodeOrdinal = node_ordinal;
  mutex_.Unlock();
  // The gate reports a driver that fails here.
  static_cast<void>(CallDdi(adapter_, Ddi::kPreemptCommand, adapter_.ddi().DxgkDdiPreemptCommand, adapter_.miniport_context(),
                            static_cast<const DXGKARG_PREEMPTCOMMAND*>(&args)));
  mutex_.Lock();
}

void Scheduler::TakeBack(Node& node) {
  const std::size_t older = node.preempted.size();
  while (!node.in_flight.empty()) {
    Packet* const packet = node.in_flight.front().packet;
    node.in_flight.pop();
    if (packet == nullptr) continue;
    node.preempted.push(packet);
    if (packet->context == nullptr) continue;
    ++packet->context->preempted;
    if (packet->context->device->loss() != DeviceLoss::kNone) work_lost_ = true;
  }
  // Those that were taken back before are younger, context for context.
  for (std::size_t i = 0; i < older; ++i) {
    Packet* const packet = node.preempted.front();
    node.preempted.pop();
    node.preempted.push(packet);
  }
  if (work_lost_) Wake();
}

void Scheduler::Cancel(Packet& packet) {
  if (!adapter_.caps().SchedulingCaps.CancelCommandAware) {
    Recycle(packet);
    return;
  }
  ++packet.context->cancelling;
  (first_cancelled_ == nullptr ? first_cancelled_ : last_cancelled_->next) = &packet;
  last_cancelled_ = &packet;
}

void Scheduler::TellCancelled() {
  while (first_cancelled_ != nullptr) {
    Packet& packet = *first_cancelled_;
    first_cancelled_ = std::exchange(packet.next, nullptr);
    mutex_.Unlock();
    DXGKARG_CANCELCOMMAND args{};
    Describe(packet, args);
    // It only tells; there is nothing to do about a driver that fails.
    static_cast<void>(CallDdi(adapter_, Ddi::kCancelCommand, adapter_.ddi().DxgkDdiCancelCommand, adapter_.miniport_context(),
                              static_cast<const DXGKARG_CANCELCOMMAND*>(&args)));
    mutex_.Lock();
    --packet.context->cancelling;
    Recycle(packet);
  }
}

}  // namespace tandem::kernel
