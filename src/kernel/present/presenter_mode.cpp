// The part of Presenter that sets display modes: which primary a source scans out, how its path is rotated, and when it is dark.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/adapter/vidpn.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/present/presenter.h"

namespace tandem::kernel {
namespace {

// How long the mode set of a source waits for the picture that it will show: longer than an engine may hang, so only a fence that
// nobody signals takes it up.
constexpr std::int64_t kFirstPictureTimeoutNs = 5'000'000'000;

// D3DKMDT_VPPR_* counts the rotation of the content within that of the offset, both from 1.
D3DKMDT_VIDPN_PRESENT_PATH_ROTATION ToPathRotation(D3DDDI_ROTATION content, D3DDDI_ROTATION offset) {
  return static_cast<D3DKMDT_VIDPN_PRESENT_PATH_ROTATION>(content + 4 * (offset - D3DDDI_ROTATION_IDENTITY));
}

// Drivers from before offsets report no Offset0.
bool IsSupported(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  const D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation = path.ContentTransformation.Rotation;
  const UINT support = path.ContentTransformation.RotationSupport.Value;
  const auto content = static_cast<UINT>(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(rotation)) - 1;
  const auto offset = static_cast<UINT>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(rotation)) - 1;
  return (support >> content & 1) != 0 && (offset == 0 || (support >> (4 + offset) & 1) != 0);
}

bool IsTurned(const D3DKMDT_VIDPN_PRESENT_PATH& path) { return path.ContentTransformation.Rotation != D3DKMDT_VPPR_IDENTITY; }

}  // namespace

D3DDDI_ROTATION Presenter::RotationOf(const Allocation& allocation) const {
  if (!allocation.primary || allocation.vidpn_source >= kMaxFlipSources) return D3DDDI_ROTATION_IDENTITY;
  return sources_[allocation.vidpn_source].rotation.load(std::memory_order_acquire);
}

NTSTATUS Presenter::Negotiate(VidPn& vidpn) {
  const DRIVER_INITIALIZATION_DATA& ddi = adapter_.ddi();
  const auto& paths = vidpn.paths();
  if (std::any_of(paths.begin(), paths.end(), &IsTurned) && ddi.DxgkDdiEnumVidPnCofuncModality != nullptr) {
    DXGKARG_ENUMVIDPNCOFUNCMODALITY modality{};
    modality.hConstrainingVidPn = vidpn.Lend();
    modality.EnumPivotType = D3DKMDT_EPT_ROTATION;
    modality.EnumPivot = {paths.front().VidPnSourceId, paths.front().VidPnTargetId};
    const NTSTATUS status = CallDdi(adapter_, Ddi::kEnumVidPnCofuncModality, ddi.DxgkDdiEnumVidPnCofuncModality,
                                    adapter_.miniport_context(), static_cast<const DXGKARG_ENUMVIDPNCOFUNCMODALITY*>(&modality));
    if (!NT_SUCCESS(status)) return status;
  }
  if (!std::all_of(paths.begin(), paths.end(), &IsSupported)) return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
  if (ddi.DxgkDdiIsSupportedVidPn == nullptr) return STATUS_SUCCESS;
  DXGKARG_ISSUPPORTEDVIDPN question{vidpn.Lend(), FALSE};
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kIsSupportedVidPn, ddi.DxgkDdiIsSupportedVidPn, adapter_.miniport_context(), &question);
  if (!NT_SUCCESS(status)) return status;
  return question.IsVidPnSupported ? STATUS_SUCCESS : STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED;
}

