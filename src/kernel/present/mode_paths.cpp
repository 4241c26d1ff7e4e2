// Paths of the active VidPN that a program changes: their gamma ramps and their targets. Modes that it may choose from.
#include <algorithm>

#include "kernel/present/gamma_ramp.h"
#include "kernel/present/mode_setter.h"
#include "kernel/present/recommended_vidpn.h"
#include "kernel/present/wanted_modes.h"
#include "kernel/submit/scheduler_scopes.h"

namespace tandem::kernel {
namespace {

std::vector<SourceTarget> TargetsOf(const PinnedSource& source) {
  std::vector<SourceTarget> targets;
  for (const PinnedSource::Target& target : source.targets) {
    targets.push_back({target.path.VidPnTargetId, OffsetOf(target.path.ContentTransformation.Rotation)});
  }
  return targets;
}

bool SameTargets(const std::vector<SourceTarget>& a, const std::vector<SourceTarget>& b) {
  return std::ranges::equal(a, b, [](const SourceTarget& one, const SourceTarget& other) {
    return one.target == other.target && one.offset == other.offset;
  });
}

bool Feeds(const PinnedSource& source, const std::vector<SourceTarget>& targets) {
  return std::ranges::any_of(source.targets, [&](const PinnedSource::Target& own) {
    return std::ranges::find(targets, own.path.VidPnTargetId, &SourceTarget::target) != targets.end();
  });
}

}  // namespace

Result<SourceModeOffer> ModeSetter::ClosestMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint32_t width,
                                                std::uint32_t height) {
  if (flip_queue_ == nullptr || vidpn_source >= std::min(adapter_.vidpn_source_count(), kMaxFlipSources))
    return Fail(ErrorKind::kNotFound, "The adapter has no VidPn source {}.", vidpn_source);
  const MutexLock lock(mode_mutex_);
  const std::vector<SourceTarget> targets = PluggedTargets(vidpn_source);
  ModeCommit commit(adapter_);
  const NTSTATUS status = commit.Negotiate(
      OtherModes(vidpn_source), {vidpn_source, targets, width, height, D3DDDIFMT_A8R8G8B8, D3DDDI_ROTATION_IDENTITY, true});
  if (!NT_SUCCESS(status)) {
    return Fail(ErrorKind::kUnsupported, "The driver offers no mode for {} x {} pixels: 0x{:08X}.", width, height,
                static_cast<std::uint32_t>(status));
  }
  const D3DKMDT_GRAPHICS_RENDERING_FORMAT& offered = commit.Pinned().mode.Format.Graphics;
  return SourceModeOffer{offered.PrimSurfSize.cx, offered.PrimSurfSize.cy, offered.PixelFormat};
}

NTSTATUS ModeSetter::SetGammaRamp(const Device& device, std::uint32_t vidpn_source, const D3DKMDT_GAMMA_RAMP& ramp) {
  if (flip_queue_ == nullptr || vidpn_source >= std::min(adapter_.vidpn_source_count(), kMaxFlipSources))
    return STATUS_INVALID_PARAMETER;
  if (const NTSTATUS status = owners_.Check(vidpn_source, device); !NT_SUCCESS(status)) return status;
  const MutexLock lock(mode_mutex_);
  const Source& source = sources_[vidpn_source];
  if (!source.pinned || LatestOf(vidpn_source) == nullptr) return STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY;
  const IdleScope idle(scheduler_.dispatcher());
  return NT_SUCCESS(idle.status()) ? kernel::SetGammaRamp(adapter_, *source.pinned, ramp) : idle.status();
}

NTSTATUS ModeSetter::InvalidateActiveVidPn(std::span<std::byte> private_data) {
  if (flip_queue_ == nullptr) return STATUS_NOT_SUPPORTED;
  std::vector<ULONG> connected;
  for (const ULONG target : adapter_.targets()) {
    if (adapter_.monitors().Of(target).connected) connected.push_back(target);
  }
  const MutexLock lock(mode_mutex_);
  std::vector<PinnedSource> recommended;
  {
    const IdleScope idle(scheduler_.dispatcher());
    if (!NT_SUCCESS(idle.status())) return idle.status();
    if (const NTSTATUS status = AskForVidPn(adapter_, connected, private_data, recommended); !NT_SUCCESS(status)) return status;
  }
  for (std::uint32_t source = 0; source < kMaxFlipSources; ++source) {
    const bool shown = LatestOf(source) != nullptr && !sources_[source].unplugged.load(std::memory_order_acquire);
    if (shown && std::ranges::find(recommended, source, &PinnedSource::source) == recommended.end())
      return STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED;
  }
  return Take(recommended);
}

NTSTATUS ModeSetter::Take(const std::vector<PinnedSource>& recommended) {
  std::vector<std::uint32_t> affected;
  for (std::uint32_t source = 0; source < std::min(adapter_.vidpn_source_count(), kMaxFlipSources); ++source) {
    const std::vector<SourceTarget> before = source_targets_.Of(source);
    const bool changes = std::ranges::any_of(recommended, [&](const PinnedSource& wanted) {
      return wanted.source == source ? !SameTargets(TargetsOf(wanted), before) : Feeds(wanted, before);
    });
    if (!changes) continue;
    // The source shows its picture anew behind the mode before.
    if (const NTSTATUS status = scheduler_.flips().AwaitMode(source); !NT_SUCCESS(status)) return status;
    affected.push_back(source);
  }
  std::vector<ChangingSource> changing;
  for (const std::uint32_t source : affected) changing.push_back(BeginChange(source));
  NTSTATUS status = STATUS_SUCCESS;
  {
    const IdleScope idle(scheduler_.dispatcher());
    status = idle.status();
    if (NT_SUCCESS(status)) {
      for (const ChangingSource& source : changing) GoDark(source);
      for (const PinnedSource& wanted : recommended) source_targets_.Set(wanted.source, TargetsOf(wanted));
      for (const ChangingSource& source : changing) Reconnect(source);
    }
  }
  for (const ChangingSource& source : changing) EndChange(source);
  return status;
}

}  // namespace tandem::kernel
