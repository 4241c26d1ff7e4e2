#include "kernel/present/mode_setter.h"

#include <algorithm>
#include <vector>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/present/mode_commit.h"
#include "kernel/submit/scheduler_scopes.h"

namespace tandem::kernel {
namespace {

// Time that the mode set of a source waits for the picture that it will show. It is longer than an engine may hang, so only a
// fence that nobody signals takes it up.
constexpr std::int64_t kFirstPictureTimeoutNs = 5'000'000'000;

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

ModeSetter::ModeSetter(Adapter& adapter, Scheduler& scheduler, Pager& pager, const ModeSetterParts& parts)
    : adapter_(adapter),
      scheduler_(scheduler),
      pager_(pager),
      flip_queue_(parts.flip_queue),
      owners_(parts.owners),
      shapes_(parts.shapes),
      overlay_checks_(parts.overlay_checks),
      source_targets_(adapter.vidpn_source_count(), adapter.targets()),
      unseen_blanks_(adapter.clock(), parts.flip_queue) {
  for (std::uint32_t source = 0; source < kMaxFlipSources; ++source) SetUnplugged(source, IsUnplugged(source));
}

ModeSetter::~ModeSetter() {
  for (std::uint32_t source = 0; source < kMaxFlipSources; ++source) {
    if (sources_[source].latest.exchange(nullptr) != nullptr) static_cast<void>(flip_queue_->SetVisibility(source, false));
  }
}

void ModeSetter::ForgetPrimary(const Allocation& allocation) {
  for (Source& source : sources_) {
    const Allocation* expected = &allocation;
    source.primary.compare_exchange_strong(expected, nullptr);
  }
}

D3DDDI_ROTATION ModeSetter::RotationOf(const Allocation& allocation) const {
  if (!allocation.primary || allocation.vidpn_source >= kMaxFlipSources) return D3DDDI_ROTATION_IDENTITY;
  return sources_[allocation.vidpn_source].rotation.load(std::memory_order_acquire);
}

NTSTATUS ModeSetter::Commit(std::uint32_t vidpn_source, const Allocation& primary, D3DDDI_ROTATION rotation) {
  const std::vector<SourceTarget> targets = PluggedTargets(vidpn_source);
  if (IsUnplugged(vidpn_source)) return STATUS_GRAPHICS_MONITOR_NOT_CONNECTED;
  const std::vector<PinnedSource> others = OtherModes(vidpn_source);
  const SurfaceDescription& surface = primary.description;
  ModeCommit commit(adapter_);
  NTSTATUS status = commit.Negotiate(others, {vidpn_source, targets, surface.width, surface.height, surface.format, rotation});
  if (!NT_SUCCESS(status)) return status;
  const bool visible = LatestOf(vidpn_source) != nullptr;
  if (visible) status = flip_queue_->SetVisibility(vidpn_source, false);
  if (NT_SUCCESS(status)) status = commit.Commit(primary.driver_handle);
  if (!NT_SUCCESS(status)) {
    if (visible) static_cast<void>(flip_queue_->SetVisibility(vidpn_source, true));
    return status;
  }
  Source& source = sources_[vidpn_source];
  source.pinned = commit.Pinned();
  source.mode = {surface.width, surface.height, surface.format, rotation};
  source.rotation.store(rotation, std::memory_order_release);
  source.primary.store(&primary, std::memory_order_release);
  overlay_checks_.DisplayChanged();
  return STATUS_SUCCESS;
}

std::optional<SourceMode> ModeSetter::ModeOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const MutexLock lock(mode_mutex_);
  return sources_[vidpn_source].mode;
}

NTSTATUS ModeSetter::ShowMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip) {
  NTSTATUS status = ProgramMode(vidpn_source, primary, first_flip);
  if (!NT_SUCCESS(status)) return status;
  status = flip_queue_->SetVisibility(vidpn_source, true);
  if (!NT_SUCCESS(status)) {
    scheduler_.DropFlips(vidpn_source);
    return status;
  }
  sources_[vidpn_source].latest.store(&primary, std::memory_order_release);
  shapes_.OnModeShown(vidpn_source);
  return STATUS_SUCCESS;
}

NTSTATUS ModeSetter::ProgramMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip) {
  // Flips that are issued behind the mode change are not to be programmed before it.
  flip_queue_->HoldFlips(vidpn_source);
  std::uint64_t cookie = 0;
  NTSTATUS status = scheduler_.flips().IssueMode(vidpn_source, primary, cookie);
  if (NT_SUCCESS(status)) {
    const PendingFlip surface{vidpn_source, &primary, D3DDDI_FLIPINTERVAL_ONE, false, nullptr};
    status = flip_queue_->SetMode(vidpn_source, ToFlip(surface, nullptr, cookie), first_flip);
    if (!NT_SUCCESS(status)) scheduler_.flips().CancelMode(vidpn_source);
  }
  flip_queue_->ReleaseFlips(vidpn_source);
  return status;
}

