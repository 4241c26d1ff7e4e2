// D3DKMTPresent below the handles: copies and fills go to a context's node, flips to the flip queue.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel/present/copy_builder.h"
#include "kernel/present/flip_queue.h"
#include "kernel/present/flip_shapes.h"
#include "kernel/present/mode_setter.h"
#include "kernel/present/overlay_checks.h"
#include "kernel/present/plane_pool.h"
#include "kernel/present/present_request.h"
#include "kernel/present/present_stats.h"
#include "kernel/present/source_owners.h"
#include "kernel/submit/device.h"
#include "kernel/submit/pager.h"
#include "kernel/submit/scheduler.h"
#include "kernel/submit/scheduler_scopes.h"

namespace tandem::kernel {

// One per adapter. Threads: any, at PASSIVE_LEVEL. Allocates nothing per present.
class Presenter final : private FlipQueue::Owner, private FlipLedger::Host {
 public:
  // All three outlive the presenter.
  Presenter(Adapter& adapter, Scheduler& scheduler, Pager& pager);
  ~Presenter() override;
  Presenter(const Presenter&) = delete;
  Presenter& operator=(const Presenter&) = delete;

  // A copy or fill waits while all DMA buffers of the context are in use, or the mode of a primary that it names changes; a flip
  // waits while kMaxPendingFlips are pending, unless it is not to, and the first one of a source sets the mode. No lock is held
  // across the two waits that have no limit. STATUS_INVALID_PARAMETER, STATUS_NOT_SUPPORTED (flip capability),
  // STATUS_DEVICE_NOT_READY (kMaxPendingFlips), STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER (source of another device),
  // STATUS_DEVICE_REMOVED, or the driver's. A driver without memory is asked again a few times.
  [[nodiscard]] NTSTATUS Present(Context& context, const PresentRequest& request);
  // D3DKMTPresentMultiPlaneOverlay3 of a request with planes. STATUS_NOT_SUPPORTED when the driver, asked as overlay checks ask,
  // does not show them; otherwise as a flip.
  [[nodiscard]] NTSTATUS PresentPlanes(Context& context, const PresentRequest& request, OverlayQuestion& question,
                                       FlipPlace& place);

  [[nodiscard]] ModeSetter& modes() { return modes_; }
  [[nodiscard]] PlanePool& planes() { return planes_; }
  [[nodiscard]] OverlayChecks& overlay_checks() { return overlay_checks_; }

  // SourceOwners::Set for a source that exists; STATUS_INVALID_PARAMETER for another one.
  [[nodiscard]] NTSTATUS SetOwner(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device,
                                  D3DKMT_VIDPNSOURCEOWNER_TYPE type);
  // STATUS_GRAPHICS_PRESENT_OCCLUDED for a source that a device has for itself.
  [[nodiscard]] NTSTATUS CheckExclusiveOwnership(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const;
  void ReleaseOwner(const Device& device) { owners_.Release(device); }
  // The device goes: the sources that it flipped last are switched off, and nobody owns its sources any more.
  void ReleaseSources(const Device& device);
  // The allocation goes: a source that scans it out, or is about to, is switched off first, unless another surface is about to
  // replace it.
  void ReleaseSurface(const Allocation& allocation);

  // STATUS_INVALID_PARAMETER for a source that does not exist.
  [[nodiscard]] NTSTATUS StatsOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, D3DKMT_PRESENT_STATS& stats) const;
  [[nodiscard]] NTSTATUS WaitForVerticalBlank(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::int64_t timeout_ns);

 private:
  [[nodiscard]] bool HasSource(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const;
  [[nodiscard]] NTSTATUS CheckFlip(Context& context, const PresentRequest& request);
  [[nodiscard]] NTSTATUS PresentFlip(Context& context, const PresentRequest& request);
  // The surfaces of the request are pinned in the four below.
  [[nodiscard]] NTSTATUS FlipPinned(Context& context, const PresentRequest& request, FlipPlace& place);
  [[nodiscard]] NTSTATUS FlipPlanes(Context& context, const PresentRequest& request, FlipPlace& place);
  [[nodiscard]] NTSTATUS FlipByDma(Context& context, const PresentRequest& request, DXGKARG_PRESENT& args, FlipPlace& place);
  // Sets the mode of a dark source.
  [[nodiscard]] NTSTATUS LightUp(Context& context, const PresentRequest& request);
  [[nodiscard]] NTSTATUS QueueTo(Context& context, const PresentRequest& request, FlipPlace& place);

  // FlipQueue::Owner
  void OnFlipRetired(std::uint32_t vidpn_source, const RetiredFlip& retired) override;
  // FlipLedger::Host
  NTSTATUS QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) override;
  void ForgetContext(HANDLE driver_context) override;

  Adapter& adapter_;
  Scheduler& scheduler_;
  Pager& pager_;
  OverlayChecks overlay_checks_;
  FlipShapes shapes_;
  PresentStats stats_;
  SourceOwners owners_;
  PlanePool planes_;                       // empty where the driver shows one plane
  std::unique_ptr<FlipQueue> flip_queue_;  // null without sources
  ModeSetter modes_;
  CopyBuilder copies_;
};

}  // namespace tandem::kernel
