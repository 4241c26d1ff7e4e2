// The part of Presenter that flips to several planes at once.
#include <algorithm>

#include "base/check.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/present/presenter.h"

namespace tandem::kernel {

PlaneSet& Presenter::TakePlanes() {
  const auto free = std::ranges::find_if(plane_sets_, [](PlaneSet& set) {
    bool expected = false;
    return set.taken.compare_exchange_strong(expected, true, std::memory_order_acq_rel);
  });
  TANDEM_CHECK(free != plane_sets_.end());
  return *free;
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
    status = PlanesPinned(context, request, place);
  }
  for (std::uint32_t i = 0; i < done; ++i) pager_.Unpin(*pinned[i]);
  return status;
}

NTSTATUS Presenter::PlanesPinned(Context& context, const PresentRequest& request, FlipPlace& place) {
  PlaneSet& set = *request.planes;
  for (std::uint32_t i = 0; i < set.count; ++i) {
    set.contexts[i].hContext = context.queue().driver_context;
    set.contexts[i].SegmentId = static_cast<WORD>(set.allocations[i]->placement.segment);
    set.contexts[i].SegmentAddress.QuadPart = static_cast<LONGLONG>(set.allocations[i]->placement.address);
  }
  if (sources_[request.vidpn_source].latest.load(std::memory_order_acquire) == nullptr) {
    if (const NTSTATUS status = SetModeByFlip(context, request); !NT_SUCCESS(status)) {
      set.taken.store(false, std::memory_order_release);
      return status;
    }
  }
  return QueueTo(context, request, place);
}

}  // namespace tandem::kernel
