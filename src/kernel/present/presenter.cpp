#include "kernel/present/presenter.h"

#include <algorithm>
#include <array>

namespace tandem::kernel {
namespace {

bool IsImmediate(D3DDDI_FLIPINTERVAL_TYPE interval) {
  return interval == D3DDDI_FLIPINTERVAL_IMMEDIATE || interval == D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING;
}

}  // namespace

Presenter::Presenter(Adapter& adapter, Scheduler& scheduler, Pager& pager)
    : adapter_(adapter),
      scheduler_(scheduler),
      pager_(pager),
      overlay_checks_(adapter),
      shapes_(overlay_checks_),
      planes_(adapter.caps().SupportMultiPlaneOverlay ? std::min(adapter.vidpn_source_count(), kMaxFlipSources) : 0),
      flip_queue_(adapter.vidpn_source_count() != 0 ? FlipQueue::Create(adapter, *this) : nullptr),
      modes_(adapter, scheduler, pager, {flip_queue_.get(), owners_, shapes_, overlay_checks_}),
      copies_(adapter, scheduler, modes_) {
  scheduler_.flips().SetHost(this);
}

Presenter::~Presenter() { scheduler_.flips().SetHost(nullptr); }

NTSTATUS Presenter::Present(Context& context, const PresentRequest& request) {
  return request.type == PresentType::kFlip ? PresentFlip(context, request) : copies_.Copy(context, request);
}

bool Presenter::HasSource(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
  return vidpn_source < adapter_.vidpn_source_count() && vidpn_source < kMaxFlipSources;
}

NTSTATUS Presenter::CheckFlip(Context& context, const PresentRequest& request) {
  if (flip_queue_ == nullptr || !HasSource(request.vidpn_source)) return STATUS_INVALID_PARAMETER;
  const DXGK_FLIPCAPS& caps = adapter_.caps().FlipCaps;
  if (request.interval < D3DDDI_FLIPINTERVAL_IMMEDIATE || request.interval > D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING) {
    return STATUS_INVALID_PARAMETER;
  }
  // Flips in DMA buffers are immediate whenever they are asked to be.
  if (caps.FlipOnVSyncMmIo && IsImmediate(request.interval) && !caps.FlipImmediateMmIo) return STATUS_NOT_SUPPORTED;
  if (!IsImmediate(request.interval) && request.interval > D3DDDI_FLIPINTERVAL_ONE && !caps.FlipInterval)
    return STATUS_NOT_SUPPORTED;
  if (request.do_not_flip && modes_.LatestOf(request.vidpn_source) != request.source.allocation) return STATUS_INVALID_PARAMETER;
  return owners_.Check(request.vidpn_source, context.device());
}

NTSTATUS Presenter::PresentFlip(Context& context, const PresentRequest& request) {
  if (const NTSTATUS status = CheckFlip(context, request); !NT_SUCCESS(status)) return status;
  FlipPlace place(scheduler_, context.queue(), request.vidpn_source, WhenFull(request));
  if (!NT_SUCCESS(place.status())) return place.status();
  // It stays where it is from here until another surface has replaced it on the screen.
  if (const NTSTATUS status = pager_.Pin(*request.source.allocation); !NT_SUCCESS(status)) return status;
  const NTSTATUS status = FlipPinned(context, request, place);
  pager_.Unpin(*request.source.allocation);
  return status;
}

NTSTATUS Presenter::FlipPinned(Context& context, const PresentRequest& request, FlipPlace& place) {
  DXGKARG_PRESENT args{};
  args.FlipInterval = request.interval;
  args.Flags.Flip = 1;
  args.NumSrcAllocations = 1;
  args.PrivateDriverDataSize = static_cast<UINT>(request.private_data.size());
  args.pPrivateDriverData = request.private_data.empty() ? nullptr : request.private_data.data();
  if (!adapter_.caps().FlipCaps.FlipOnVSyncMmIo) return FlipByDma(context, request, args, place);
  if (const NTSTATUS status = copies_.ValidateFlip(context, request, args); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = LightUp(context, request); !NT_SUCCESS(status)) return status;
  return QueueTo(context, request, place);
}

NTSTATUS Presenter::LightUp(Context& context, const PresentRequest& request) {
  if (modes_.LatestOf(request.vidpn_source) != nullptr) return STATUS_SUCCESS;
  return modes_.SetByFlip(context, request.vidpn_source, *request.source.allocation);
}

NTSTATUS Presenter::QueueTo(Context& context, const PresentRequest& request, FlipPlace& place) {
  owners_.NoteUse(request.vidpn_source, context.device());
  return place.Queue(context.queue(), {request.vidpn_source, request.source.allocation, request.interval, false, request.planes,
                                       request.present_count});
}

NTSTATUS Presenter::FlipByDma(Context& context, const PresentRequest& request, DXGKARG_PRESENT& args, FlipPlace& place) {
  // The flip waits in the pipeline for its vertical blank, unless the driver has a register for flips that are pending.
  args.Flags.FlipWithNoWait = !IsImmediate(request.interval) && adapter_.caps().FlipCaps.FlipOnVSyncWithNoWait ? 1u : 0u;
  if (const NTSTATUS status = LightUp(context, request); !NT_SUCCESS(status)) return status;
  const std::uint32_t modes = CopyBuilder::ModesOf(request);
  const BuildScope build(scheduler_.modes(), modes);
  if (!NT_SUCCESS(build.status())) return build.status();
  if (const NTSTATUS status = copies_.BuildFlip(context, request, modes, args); !NT_SUCCESS(status)) return status;
  owners_.NoteUse(request.vidpn_source, context.device());
  return place.Queue(context.queue(),
                     {request.vidpn_source, request.source.allocation, request.interval, true, nullptr, request.present_count});
}

NTSTATUS Presenter::PresentPlanes(Context& context, const PresentRequest& request, OverlayQuestion& question, FlipPlace& place) {
  PlaneSet& set = *request.planes;
  const auto refuse = [&](NTSTATUS status) {
    set.taken.store(false, std::memory_order_release);
    return status;
  };
  if (const NTSTATUS status = CheckFlip(context, request); !NT_SUCCESS(status)) return refuse(status);
  const bool can_flip = adapter_.ddi().DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 != nullptr;
  if (!can_flip || !adapter_.caps().FlipCaps.FlipOnVSyncMmIo) return refuse(STATUS_NOT_SUPPORTED);
  OverlayAnswer answer;
  if (const NTSTATUS status = overlay_checks_.Ask(question, answer); !NT_SUCCESS(status)) return refuse(status);
  if (!answer.supported) return refuse(STATUS_NOT_SUPPORTED);

  // From the flip on the set may be another present's.
  const std::array<Allocation*, kMaxFlipPlanes> pinned = set.allocations;
  const std::uint32_t count = set.count;
  std::uint32_t done = 0;
  NTSTATUS status = STATUS_SUCCESS;
  for (; done < count && NT_SUCCESS(status); ++done) status = pager_.Pin(*pinned[done]);
  if (!NT_SUCCESS(status)) {
    --done;  // the one that failed
    static_cast<void>(refuse(status));
  } else {
    status = FlipPlanes(context, request, place);
  }
  for (std::uint32_t i = 0; i < done; ++i) pager_.Unpin(*pinned[i]);
  return status;
}

NTSTATUS Presenter::FlipPlanes(Context& context, const PresentRequest& request, FlipPlace& place) {
  PlaneSet& set = *request.planes;
  for (std::uint32_t i = 0; i < set.count; ++i) {
    set.contexts[i].hContext = context.queue().driver_context;
    set.contexts[i].SegmentId = static_cast<WORD>(set.allocations[i]->placement.segment);
    set.contexts[i].SegmentAddress.QuadPart = static_cast<LONGLONG>(set.allocations[i]->placement.address);
  }
  if (const NTSTATUS status = LightUp(context, request); !NT_SUCCESS(status)) {
    set.taken.store(false, std::memory_order_release);
    return status;
  }
  return QueueTo(context, request, place);
}

NTSTATUS Presenter::QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) {
  modes_.NoteFlip(flip.vidpn_source, *flip.allocation);
  shapes_.OnQueued(flip, cookie);
  stats_.OnQueued(flip, cookie);
  return flip_queue_->Queue(flip.vidpn_source, ToFlip(flip, driver_context, cookie));
}

