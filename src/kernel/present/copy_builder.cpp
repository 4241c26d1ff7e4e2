#include "kernel/present/copy_builder.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/scheduler_scopes.h"
#include "kernel/submit/submission_check.h"

namespace tandem::kernel {
namespace {

// Retries of a present for which the driver had no memory. Each waits so long for earlier work to give memory back.
constexpr std::uint32_t kOutOfMemoryRetries = 3;
constexpr std::int64_t kOutOfMemoryWaitNs = 100'000'000;

bool IsOutOfMemory(NTSTATUS status) { return status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES; }

// Statuses that DxgkDdiPresent may answer; STATUS_DEVICE_REMOVED is the kernel's own.
bool MayAnswer(NTSTATUS status) {
  switch (status) {
    case STATUS_SUCCESS:
    case STATUS_NO_MEMORY:
    case STATUS_INSUFFICIENT_RESOURCES:
    case STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER:
    case STATUS_GRAPHICS_CANNOTCOLORCONVERT:
    case STATUS_PRIVILEGED_INSTRUCTION:
    case STATUS_ILLEGAL_INSTRUCTION:
    case STATUS_INVALID_HANDLE:
    case STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE:
    case STATUS_DEVICE_REMOVED: return true;
    default: return false;
  }
}

bool Names(const Packet& packet, UINT allocation_index) {
  return std::any_of(packet.patches.begin(), packet.patches.begin() + packet.patch_count,
                     [=](const auto& patch) { return patch.AllocationIndex == allocation_index; });
}

}  // namespace

NTSTATUS CopyBuilder::CallPresent(Context& context, DXGKARG_PRESENT& args) {
  if (adapter_.ddi().DxgkDdiPresent == nullptr) return STATUS_NOT_SUPPORTED;  // of a compute-only driver
  adapter_.counters().ddi_presents.fetch_add(1, std::memory_order_relaxed);
  const NTSTATUS status = CallDdi(adapter_, Ddi::kPresent, adapter_.ddi().DxgkDdiPresent, context.queue().driver_context, &args);
  if (status == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE)
    scheduler_.LoseDevice(context.device().condition(), DeviceLoss::kException);
  if (MayAnswer(status)) return status;
  adapter_.ReportViolation("Present.Status", fmt::format("DxgkDdiPresent answered {}, which it may not.", StatusText(status)));
  return STATUS_DEVICE_REMOVED;
}

NTSTATUS CopyBuilder::ValidateFlip(Context& context, const PresentRequest& request, DXGKARG_PRESENT args) {
  std::array<DXGK_ALLOCATIONLIST, DXGK_PRESENT_MAX_INDEX + 1> given{};
  given[DXGK_PRESENT_SOURCE_INDEX] = ToListElement(request.source);
  auto list = given;
  args.pAllocationList = list.data();
  DXGKARG_PRESENT call = args;
  NTSTATUS status = CallPresent(context, call);
  for (std::uint32_t retries = 0; IsOutOfMemory(status) && retries < kOutOfMemoryRetries; ++retries) {
    static_cast<void>(scheduler_.WaitForPackets(context.queue(), kOutOfMemoryWaitNs));
    call = args;
    status = CallPresent(context, call);
  }
  const bool wrote = call.pDmaBuffer != nullptr || call.pPatchLocationListOut != nullptr;
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || wrote) {
    adapter_.ReportViolation("Present.MmioFlipWritesNothing", "The driver wrote commands, or wants a buffer, for an MMIO flip.");
    return STATUS_DEVICE_REMOVED;
  }
  if (!std::equal(list.begin(), list.end(), given.begin(), &AreEqual)) {
    adapter_.ReportViolation("Present.pAllocationList", "The list of an MMIO flip was changed; a driver reads the list.");
    return STATUS_DEVICE_REMOVED;
  }
  return status;
}

std::uint32_t CopyBuilder::ModesOf(const PresentRequest& request) {
  std::uint32_t modes = 0;
  for (const Allocation* allocation : {request.source.allocation, request.destination.allocation}) {
    if (allocation != nullptr && allocation->primary && allocation->vidpn_source < kMaxFlipSources)
      modes |= 1u << allocation->vidpn_source;
  }
  return request.type == PresentType::kFlip ? modes | 1u << request.vidpn_source : modes;
}

