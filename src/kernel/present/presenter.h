// D3DKMTPresent below the handles: copies and fills go to a context's node, flips to the flip queue.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/present/copy_rects.h"
#include "kernel/present/flip_queue.h"
#include "kernel/present/overlay_checks.h"
#include "kernel/present/source_targets.h"
#include "kernel/submit/device.h"
#include "kernel/submit/pager.h"
#include "kernel/submit/render.h"
#include "kernel/submit/scheduler.h"
#include "kernel/submit/scheduler_scopes.h"

namespace tandem::kernel {

class VidPn;

enum class PresentType : std::uint8_t { kCopy, kFill, kFlip };
enum class PresentColorKey : std::uint8_t { kNone, kSource, kDestination };

struct PresentRequest {
  PresentType type = PresentType::kCopy;
  UsedAllocation source;       // not for a fill
  UsedAllocation destination;  // not for a flip
  const RECT* source_rect = nullptr;
  const RECT* destination_rect = nullptr;
  std::span<const RECT> sub_rects;  // in the source
  UINT color = 0;                   // of a fill or a key, A8R8G8B8
  PresentColorKey key = PresentColorKey::kNone;
  bool linear_to_srgb = false;
  bool rotate = false;                              // as the destination's source is rotated
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;  // of a flip
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  PlaneSet* planes = nullptr;  // of a flip of several, taken from TakePlanes(); `source` is the lowest
  bool do_not_wait = false;    // of a flip: a full queue is STATUS_DEVICE_NOT_READY
  bool do_not_flip = false;    // the source is what the screen shows: a queued wait for a vertical blank
  std::span<std::byte> private_data;
};

[[nodiscard]] inline FlipLedger::FullQueue WhenFull(const PresentRequest& flip) {
  return flip.do_not_wait ? FlipLedger::FullQueue::kRefuse : FlipLedger::FullQueue::kWait;
}

// The sets in places of the flip queue, and the one on the screen.
inline constexpr std::size_t kPlaneSetsPerSource = kMaxPendingFlips + 1;

// The flip for the flip queue. `driver_context` is null for a mode change.
[[nodiscard]] Flip ToFlip(const PendingFlip& pending, HANDLE driver_context, std::uint64_t cookie);

// The mode of a source: what its primary is in memory, and how its paths turn the content.
struct SourceMode {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
};

// One per adapter. Threads: any, at PASSIVE_LEVEL. Allocates nothing per present.
class Presenter final : public FlipQueue::Owner, public FlipLedger::Host {
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

  // Commits a VidPN in which the primary's source is rotated so, and scans the primary out. Waits for all presents that were
  // built for the mode before, also those that wait in their contexts. STATUS_INVALID_PARAMETER for what is no primary,
  // STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED for a rotation that the driver does not report,
  // STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER, STATUS_DEVICE_NOT_READY when such a present does not run, an engine does not become
  // idle or the display does not report that it shows the mode before this one, or the driver's; the mode before stays then.
  [[nodiscard]] NTSTATUS SetDisplayMode(const Device& device, Allocation& primary, D3DDDI_ROTATION rotation);

  // As Kernel::SetTargets.
  [[nodiscard]] Result<void> SetTargets(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::span<const SourceTarget> targets);
  // See Kernel::SetVisibility.
  [[nodiscard]] Result<void> SetVisibility(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, bool visible);
  // As Kernel::SetPalette.
  [[nodiscard]] Result<void> SetPalette(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint32_t first,
                                        std::span<const D3DKMDT_PALETTEDATA> entries);
  // Nothing for a source that does not exist or feeds none.
  [[nodiscard]] std::optional<D3DDDI_VIDEO_PRESENT_TARGET_ID> PrimaryTarget(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
    return source_targets_.PrimaryOf(vidpn_source);
  }

  // A name only: it may be gone. Null while the source has no mode.
  [[nodiscard]] const Allocation* PrimaryOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
    return sources_[vidpn_source].primary.load(std::memory_order_acquire);
  }

  // The mode that was committed last; nothing before the first one. Waits for mode changes.
  [[nodiscard]] std::optional<SourceMode> ModeOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

  // `owner` null gives the source up. STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER when another device has it.
  [[nodiscard]] NTSTATUS SetOwner(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device, bool owned);
  void ReleaseOwner(const Device& device);
  // The device goes: the sources that it flipped last are switched off, and nobody owns its sources any more.
  void ReleaseSources(const Device& device);
  // The allocation goes: a source that scans it out, or is about to, is switched off first, unless another surface is about to
  // replace it.
  void ReleaseSurface(const Allocation& allocation);

  // D3DKMTPresentMultiPlaneOverlay3 of a request with planes. STATUS_NOT_SUPPORTED when the driver, asked as overlay checks ask,
  // does not show them; otherwise as a flip.
  [[nodiscard]] NTSTATUS PresentPlanes(Context& context, const PresentRequest& request, OverlayQuestion& question,
                                       FlipPlace& place);
  // The caller has a place in the queue of one of the adapter's sources. It gives back what it does not present.
  [[nodiscard]] PlaneSet& TakePlanes();