NTSTATUS Presenter::Commit(std::uint32_t vidpn_source, const Allocation& primary, D3DDDI_ROTATION rotation) {
  VidPn vidpn;
  for (const SourceTarget& target : source_targets_.Of(vidpn_source)) {
    vidpn.AddPath(vidpn_source, target.target, ToPathRotation(rotation, target.offset));
  }
  if (vidpn.paths().empty()) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  vidpn.PinMode(vidpn_source, primary.description.width, primary.description.height, primary.description.format);
  NTSTATUS status = Negotiate(vidpn);
  if (NT_SUCCESS(status)) {
    DXGKARG_COMMITVIDPN commit{};
    commit.hFunctionalVidPn = vidpn.Lend();
    commit.AffectedVidPnSourceId = vidpn_source;
    commit.MonitorConnectivityChecks = D3DKMDT_MCC_IGNORE;
    commit.hPrimaryAllocation = primary.driver_handle;
    status = CallDdi(adapter_, Ddi::kCommitVidPn, adapter_.ddi().DxgkDdiCommitVidPn, adapter_.miniport_context(),
                     static_cast<const DXGKARG_COMMITVIDPN*>(&commit));
  }
  if (vidpn.acquired() != 0) {
    adapter_.ReportViolation("VidPn.WhatIsAcquiredIsReleased",
                             fmt::format("{} objects of a VidPN were not released when the DDI returned.", vidpn.acquired()));
    return STATUS_DEVICE_REMOVED;
  }
  if (!NT_SUCCESS(status)) return status;
  sources_[vidpn_source].mode = {primary.description.width, primary.description.height, primary.description.format, rotation};
  sources_[vidpn_source].rotation.store(rotation, std::memory_order_release);
  sources_[vidpn_source].primary.store(&primary, std::memory_order_release);
  overlay_checks_.DisplayChanged();
  return STATUS_SUCCESS;
}

std::optional<SourceMode> Presenter::ModeOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const MutexLock lock(mode_mutex_);
  return sources_[vidpn_source].mode;
}

NTSTATUS Presenter::ShowMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip) {
  NTSTATUS status = ProgramMode(vidpn_source, primary, first_flip);
  if (!NT_SUCCESS(status)) return status;
  status = flip_queue_->SetVisibility(vidpn_source, true);
  if (!NT_SUCCESS(status)) {
    scheduler_.DropFlips(vidpn_source);
    return status;
  }
  sources_[vidpn_source].latest.store(&primary, std::memory_order_release);
  sources_[vidpn_source].shape.store(0, std::memory_order_release);
  overlay_checks_.DisplayChanged();
  return STATUS_SUCCESS;
}

NTSTATUS Presenter::ProgramMode(std::uint32_t vidpn_source, Allocation& primary, FlipQueue::FirstFlip first_flip) {
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

NTSTATUS Presenter::SetModeByFlip(Context& context, const PresentRequest& request) {
  // The mode shows the surface at once, so what draws it should be done; a picture that never comes must not keep the screen
  // dark. A picture that is known to be done is not shown twice.
  const NTSTATUS drawn = scheduler_.WaitForPackets(context.queue(), kFirstPictureTimeoutNs);
  if (drawn == STATUS_DEVICE_REMOVED) return drawn;
  const auto first_flip = NT_SUCCESS(drawn) && scheduler_.IsIdle(context.queue()) ? FlipQueue::FirstFlip::kIsTheModeChange
                                                                                  : FlipQueue::FirstFlip::kIsProgrammed;
  const Source& source = sources_[request.vidpn_source];
  // The mode that is committed here turns nothing. Where the one before did, what was built for it runs first.
  const auto is_turned = [&] { return source.rotation.load(std::memory_order_acquire) != D3DDDI_ROTATION_IDENTITY; };
  std::optional<ModeChangeScope> change;
  if (is_turned() && !NT_SUCCESS(change.emplace(scheduler_.modes(), request.vidpn_source).status())) return change->status();
  const MutexLock lock(mode_mutex_);
  if (source.latest.load(std::memory_order_acquire) != nullptr) return STATUS_SUCCESS;
  if (is_turned() && !change) return STATUS_DEVICE_NOT_READY;  // another mode came and went meanwhile
  const IdleScope idle(scheduler_.dispatcher());
  if (!NT_SUCCESS(idle.status())) return idle.status();
  if (source.primary.load(std::memory_order_acquire) == nullptr) {
    const NTSTATUS status = Commit(request.vidpn_source, *request.source.allocation, D3DDDI_ROTATION_IDENTITY);
    if (!NT_SUCCESS(status)) return status;
  }
  return ShowMode(request.vidpn_source, *request.source.allocation, first_flip);
}

Result<void> Presenter::SetTargets(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::span<const SourceTarget> targets) {
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
    for (const SourceTarget& target : source_targets_.Of(source)) ids.push_back(target.target);
    if (sources_[source].latest.load(std::memory_order_acquire) == nullptr) flip_queue_->SetTargets(source, ids);
  }
  sources_[vidpn_source].primary.store(nullptr, std::memory_order_release);  // the next mode is committed anew
  return {};
}