NTSTATUS CopyBuilder::Copy(Context& context, const PresentRequest& request) {
  // The driver turns as the path is turned when it is asked: the rectangles are to be those of the same mode, and the mode is to
  // stay until the commands have run.
  const std::uint32_t modes = ModesOf(request);
  const BuildScope build(scheduler_.modes(), modes);
  if (!NT_SUCCESS(build.status())) return build.status();
  const D3DDDI_ROTATION rotation = request.rotate ? modes_.RotationOf(*request.destination.allocation) : D3DDDI_ROTATION_IDENTITY;
  const bool copies = request.type == PresentType::kCopy;
  DXGKARG_PRESENT args{};
  args.Color = request.color;
  args.FlipInterval = request.interval;
  args.Flags.Blt = copies ? 1u : 0u;
  args.Flags.ColorFill = copies ? 0u : 1u;
  args.Flags.LinearToSrgb = request.linear_to_srgb ? 1u : 0u;
  args.Flags.Rotate = request.rotate ? 1u : 0u;
  args.Flags.SrcColorKey = request.key == PresentColorKey::kSource ? 1u : 0u;
  args.Flags.DstColorKey = request.key == PresentColorKey::kDestination ? 1u : 0u;
  args.NumSrcAllocations = copies ? 1 : 0;
  args.NumDstAllocations = 1;
  args.PrivateDriverDataSize = static_cast<UINT>(request.private_data.size());
  args.pPrivateDriverData = request.private_data.empty() ? nullptr : request.private_data.data();

  CopyRequest copy;
  copy.source = copies ? &request.source.allocation->description : nullptr;
  copy.destination = &request.destination.allocation->description;
  copy.source_rect = request.source_rect;
  copy.destination_rect = request.destination_rect;
  copy.sub_rects = request.sub_rects;
  copy.quarter_turned = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
  copy.onto_itself = copies && request.source.allocation == request.destination.allocation;
  return RunPasses(context, request, modes, &copy, args);
}

NTSTATUS CopyBuilder::FillRects(Context& context, std::uint64_t present, const CopyRequest& copy, DXGKARG_PRESENT& args) {
  if (context.scratch_rects_of() == present) return STATUS_SUCCESS;
  context.scratch_rects_of() = present;
  CopyRects rects;
  if (const NTSTATUS status = ResolveCopyRects(copy, rects, context.scratch_rects()); !NT_SUCCESS(status)) return status;
  args.SrcRect = rects.source;
  args.DstRect = rects.destination;
  args.SubRectCnt = static_cast<UINT>(context.scratch_rects().size());
  args.pDstSubRects = context.scratch_rects().data();
  return STATUS_SUCCESS;
}

NTSTATUS CopyBuilder::RunPasses(Context& context, const PresentRequest& request, std::uint32_t modes, const CopyRequest* copy,
                                DXGKARG_PRESENT& args) {
  MutexLock fill(context.fill_mutex());
  const std::uint64_t present = context.NextPresent();
  if (copy != nullptr) {
    if (const NTSTATUS status = FillRects(context, present, *copy, args); !NT_SUCCESS(status)) return status;
    if (args.SubRectCnt == 0) return STATUS_SUCCESS;
  }
  bool wrote = false;
  UINT multipass_offset = 0;
  std::uint32_t retries = 0;
  for (;;) {
    Packet* packet = nullptr;
    if (const NTSTATUS status = AcquirePacket(context, packet, fill); !NT_SUCCESS(status)) return status;
    // Another present may have come while nobody had the lock; the rectangles were right before.
    if (copy != nullptr) static_cast<void>(FillRects(context, present, *copy, args));
    const NTSTATUS status = PresentPass(context, request, modes, args, *packet, multipass_offset);
    wrote = wrote || packet->dma_used != 0;
    const bool again = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (again || (status == STATUS_SUCCESS && packet->dma_used != 0)) {
      const NTSTATUS queued = scheduler_.QueuePacket(*packet, fill);
      if (!NT_SUCCESS(queued) || !again) return queued;
      continue;
    }
    scheduler_.ReleasePacket(*packet);
    if (status == STATUS_SUCCESS) {
      // The pass before may have done the last rectangle.
      if (wrote) return STATUS_SUCCESS;
      adapter_.ReportViolation("Present.Progress",
                               fmt::format("The driver finished a present of {} rectangles without a command.", args.SubRectCnt));
      return STATUS_DEVICE_REMOVED;
    }
    if (!IsOutOfMemory(status) || retries++ == kOutOfMemoryRetries) return status;
    fill.Unlock();
    static_cast<void>(scheduler_.WaitForPackets(context.queue(), kOutOfMemoryWaitNs));
    fill.Lock();
  }
}

