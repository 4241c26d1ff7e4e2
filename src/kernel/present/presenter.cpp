#include "kernel/present/presenter.h"

#include <algorithm>

#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {
namespace {

// How long a surface that goes may stay on the screen until the flip behind it replaces it: more than any depth of flips takes.

bool IsImmediate(D3DDDI_FLIPINTERVAL_TYPE interval) {
  return interval == D3DDDI_FLIPINTERVAL_IMMEDIATE || interval == D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING;
}

// What a display controller reads: equal for flips that are alike to it. Never 0.
std::uint64_t ShapeOf(const PendingFlip& flip) {
  std::uint64_t shape = 0xCBF29CE484222325;  // FNV-1a
  const auto add = [&](std::uint64_t value) { shape = (shape ^ value) * 0x100000001B3; };
  const auto add_rect = [&](const RECT& rect) {
    for (const LONG edge : {rect.left, rect.top, rect.right, rect.bottom}) add(static_cast<std::uint64_t>(edge));
  };
  const auto add_surface = [&](const Allocation& surface) {
    add(surface.description.width);
    add(surface.description.height);
    add(static_cast<std::uint64_t>(surface.description.format));
    add(surface.placement.segment);
  };
  if (flip.planes == nullptr) {
    add_surface(*flip.allocation);
    return shape | 1;
  }
  for (std::uint32_t i = 0; i < flip.planes->count; ++i) {
    const DXGK_MULTIPLANE_OVERLAY_PLANE3& plane = flip.planes->planes[i];
    add_surface(*flip.planes->allocations[i]);
    add(plane.LayerIndex);
    add_rect(plane.PlaneAttributes.SrcRect);
    add_rect(plane.PlaneAttributes.DstRect);
    add(static_cast<std::uint64_t>(plane.PlaneAttributes.Rotation));
  }
  return shape | 1;
}

}  // namespace

Flip ToFlip(const PendingFlip& pending, HANDLE driver_context, std::uint64_t cookie) {
  Flip flip;
  flip.context = driver_context;
  flip.allocation = pending.allocation->driver_handle;
  flip.segment = pending.allocation->placement.segment;
  flip.address = pending.allocation->placement.address;
  flip.interval = pending.interval;
  flip.cookie = cookie;
  flip.in_dma = pending.in_dma;
  flip.planes = pending.planes;
  return flip;
}

Presenter::Presenter(Adapter& adapter, Scheduler& scheduler, Pager& pager)
    : adapter_(adapter),
      scheduler_(scheduler),
      pager_(pager),
      overlay_checks_(adapter),
      source_targets_(adapter.vidpn_source_count(), adapter.targets()) {
  if (adapter.caps().SupportMultiPlaneOverlay)
    plane_sets_ = std::vector<PlaneSet>(std::min(adapter.vidpn_source_count(), kMaxFlipSources) * kPlaneSetsPerSource);
  if (adapter.vidpn_source_count() != 0) flip_queue_ = FlipQueue::Create(adapter, *this);
  scheduler_.flips().SetHost(this);
}

Presenter::~Presenter() {
  scheduler_.flips().SetHost(nullptr);
  for (std::uint32_t source = 0; source < kMaxFlipSources; ++source) {
    if (sources_[source].latest.exchange(nullptr) != nullptr) static_cast<void>(flip_queue_->SetVisibility(source, false));
  }
}

NTSTATUS Presenter::Present(Context& context, const PresentRequest& request) {
  return request.type == PresentType::kFlip ? PresentFlip(context, request) : PresentToNode(context, request);
}

NTSTATUS Presenter::CheckFlip(Context& context, const PresentRequest& request) {
  if (flip_queue_ == nullptr || request.vidpn_source >= adapter_.vidpn_source_count() ||
      request.vidpn_source >= kMaxFlipSources) {
    return STATUS_INVALID_PARAMETER;
  }
  const DXGK_FLIPCAPS& caps = adapter_.caps().FlipCaps;
  if (request.interval < D3DDDI_FLIPINTERVAL_IMMEDIATE || request.interval > D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING) {
    return STATUS_INVALID_PARAMETER;
  }
  // Flips in DMA buffers are immediate whenever they are asked to be.
  if (caps.FlipOnVSyncMmIo && IsImmediate(request.interval) && !caps.FlipImmediateMmIo) return STATUS_NOT_SUPPORTED;
  if (!IsImmediate(request.interval) && request.interval > D3DDDI_FLIPINTERVAL_ONE && !caps.FlipInterval)
    return STATUS_NOT_SUPPORTED;
  const Source& source = sources_[request.vidpn_source];
  if (request.do_not_flip && source.latest.load(std::memory_order_acquire) != request.source.allocation) {
    return STATUS_INVALID_PARAMETER;
  }
  const Device* owner = source.owner.load(std::memory_order_acquire);
  if (owner != nullptr && owner != &context.device()) return STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER;
  return STATUS_SUCCESS;
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
  if (const NTSTATUS status = ValidateFlip(context, request, args); !NT_SUCCESS(status)) return status;

  if (sources_[request.vidpn_source].latest.load(std::memory_order_acquire) == nullptr) {
    if (const NTSTATUS status = SetModeByFlip(context, request); !NT_SUCCESS(status)) return status;
  }
  return QueueTo(context, request, place);
}

