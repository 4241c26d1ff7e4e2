// Display modes: the primary that a source scans out, the rotation of its path, and sources that are dark.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "kernel/kernel.h"
#include "kernel/present/flip_queue.h"
#include "kernel/present/flip_shapes.h"
#include "kernel/present/mode_commit.h"
#include "kernel/present/overlay_checks.h"
#include "kernel/present/source_owners.h"
#include "kernel/present/source_targets.h"
#include "kernel/present/unseen_blanks.h"
#include "kernel/submit/device.h"
#include "kernel/submit/pager.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

// The flip for the flip queue. `driver_context` is null for a mode change.
[[nodiscard]] Flip ToFlip(const PendingFlip& pending, HANDLE driver_context, std::uint64_t cookie);

// The mode of a source: what its primary is in memory, and how its paths turn the content.
struct SourceMode {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
};

// All four outlive the mode setter. An adapter without sources has no flip queue.
struct ModeSetterParts {
  FlipQueue* flip_queue;
  SourceOwners& owners;
  FlipShapes& shapes;
  OverlayChecks& overlay_checks;
};

// One per adapter. Threads: any, at PASSIVE_LEVEL unless said.
class ModeSetter {
 public:
  // All three outlive the object.
  ModeSetter(Adapter& adapter, Scheduler& scheduler, Pager& pager, const ModeSetterParts& parts);
  // Switches all sources off.
  ~ModeSetter();
  ModeSetter(const ModeSetter&) = delete;
  ModeSetter& operator=(const ModeSetter&) = delete;

  // Commits a VidPN in which the primary's source is rotated so, and scans the primary out. Waits for all presents that were
  // built for the mode before, also those that wait in their contexts. STATUS_INVALID_PARAMETER for what is no primary,
  // STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED for a rotation that the driver does not report,
  // STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER, or the driver's. STATUS_DEVICE_NOT_READY when such a present does not run, an
  // engine stays busy, or the display does not report the mode before. On failure the mode before stays.
  [[nodiscard]] NTSTATUS SetDisplayMode(const Device& device, Allocation& primary, D3DDDI_ROTATION rotation);
  // The first flip of a dark source sets the mode to `surface`, which the caller has pinned. Waits a while for the picture of the
  // context. STATUS_SUCCESS also when another thread was first.
  [[nodiscard]] NTSTATUS SetByFlip(Context& context, std::uint32_t vidpn_source, Allocation& surface);