NTSTATUS CopyBuilder::AcquirePacket(Context& context, Packet*& packet, MutexLock& fill) {
  const NTSTATUS status = scheduler_.AcquirePacket(context.queue(), packet, Scheduler::WhenNone::kAnswer);
  if (status != STATUS_DEVICE_NOT_READY) return status;
  fill.native().unlock();
  const NTSTATUS waited = scheduler_.AcquirePacket(context.queue(), packet);
  fill.native().lock();
  return waited;
}

NTSTATUS CopyBuilder::PresentPass(Context& context, const PresentRequest& request, std::uint32_t modes,
                                  const DXGKARG_PRESENT& args, Packet& packet, UINT& multipass_offset) {
  const bool reads = request.type != PresentType::kFill;
  const bool writes = request.type != PresentType::kFlip;
  packet.kind = PacketKind::kPresent;
  scheduler_.modes().BuildFor(packet, modes);
  packet.flip = {!writes, args.Flags.FlipWithNoWait != 0, request.vidpn_source, request.interval};
  static_assert(DXGK_PRESENT_SOURCE_INDEX == 1 && DXGK_PRESENT_DESTINATION_INDEX == 2 && DXGK_PRESENT_MAX_INDEX == 2);
  packet.List({});
  packet.List(reads ? request.source : UsedAllocation{});
  packet.List(writes ? request.destination : UsedAllocation{});

  // The driver's writes into its arguments are lost with them, but for its own answers.
  DXGKARG_PRESENT call = args;
  call.MultipassOffset = multipass_offset;
  call.pDmaBuffer = packet.dma.data();
  call.DmaSize = static_cast<UINT>(packet.dma.size());
  call.pDmaBufferPrivateData = packet.private_data.empty() ? nullptr : packet.private_data.data();
  call.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  call.pAllocationList = packet.allocations.data();
  call.pPatchLocationListOut = packet.patches.data();
  call.PatchLocationListOutSize = static_cast<UINT>(packet.patches.size());
  call.DmaBufferPhysicalAddress = packet.DmaAddress();
  const NTSTATUS status = CallPresent(context, call);
  const bool again = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  // A pass that is asked for again begins where this one did.
  if (!NT_SUCCESS(status) && !again) return status;
  auto violation = CheckSubmission(adapter_, FilledBy::kPresent,
                                   {call.pDmaBuffer, call.pDmaBufferPrivateData, call.pPatchLocationListOut}, packet);
  if (!violation && again && packet.dma_used == 0) {
    violation = Violation{"Present.DmaBufferSize",
                          fmt::format("A DMA buffer of {} bytes with {} patch locations does not hold one rectangle.",
                                      packet.dma.size(), packet.patches.size())};
  }
  if (!violation && again && call.MultipassOffset == multipass_offset) {
    violation =
        Violation{"Present.MultipassOffset",
                  fmt::format("The driver wants another DMA buffer of {} bytes and made no progress.", packet.dma.size())};
  }
  if (!violation && packet.dma_used != 0) {
    for (const UINT index : {UINT{DXGK_PRESENT_SOURCE_INDEX}, UINT{DXGK_PRESENT_DESTINATION_INDEX}}) {
      if (packet.listed[index].allocation == nullptr || Names(packet, index)) continue;
      violation = Violation{"Present.EveryReferenceIsListed",
                            fmt::format("{} bytes of commands and no patch location of allocation {}.", packet.dma_used, index)};
    }
  }
  multipass_offset = call.MultipassOffset;
  if (!violation) return again ? status : STATUS_SUCCESS;
  adapter_.ReportViolation(violation->rule, violation->seen);
  return STATUS_DEVICE_REMOVED;
}

}  // namespace tandem::kernel
