#include "kernel/submit/submit_calls.h"

#include <atomic>
#include <cstdint>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/adapter/rules.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/context_queue.h"

namespace tandem::kernel {
namespace {

// Members that DXGKARG_PATCH and DXGKARG_CANCELCOMMAND have in common: a DMA buffer and its lists.
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

// One thread at a time counts: the one that has the pass, whose class admits no other.
void Count(std::atomic<std::uint64_t>& calls) {
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

NTSTATUS Patch(Adapter& adapter, DdiGate::Pass& pass, const Packet& packet) {
  Count(adapter.counters().patches);
  DXGKARG_PATCH args{};
  Describe(packet, args);
  args.DmaBufferPhysicalAddress = packet.DmaAddress();
  args.SubmissionFenceId = packet.fence;
  args.Flags.Present = packet.kind == PacketKind::kPresent ? 1u : 0u;
  args.Flags.NullRendering = packet.null_rendering ? 1u : 0u;
  const NTSTATUS status = CallDdi(adapter, pass, Ddi::kPatch, adapter.ddi().DxgkDdiPatch, adapter.miniport_context(),
                                  static_cast<const DXGKARG_PATCH*>(&args));
  if (const auto changed = packet.FindChange(); changed && NT_SUCCESS(status)) {
    adapter.ReportViolation("Patch.pAllocationList", fmt::format("Element {} of {} was changed; a driver reads the list.",
                                                                 *changed, packet.allocation_count()));
    return STATUS_DEVICE_REMOVED;
  }
  return status;
}

NTSTATUS SubmitCommand(Adapter& adapter, DdiGate::Pass& pass, const Packet& packet, std::uint32_t node_ordinal,
                       Submission submission) {
  Count(adapter.counters().submissions);
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
  // Drivers of WDDM 1.x find the bit always 0.
  args.Flags.Resubmission = submission == Submission::kRepeated && adapter.caps().WDDMVersion >= DXGKDDI_WDDMv2 ? 1u : 0u;
  return CallDdi(adapter, pass, Ddi::kSubmitCommand, adapter.ddi().DxgkDdiSubmitCommand, adapter.miniport_context(),
                 static_cast<const DXGKARG_SUBMITCOMMAND*>(&args));
}

}  // namespace

void SubmitPacket(Adapter& adapter, const Packet& packet, std::uint32_t node_ordinal, Submission submission) {
  const auto report = [&adapter](const char* rule, const char* ddi, NTSTATUS status) {
    if (!adapter.alive()) return;
    adapter.ReportViolation(rule, fmt::format("{} answered {}.", ddi, StatusText(status)));
  };
  if (!adapter.alive()) return;
  DdiGate::Pass pass(adapter.gate(), Ddi::kSubmitCommand);
  const bool needs_patch = packet.moved || !adapter.trial().skips_needless_patches;
  if (packet.kind != PacketKind::kPaging && needs_patch) {
    if (const NTSTATUS status = Patch(adapter, pass, packet); !NT_SUCCESS(status)) {
      report("Patch.MayNotFail", "DxgkDdiPatch", status);
      return;
    }
  }
  const NTSTATUS status = SubmitCommand(adapter, pass, packet, node_ordinal, submission);
  if (!NT_SUCCESS(status)) report("SubmitCommand.MayNotFail", "DxgkDdiSubmitCommand", status);
}

void CancelPacket(Adapter& adapter, const Packet& packet) {
  DXGKARG_CANCELCOMMAND args{};
  Describe(packet, args);
  const NTSTATUS status = CallDdi(adapter, Ddi::kCancelCommand, adapter.ddi().DxgkDdiCancelCommand, adapter.miniport_context(),
                                  static_cast<const DXGKARG_CANCELCOMMAND*>(&args));
  if (NT_SUCCESS(status) || !adapter.alive()) return;
  adapter.ReportViolation(rules::kCancelMayNotFail, fmt::format("DxgkDdiCancelCommand answered {}.", StatusText(status)));
}

}  // namespace tandem::kernel