  [[nodiscard]] OverlayChecks& overlay_checks() { return overlay_checks_; }

  [[nodiscard]] NTSTATUS WaitForVerticalBlank(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::int64_t timeout_ns);

  void OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie, std::int64_t vsync_time_ns) override;
  NTSTATUS QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) override;
  void ForgetContext(HANDLE driver_context) override;

 private:
  struct Source {
    std::atomic<const Allocation*> latest{nullptr};  // programmed last, on the screen or about to be; null: no mode
    std::atomic<const Device*> owner{nullptr};
    std::atomic<const Device*> user{nullptr};                         // flipped last
    std::atomic<const Allocation*> primary{nullptr};                  // that the mode was committed with
    std::optional<SourceMode> mode;                                   // committed last; guarded by mode_mutex_
    std::atomic<D3DDDI_ROTATION> rotation{D3DDDI_ROTATION_IDENTITY};  // of the committed path
    std::atomic<std::uint64_t> reshaping{0};                          // cookie of the last flip to planes of another shape
    std::atomic<std::uint64_t> shape{0};                              // of what was flipped to last, as ShapeOf() counts
  };

  [[nodiscard]] NTSTATUS PresentToNode(Context& context, const PresentRequest& request);
  // Asks the driver until it has finished, each pass in a DMA buffer of its own. `copy` is null for a flip.
  [[nodiscard]] NTSTATUS RunPasses(Context& context, const PresentRequest& request, const CopyRequest* copy,
                                   DXGKARG_PRESENT& args);
  // The rectangles into the context's scratch list, unless they are there, and into `args`. Under the fill mutex.
  [[nodiscard]] static NTSTATUS FillRects(Context& context, std::uint64_t present, const CopyRequest& copy,
                                          DXGKARG_PRESENT& args);
  // One DMA buffer, from `multipass_offset` on. Under the fill mutex.
  [[nodiscard]] NTSTATUS PresentPass(Context& context, const PresentRequest& request, const DXGKARG_PRESENT& args, Packet& packet,
                                     UINT& multipass_offset);
  [[nodiscard]] NTSTATUS PresentFlip(Context& context, const PresentRequest& request);
  [[nodiscard]] NTSTATUS FlipPinned(Context& context, const PresentRequest& request, FlipPlace& place);
  // DxgkDdiPresent of an MMIO flip.
  [[nodiscard]] NTSTATUS ValidateFlip(Context& context, const PresentRequest& request, DXGKARG_PRESENT args);
  [[nodiscard]] NTSTATUS PlanesPinned(Context& context, const PresentRequest& request, FlipPlace& place);
  [[nodiscard]] NTSTATUS QueueTo(Context& context, const PresentRequest& request, FlipPlace& place);
  [[nodiscard]] NTSTATUS FlipByDma(Context& context, const PresentRequest& request, DXGKARG_PRESENT& args, FlipPlace& place);
  [[nodiscard]] NTSTATUS CheckFlip(Context& context, const PresentRequest& request);
  [[nodiscard]] NTSTATUS SetModeByFlip(Context& context, const PresentRequest& request);
  [[nodiscard]] NTSTATUS Negotiate(VidPn& vidpn);
  [[nodiscard]] NTSTATUS Commit(std::uint32_t vidpn_source, const Allocation& primary, D3DDDI_ROTATION rotation)
      TANDEM_REQUIRES(mode_mutex_);
  // All three of a primary that the caller has pinned; ChangeMode of its source.
  [[nodiscard]] NTSTATUS ChangeMode(Allocation& primary, D3DDDI_ROTATION rotation);
  [[nodiscard]] NTSTATUS ShowMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip)
      TANDEM_REQUIRES(mode_mutex_);
  [[nodiscard]] NTSTATUS ProgramMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip)
      TANDEM_REQUIRES(mode_mutex_);
  void SwitchOff(std::uint32_t vidpn_source);
  // Bit N: the commands of the request depend on the mode of source N.
  [[nodiscard]] static std::uint32_t ModesOf(const PresentRequest& request);
  // Of a primary's source; other surfaces are not turned.
  [[nodiscard]] D3DDDI_ROTATION RotationOf(const Allocation& allocation) const;
  [[nodiscard]] NTSTATUS CallPresent(Context& context, DXGKARG_PRESENT& args);

  Adapter& adapter_;
  Scheduler& scheduler_;
  Pager& pager_;
  OverlayChecks overlay_checks_;
  std::vector<PlaneSet> plane_sets_;  // none where the driver shows one plane
  std::unique_ptr<FlipQueue> flip_queue_;
  SourceTargets source_targets_;  // changed under mode_mutex_
  Mutex mode_mutex_;              // one mode change at a time; what waits under it has a limit
  std::array<Source, kMaxFlipSources> sources_;
};

}  // namespace tandem::kernel