void Presenter::ForgetContext(HANDLE driver_context) {
  if (flip_queue_ != nullptr) flip_queue_->ForgetContext(driver_context);
}

void Presenter::OnFlipRetired(std::uint32_t vidpn_source, const RetiredFlip& retired) {
  shapes_.OnRetired(vidpn_source, retired.cookie);
  stats_.OnRetired(vidpn_source, retired);  // before the fences behind the flip are signalled
  scheduler_.OnFlipRetired(vidpn_source, retired.cookie);
}

NTSTATUS Presenter::StatsOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, D3DKMT_PRESENT_STATS& stats) const {
  if (!HasSource(vidpn_source)) return STATUS_INVALID_PARAMETER;
  stats = stats_.Of(vidpn_source);
  return STATUS_SUCCESS;
}

NTSTATUS Presenter::SetOwner(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device,
                             D3DKMT_VIDPNSOURCEOWNER_TYPE type) {
  if (!HasSource(vidpn_source)) return STATUS_INVALID_PARAMETER;
  return owners_.Set(vidpn_source, device, type);
}

NTSTATUS Presenter::CheckExclusiveOwnership(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
  if (!HasSource(vidpn_source)) return STATUS_INVALID_PARAMETER;
  return owners_.IsExclusive(vidpn_source) ? STATUS_GRAPHICS_PRESENT_OCCLUDED : STATUS_SUCCESS;
}

void Presenter::ReleaseSources(const Device& device) {
  owners_.Release(device);
  for (std::uint32_t id = 0; id < kMaxFlipSources; ++id) {
    if (owners_.TakeUse(id, device)) modes_.SwitchOff(id);
  }
}

void Presenter::ReleaseSurface(const Allocation& allocation) {
  overlay_checks_.DisplayChanged();
  modes_.ForgetPrimary(allocation);
  for (std::uint32_t id = 0; id < kMaxFlipSources; ++id) {
    if (modes_.LatestOf(id) == &allocation) modes_.SwitchOff(id);
  }
  if (scheduler_.uses().Wait(allocation, kReplaceTimeoutNs)) return;
  const std::uint32_t showing = scheduler_.flips().SourcesOf(allocation);
  for (std::uint32_t id = 0; id < kMaxFlipSources; ++id) {
    if ((showing >> id & 1) != 0) modes_.SwitchOff(id);
  }
}

NTSTATUS Presenter::WaitForVerticalBlank(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::int64_t timeout_ns) {
  if (flip_queue_ == nullptr || vidpn_source >= adapter_.vidpn_source_count()) return STATUS_INVALID_PARAMETER;
  return flip_queue_->WaitForVerticalBlank(vidpn_source, timeout_ns);
}

}  // namespace tandem::kernel