  // See Kernel::SetTargets.
  [[nodiscard]] Result<void> SetTargets(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::span<const SourceTarget> targets);
  // See Kernel::ClosestMode.
  [[nodiscard]] Result<SourceModeOffer> ClosestMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint32_t width,
                                                    std::uint32_t height);
  // See Kernel::SetVisibility.
  [[nodiscard]] Result<void> SetVisibility(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, bool visible);
  // See Kernel::SetPalette.
  [[nodiscard]] Result<void> SetPalette(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint32_t first,
                                        std::span<const D3DKMDT_PALETTEDATA> entries);

  // Gives the paths of a source that shows something a gamma ramp, until its next mode; errors: kernel::SetGammaRamp's,
  // STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY for a source without a mode or a monitor, STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER,
  // STATUS_DEVICE_NOT_READY when the adapter stays busy.
  [[nodiscard]] NTSTATUS SetGammaRamp(const Device& device, std::uint32_t vidpn_source, const D3DKMDT_GAMMA_RAMP& ramp);
  // Asks the driver which VidPN it recommends, and connects sources and targets so. Sizes and rotations stay those of the
  // primaries. Errors: AskForVidPn's, STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED for a VidPN without a source that shows
  // something, STATUS_DEVICE_NOT_READY when the adapter stays busy; nothing has changed then.
  [[nodiscard]] NTSTATUS InvalidateActiveVidPn(std::span<std::byte> private_data);

  // The monitor of a target came, changed or went. A source whose last monitor went becomes dark and leaves the VidPN; vertical
  // blanks that the kernel plays retire its flips, and its mode comes back with a monitor. Other modes are committed anew for the
  // monitors that are there.
  void OnMonitorChanged(ULONG target);

  // The source becomes dark, and its flips end.
  void SwitchOff(std::uint32_t vidpn_source);
  // The allocation goes: the next mode of a source that was committed with it is committed anew.
  void ForgetPrimary(const Allocation& allocation);

  // Nothing for a source that does not exist or feeds none.
  [[nodiscard]] std::optional<D3DDDI_VIDEO_PRESENT_TARGET_ID> PrimaryTarget(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
    return source_targets_.PrimaryOf(vidpn_source);
  }
  // The allocation that the mode was committed with, by name only: it may be gone. Null while the source has no mode.
  [[nodiscard]] const Allocation* PrimaryOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
    return sources_[vidpn_source].primary.load(std::memory_order_acquire);
  }
  // The mode that was committed last; nothing before the first one. Waits for mode changes.
  [[nodiscard]] std::optional<SourceMode> ModeOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  // The rotation of a primary's source; other surfaces are not rotated.
  [[nodiscard]] D3DDDI_ROTATION RotationOf(const Allocation& allocation) const;

  // The surface that was programmed last, by name only. Null: the source is dark.
  [[nodiscard]] const Allocation* LatestOf(std::uint32_t vidpn_source) const {
    return sources_[vidpn_source].latest.load(std::memory_order_acquire);
  }
  // A flip to `surface` is about to be queued. Any IRQL, under any lock.
  void NoteFlip(std::uint32_t vidpn_source, Allocation& surface) {
    sources_[vidpn_source].latest.store(&surface, std::memory_order_release);
  }

 private:
  struct Source {
    std::atomic<Allocation*> latest{nullptr};
    std::atomic<const Allocation*> primary{nullptr};
    std::optional<SourceMode> mode;                                   // guarded by mode_mutex_
    std::optional<PinnedSource> pinned;                               // guarded by mode_mutex_
    std::atomic<D3DDDI_ROTATION> rotation{D3DDDI_ROTATION_IDENTITY};  // the committed path's
    std::atomic<bool> unplugged{false};                               // no target of it has a monitor
  };

  struct ChangingSource {
    std::uint32_t source = 0;
    Allocation* latest = nullptr;  // the surface that was programmed last, in use; null: the source is dark
    bool pinned = false;           // `latest` stays in memory
  };

  // The targets of a source that have a monitor, the primary one first.
  [[nodiscard]] std::vector<SourceTarget> PluggedTargets(std::uint32_t vidpn_source) const;
  // True if the source has targets, and none of them a monitor.
  [[nodiscard]] bool IsUnplugged(std::uint32_t vidpn_source) const;
  void SetUnplugged(std::uint32_t vidpn_source, bool unplugged);
  // Other sources that show something.
  [[nodiscard]] std::vector<PinnedSource> OtherModes(std::uint32_t vidpn_source) const TANDEM_REQUIRES(mode_mutex_);
  // The monitors of a source changed.
  void FollowMonitors(std::uint32_t vidpn_source) TANDEM_REQUIRES(mode_mutex_);
  // A source whose paths change, in this order. The adapter is idle in the middle two; Reconnect() shows the latest surface on
  // the targets that the source has then, or blanks a source that has none with a monitor.
  [[nodiscard]] ChangingSource BeginChange(std::uint32_t vidpn_source) TANDEM_REQUIRES(mode_mutex_);
  void GoDark(const ChangingSource& changing) TANDEM_REQUIRES(mode_mutex_);
  void Reconnect(const ChangingSource& changing) TANDEM_REQUIRES(mode_mutex_);
  void EndChange(const ChangingSource& changing) TANDEM_REQUIRES(mode_mutex_);
  // STATUS_DEVICE_NOT_READY, and nothing changed, when the adapter stays busy or the display does not report the mode before.
  [[nodiscard]] NTSTATUS Take(const std::vector<PinnedSource>& recommended) TANDEM_REQUIRES(mode_mutex_);
  // The source is dark and the adapter idle in the two below.
  void TakeOff(std::uint32_t vidpn_source) TANDEM_REQUIRES(mode_mutex_);
  void ComeBack(std::uint32_t vidpn_source, Allocation& surface) TANDEM_REQUIRES(mode_mutex_);
  // The caller has pinned the primary in the four below.
  [[nodiscard]] NTSTATUS ChangeMode(Allocation& primary, D3DDDI_ROTATION rotation);
  [[nodiscard]] NTSTATUS Commit(std::uint32_t vidpn_source, const Allocation& primary, D3DDDI_ROTATION rotation)
      TANDEM_REQUIRES(mode_mutex_);
  [[nodiscard]] NTSTATUS ShowMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip)
      TANDEM_REQUIRES(mode_mutex_);
  [[nodiscard]] NTSTATUS ProgramMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip)
      TANDEM_REQUIRES(mode_mutex_);

  Adapter& adapter_;
  Scheduler& scheduler_;
  Pager& pager_;
  FlipQueue* const flip_queue_;
  SourceOwners& owners_;
  FlipShapes& shapes_;
  OverlayChecks& overlay_checks_;
  SourceTargets source_targets_;  // changed under mode_mutex_
  Mutex mode_mutex_;              // one mode change at a time; waits under it have a limit
  std::array<Source, kMaxFlipSources> sources_;
  UnseenBlanks unseen_blanks_;
};

}  // namespace tandem::kernel
