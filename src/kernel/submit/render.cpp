#include "kernel/submit/render.h"

#include <utility>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/submission_check.h"

namespace tandem::kernel {

namespace {

// Statuses that DxgkDdiRender may answer (docs/contract.md, DMA buffers); STATUS_DEVICE_REMOVED is the kernel's own.
bool MayAnswer(NTSTATUS status) {
  switch (status) {
    case STATUS_SUCCESS:
    case STATUS_NO_MEMORY:
    case STATUS_INSUFFICIENT_RESOURCES:
    case STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER:
    case STATUS_INVALID_PARAMETER:
    case STATUS_ILLEGAL_INSTRUCTION:
    case STATUS_PRIVILEGED_INSTRUCTION:
    case STATUS_INVALID_USER_BUFFER:
    case STATUS_INVALID_HANDLE:
    case STATUS_GRAPHICS_DRIVER_MISMATCH:
    case STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE:
    case STATUS_DEVICE_REMOVED: return true;
    default: return false;
  }
}

}  // namespace

NTSTATUS RenderPass(Context& context, RenderRequest& request, Packet& packet, bool& again) {
  Adapter& adapter = context.device().adapter();
  again = false;
  if (request.allocations.size() > packet.allocations.size() || request.patches.size() > packet.patches.size())
    return STATUS_INVALID_USER_BUFFER;
  packet.kind = PacketKind::kRender;
  packet.null_rendering = request.null_rendering;
  for (const UsedAllocation& used : request.allocations) packet.List(used);
  DXGKARG_RENDER args{};
  args.pCommand = request.commands.data();
  args.CommandLength = static_cast<UINT>(request.commands.size());
  args.pDmaBuffer = packet.dma.data();
  args.DmaSize = static_cast<UINT>(packet.dma.size());
  args.pDmaBufferPrivateData = packet.private_data.empty() ? nullptr : packet.private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  args.pAllocationList = packet.allocations.data();
  args.AllocationListSize = packet.allocation_count();
  args.pPatchLocationListIn = request.patches.data();
  args.PatchLocationListInSize = static_cast<UINT>(request.patches.size());
  args.pPatchLocationListOut = packet.patches.data();
  args.PatchLocationListOutSize = static_cast<UINT>(packet.patches.size());
  args.MultipassOffset = request.multipass_offset;
  args.DmaBufferPhysicalAddress = packet.DmaAddress();
  const NTSTATUS status = CallDdi(adapter, Ddi::kRender, adapter.ddi().DxgkDdiRender, context.queue().driver_context, &args);
  if (status == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE)
    context.scheduler().LoseDevice(context.device().condition(), DeviceLoss::kException);
  if (!MayAnswer(status)) {
    adapter.ReportViolation("Render.Status", fmt::format("DxgkDdiRender answered {}, which it may not.", StatusText(status)));
  }
  again = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  if (!NT_SUCCESS(status) && !again) return adapter.alive() ? status : STATUS_DEVICE_REMOVED;
  auto violation = CheckSubmission(adapter, FilledBy::kRender,
                                   {args.pDmaBuffer, args.pDmaBufferPrivateData, args.pPatchLocationListOut}, packet);
  if (!violation && again && args.MultipassOffset == request.multipass_offset) {
    violation = Violation{"Render.MultipassOffset", "The driver wants another DMA buffer and made no progress."};
  }
  if (violation) {
    adapter.ReportViolation(violation->rule, violation->seen);
    return STATUS_DEVICE_REMOVED;
  }
  request.multipass_offset = args.MultipassOffset;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