NTSTATUS Presenter::QueueTo(Context& context, const PresentRequest& request, FlipPlace& place) {
  sources_[request.vidpn_source].user.store(&context.device(), std::memory_order_release);
  return place.Queue(context.queue(), {request.vidpn_source, request.source.allocation, request.interval, false, request.planes});
}

NTSTATUS Presenter::FlipByDma(Context& context, const PresentRequest& request, DXGKARG_PRESENT& args, FlipPlace& place) {
  // The flip waits in the pipeline for its vertical blank, unless the driver has a register for flips that are pending.
  args.Flags.FlipWithNoWait = !IsImmediate(request.interval) && adapter_.caps().FlipCaps.FlipOnVSyncWithNoWait ? 1u : 0u;
  Source& source = sources_[request.vidpn_source];
  if (source.latest.load(std::memory_order_acquire) == nullptr) {
    if (const NTSTATUS status = SetModeByFlip(context, request); !NT_SUCCESS(status)) return status;
  }
  const BuildScope build(scheduler_.modes(), ModesOf(request));
  if (!NT_SUCCESS(build.status())) return build.status();
  if (const NTSTATUS status = RunPasses(context, request, nullptr, args); !NT_SUCCESS(status)) return status;
  source.user.store(&context.device(), std::memory_order_release);
  return place.Queue(context.queue(), {request.vidpn_source, request.source.allocation, request.interval, true, nullptr});
}

NTSTATUS Presenter::QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) {
  Source& source = sources_[flip.vidpn_source];
  source.latest.store(flip.allocation, std::memory_order_release);
  const std::uint64_t shape = ShapeOf(flip);
  if (source.shape.exchange(shape, std::memory_order_acq_rel) != shape) {
    source.reshaping.store(cookie, std::memory_order_release);
    overlay_checks_.DisplayChanged();
  }
  return flip_queue_->Queue(flip.vidpn_source, ToFlip(flip, driver_context, cookie));
}

void Presenter::ForgetContext(HANDLE driver_context) {
  if (flip_queue_ != nullptr) flip_queue_->ForgetContext(driver_context);
}

void Presenter::OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie, std::int64_t /*vsync_time_ns*/) {
  // The driver counts the new shape from here on, at the latest.
  if (cookie <= sources_[vidpn_source].reshaping.load(std::memory_order_acquire)) overlay_checks_.DisplayChanged();
  scheduler_.OnFlipRetired(vidpn_source, cookie);
}

NTSTATUS Presenter::SetOwner(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device, bool owned) {
  if (vidpn_source >= adapter_.vidpn_source_count() || vidpn_source >= kMaxFlipSources) return STATUS_INVALID_PARAMETER;
  std::atomic<const Device*>& owner = sources_[vidpn_source].owner;
  const Device* expected = owned ? nullptr : &device;
  if (owner.compare_exchange_strong(expected, owned ? &device : nullptr)) return STATUS_SUCCESS;
  return (owned ? expected == &device : expected == nullptr) ? STATUS_SUCCESS : STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER;
}

void Presenter::ReleaseOwner(const Device& device) {
  for (Source& source : sources_) {
    const Device* expected = &device;
    source.owner.compare_exchange_strong(expected, nullptr);
  }
}

void Presenter::ReleaseSources(const Device& device) {
  ReleaseOwner(device);
  for (std::uint32_t id = 0; id < kMaxFlipSources; ++id) {
    const Device* expected = &device;
    if (sources_[id].user.compare_exchange_strong(expected, nullptr)) SwitchOff(id);
  }
}

void Presenter::ReleaseSurface(const Allocation& allocation) {
  overlay_checks_.DisplayChanged();
  for (Source& source : sources_) {
    const Allocation* expected = &allocation;
    source.primary.compare_exchange_strong(expected, nullptr);
  }
  for (std::uint32_t id = 0; id < kMaxFlipSources; ++id) {
    if (sources_[id].latest.load(std::memory_order_acquire) == &allocation) SwitchOff(id);
  }
  if (scheduler_.uses().Wait(allocation, kReplaceTimeoutNs)) return;
  const std::uint32_t showing = scheduler_.flips().SourcesOf(allocation);
  for (std::uint32_t id = 0; id < kMaxFlipSources; ++id) {
    if ((showing >> id & 1) != 0) SwitchOff(id);
  }
}

NTSTATUS Presenter::WaitForVerticalBlank(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::int64_t timeout_ns) {
  if (flip_queue_ == nullptr || vidpn_source >= adapter_.vidpn_source_count()) return STATUS_INVALID_PARAMETER;
  return flip_queue_->WaitForVerticalBlank(vidpn_source, timeout_ns);
}

}  // namespace tandem::kernel