NTSTATUS ModeSetter::SetByFlip(Context& context, std::uint32_t vidpn_source, Allocation& surface) {
  // The mode shows the surface at once, so what draws it should be done; a picture that never comes must not keep the screen
  // dark. A picture that is known to be done is not shown twice.
  const NTSTATUS drawn = scheduler_.WaitForPackets(context.queue(), kFirstPictureTimeoutNs);
  if (drawn == STATUS_DEVICE_REMOVED) return drawn;
  const auto first_flip = NT_SUCCESS(drawn) && scheduler_.IsIdle(context.queue()) ? FlipQueue::FirstFlip::kIsTheModeChange
                                                                                  : FlipQueue::FirstFlip::kIsProgrammed;
  const Source& source = sources_[vidpn_source];
  // The mode that is committed here turns nothing. Where the one before did, what was built for it runs first.
  const auto is_turned = [&] { return source.rotation.load(std::memory_order_acquire) != D3DDDI_ROTATION_IDENTITY; };
  std::optional<ModeChangeScope> change;
  if (is_turned() && !NT_SUCCESS(change.emplace(scheduler_.modes(), vidpn_source).status())) return change->status();
  const MutexLock lock(mode_mutex_);
  if (source.latest.load(std::memory_order_acquire) != nullptr) return STATUS_SUCCESS;
  if (source.unplugged.load(std::memory_order_acquire)) {  // nobody sees it; a monitor that comes shows the latest flip
    sources_[vidpn_source].latest.store(&surface, std::memory_order_release);
    return STATUS_SUCCESS;
  }
  if (is_turned() && !change) return STATUS_DEVICE_NOT_READY;  // another mode came and went meanwhile
  const IdleScope idle(scheduler_.dispatcher());
  if (!NT_SUCCESS(idle.status())) return idle.status();
  if (source.primary.load(std::memory_order_acquire) == nullptr) {
    const NTSTATUS status = Commit(vidpn_source, surface, D3DDDI_ROTATION_IDENTITY);
    if (!NT_SUCCESS(status)) return status;
  }
  return ShowMode(vidpn_source, surface, first_flip);
}

Result<void> ModeSetter::SetTargets(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::span<const SourceTarget> targets) {
  if (flip_queue_ == nullptr || vidpn_source >= adapter_.vidpn_source_count()) {
    return Fail(ErrorKind::kNotFound, "Source {} is not one of the adapter's {}.", vidpn_source, adapter_.vidpn_source_count());
  }
  if (auto sane = source_targets_.Check(targets); !sane.ok()) return sane;
  const MutexLock lock(mode_mutex_);
  const auto feeds_one = [&](std::uint32_t source) {
    const std::vector<SourceTarget> own = source_targets_.Of(source);
    return std::any_of(own.begin(), own.end(), [&](const SourceTarget& target) {
      return std::any_of(targets.begin(), targets.end(),
                         [&](const SourceTarget& other) { return other.target == target.target; });
    });
  };
  const std::uint32_t sources = std::min(adapter_.vidpn_source_count(), kMaxFlipSources);
  for (std::uint32_t source = 0; source < sources; ++source) {
    if (sources_[source].latest.load(std::memory_order_acquire) != nullptr && (source == vidpn_source || feeds_one(source))) {
      return Fail(ErrorKind::kInvalidArgument, "Source {} shows a surface; its targets cannot change.", source);
    }
  }
  source_targets_.Set(vidpn_source, targets);
  for (std::uint32_t source = 0; source < sources; ++source) {
    std::vector<std::uint32_t> ids;
    for (const SourceTarget& target : PluggedTargets(source)) ids.push_back(target.target);
    if (sources_[source].latest.load(std::memory_order_acquire) == nullptr) flip_queue_->SetTargets(source, ids);
    SetUnplugged(source, IsUnplugged(source));
  }
  sources_[vidpn_source].primary.store(nullptr, std::memory_order_release);  // the next mode is committed anew
  return {};
}