Result<void> Presenter::SetVisibility(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, bool visible) {
  if (vidpn_source >= adapter_.vidpn_source_count() || vidpn_source >= kMaxFlipSources)
    return Fail(ErrorKind::kNotFound, "Source {} is not one of the adapter's {}.", vidpn_source, adapter_.vidpn_source_count());
  const MutexLock lock(mode_mutex_);
  if (sources_[vidpn_source].latest.load(std::memory_order_acquire) == nullptr) return {};
  const NTSTATUS status = flip_queue_->SetVisibility(vidpn_source, visible);
  if (NT_SUCCESS(status)) return {};
  return Fail(ErrorKind::kDeviceLost, "DxgkDdiSetVidPnSourceVisibility answered 0x{:08X}.", static_cast<std::uint32_t>(status));
}

Result<void> Presenter::SetPalette(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint32_t first,
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

NTSTATUS Presenter::SetDisplayMode(const Device& device, Allocation& primary, D3DDDI_ROTATION rotation) {
  const std::uint32_t vidpn_source = primary.vidpn_source;
  if (!primary.primary || flip_queue_ == nullptr || vidpn_source >= adapter_.vidpn_source_count() ||
      vidpn_source >= kMaxFlipSources || rotation < D3DDDI_ROTATION_IDENTITY || rotation > D3DDDI_ROTATION_270) {
    return STATUS_INVALID_PARAMETER;
  }
  Source& source = sources_[vidpn_source];
  const Device* owner = source.owner.load(std::memory_order_acquire);
  if (owner != nullptr && owner != &device) return STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER;
  const ModeChangeScope change(scheduler_.modes(), vidpn_source);
  if (!NT_SUCCESS(change.status())) return change.status();
  if (const NTSTATUS status = pager_.Pin(primary); !NT_SUCCESS(status)) return status;
  const NTSTATUS status = ChangeMode(primary, rotation);
  pager_.Unpin(primary);  // as long as it is shown the mode change has it pinned
  if (NT_SUCCESS(status)) source.user.store(&device, std::memory_order_release);
  return status;
}

NTSTATUS Presenter::ChangeMode(Allocation& primary, D3DDDI_ROTATION rotation) {
  const MutexLock lock(mode_mutex_);
  if (const NTSTATUS status = scheduler_.flips().AwaitMode(primary.vidpn_source); !NT_SUCCESS(status)) return status;
  const IdleScope idle(scheduler_.dispatcher());
  if (!NT_SUCCESS(idle.status())) return idle.status();
  if (const NTSTATUS status = Commit(primary.vidpn_source, primary, rotation); !NT_SUCCESS(status)) return status;
  return ShowMode(primary.vidpn_source, primary, FlipQueue::FirstFlip::kIsProgrammed);
}

void Presenter::SwitchOff(std::uint32_t vidpn_source) {
  const MutexLock lock(mode_mutex_);
  if (sources_[vidpn_source].latest.exchange(nullptr, std::memory_order_acq_rel) != nullptr) {
    const IdleScope idle(scheduler_.dispatcher());  // or nearly: a source that shows what goes is switched off in any case
    static_cast<void>(flip_queue_->SetVisibility(vidpn_source, false));
    overlay_checks_.DisplayChanged();
  }
  scheduler_.DropFlips(vidpn_source);
}

}  // namespace tandem::kernel