Result<void> ModeSetter::SetVisibility(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, bool visible) {
  if (vidpn_source >= adapter_.vidpn_source_count() || vidpn_source >= kMaxFlipSources)
    return Fail(ErrorKind::kNotFound, "Source {} is not one of the adapter's {}.", vidpn_source, adapter_.vidpn_source_count());
  const MutexLock lock(mode_mutex_);
  if (sources_[vidpn_source].latest.load(std::memory_order_acquire) == nullptr) return {};
  if (sources_[vidpn_source].unplugged.load(std::memory_order_acquire)) return {};
  const NTSTATUS status = flip_queue_->SetVisibility(vidpn_source, visible);
  if (NT_SUCCESS(status)) return {};
  return Fail(ErrorKind::kDeviceLost, "DxgkDdiSetVidPnSourceVisibility answered 0x{:08X}.", static_cast<std::uint32_t>(status));
}

Result<void> ModeSetter::SetPalette(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint32_t first,
                                    std::span<const D3DKMDT_PALETTEDATA> entries) {
  if (vidpn_source >= adapter_.vidpn_source_count())
    return Fail(ErrorKind::kNotFound, "Source {} is not one of the adapter's {}.", vidpn_source, adapter_.vidpn_source_count());
  if (entries.empty() || first >= kPaletteEntries || entries.size() > kPaletteEntries - first) {
    return Fail(ErrorKind::kInvalidArgument, "{} palette entries from {} on are not within {}.", entries.size(), first,
                kPaletteEntries);
  }
  const IdleScope idle(scheduler_.dispatcher());
  if (!NT_SUCCESS(idle.status())) {
    return Fail(idle.status() == STATUS_DEVICE_REMOVED ? ErrorKind::kDeviceLost : ErrorKind::kTimeout,
                "The adapter is not idle after {} s.", kIdleTimeoutNs / 1'000'000'000);
  }
  std::vector<D3DKMDT_PALETTEDATA> table(entries.begin(), entries.end());
  DXGKARG_SETPALETTE args{vidpn_source, first, static_cast<UINT>(table.size()), table.data()};
  const NTSTATUS status = CallDdi(adapter_, Ddi::kSetPalette, adapter_.ddi().DxgkDdiSetPalette, adapter_.miniport_context(),
                                  static_cast<const DXGKARG_SETPALETTE*>(&args));
  if (NT_SUCCESS(status)) return {};
  return Fail(status == STATUS_DEVICE_REMOVED ? ErrorKind::kDeviceLost : ErrorKind::kUnsupported,
              "DxgkDdiSetPalette answered {}.", StatusText(status));
}

NTSTATUS ModeSetter::SetDisplayMode(const Device& device, Allocation& primary, D3DDDI_ROTATION rotation) {
  const std::uint32_t vidpn_source = primary.vidpn_source;
  if (!primary.primary || flip_queue_ == nullptr || vidpn_source >= adapter_.vidpn_source_count() ||
      vidpn_source >= kMaxFlipSources || rotation < D3DDDI_ROTATION_IDENTITY || rotation > D3DDDI_ROTATION_270) {
    return STATUS_INVALID_PARAMETER;
  }
  if (const NTSTATUS status = owners_.Check(vidpn_source, device); !NT_SUCCESS(status)) return status;
  const ModeChangeScope change(scheduler_.modes(), vidpn_source);
  if (!NT_SUCCESS(change.status())) return change.status();
  if (const NTSTATUS status = pager_.Pin(primary); !NT_SUCCESS(status)) return status;
  const NTSTATUS status = ChangeMode(primary, rotation);
  pager_.Unpin(primary);  // as long as it is shown the mode change has it pinned
  if (NT_SUCCESS(status)) owners_.NoteUse(vidpn_source, device);
  return status;
}

NTSTATUS ModeSetter::ChangeMode(Allocation& primary, D3DDDI_ROTATION rotation) {
  const MutexLock lock(mode_mutex_);
  if (const NTSTATUS status = scheduler_.flips().AwaitMode(primary.vidpn_source); !NT_SUCCESS(status)) return status;
  const IdleScope idle(scheduler_.dispatcher());
  if (!NT_SUCCESS(idle.status())) return idle.status();
  if (const NTSTATUS status = Commit(primary.vidpn_source, primary, rotation); !NT_SUCCESS(status)) return status;
  return ShowMode(primary.vidpn_source, primary, FlipQueue::FirstFlip::kIsProgrammed);
}

void ModeSetter::SwitchOff(std::uint32_t vidpn_source) {
  const MutexLock lock(mode_mutex_);
  if (sources_[vidpn_source].latest.exchange(nullptr, std::memory_order_acq_rel) != nullptr) {
    const IdleScope idle(scheduler_.dispatcher());  // or nearly: a source that shows what goes is switched off in any case
    static_cast<void>(flip_queue_->SetVisibility(vidpn_source, false));
    overlay_checks_.DisplayChanged();
  }
  scheduler_.DropFlips(vidpn_source);
}

}  // namespace tandem::kernel
