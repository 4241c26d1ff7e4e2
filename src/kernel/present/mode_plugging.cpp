// Modes of sources whose monitors come and go.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/status_name.h"
#include "kernel/present/mode_setter.h"
#include "kernel/submit/scheduler_scopes.h"

namespace tandem::kernel {

std::vector<SourceTarget> ModeSetter::PluggedTargets(std::uint32_t vidpn_source) const {
  std::vector<SourceTarget> targets = source_targets_.Of(vidpn_source);
  std::erase_if(targets, [this](const SourceTarget& target) { return !adapter_.monitors().Of(target.target).connected; });
  return targets;
}

std::vector<PinnedSource> ModeSetter::OtherModes(std::uint32_t vidpn_source) const {
  std::vector<PinnedSource> others;
  for (std::uint32_t other = 0; other < kMaxFlipSources; ++other) {
    const Source& source = sources_[other];
    if (other != vidpn_source && LatestOf(other) != nullptr && !source.unplugged.load(std::memory_order_acquire) && source.pinned)
      others.push_back(*source.pinned);
  }
  return others;
}

bool ModeSetter::IsUnplugged(std::uint32_t vidpn_source) const {
  return !source_targets_.Of(vidpn_source).empty() && PluggedTargets(vidpn_source).empty();
}

void ModeSetter::SetUnplugged(std::uint32_t vidpn_source, bool unplugged) {
  sources_[vidpn_source].unplugged.store(unplugged, std::memory_order_release);
  unseen_blanks_.Set(vidpn_source, unplugged);
}

void ModeSetter::OnMonitorChanged(ULONG target) {
  if (flip_queue_ == nullptr) return;
  const MutexLock lock(mode_mutex_);
  for (std::uint32_t vidpn_source = 0; vidpn_source < std::min(adapter_.vidpn_source_count(), kMaxFlipSources); ++vidpn_source) {
    const std::vector<SourceTarget> all = source_targets_.Of(vidpn_source);
    if (std::any_of(all.begin(), all.end(), [=](const SourceTarget& own) { return own.target == target; }))
      FollowMonitors(vidpn_source);
  }
}

void ModeSetter::FollowMonitors(std::uint32_t vidpn_source) {
  if (sources_[vidpn_source].unplugged.load(std::memory_order_acquire) && PluggedTargets(vidpn_source).empty()) return;
  const ChangingSource changing = BeginChange(vidpn_source);
  {
    const IdleScope idle(scheduler_.dispatcher());  // or nearly: a monitor that is gone shows nothing in any case
    GoDark(changing);
    Reconnect(changing);
  }
  EndChange(changing);
}

ModeSetter::ChangingSource ModeSetter::BeginChange(std::uint32_t vidpn_source) {
  Allocation* const latest = scheduler_.uses().Begin(sources_[vidpn_source].latest);
  return {vidpn_source, latest, latest != nullptr && NT_SUCCESS(pager_.Pin(*latest))};
}

void ModeSetter::GoDark(const ChangingSource& changing) {
  Source& source = sources_[changing.source];
  if (changing.latest != nullptr && !source.unplugged.load(std::memory_order_acquire))
    static_cast<void>(flip_queue_->SetVisibility(changing.source, false));
  overlay_checks_.DisplayChanged();
  source.primary.store(nullptr, std::memory_order_release);  // the next mode is committed anew
}

void ModeSetter::Reconnect(const ChangingSource& changing) {
  const std::vector<SourceTarget> plugged = PluggedTargets(changing.source);
  if (plugged.empty()) {
    SetUnplugged(changing.source, IsUnplugged(changing.source));
    return TakeOff(changing.source);
  }
  std::vector<std::uint32_t> ids;
  for (const SourceTarget& own : plugged) ids.push_back(own.target);
  flip_queue_->SetTargets(changing.source, ids);
  sources_[changing.source].latest.store(nullptr, std::memory_order_release);  // the source is dark
  SetUnplugged(changing.source, false);
  if (changing.pinned) ComeBack(changing.source, *changing.latest);
}

void ModeSetter::EndChange(const ChangingSource& changing) {
  if (changing.pinned) pager_.Unpin(*changing.latest);
  if (changing.latest != nullptr) scheduler_.uses().End(*changing.latest);
}

void ModeSetter::TakeOff(std::uint32_t vidpn_source) {
  sources_[vidpn_source].pinned.reset();
  ModeCommit commit(adapter_);
  const NTSTATUS status = commit.TakeOff(OtherModes(vidpn_source), vidpn_source);
  if (!NT_SUCCESS(status))
    Log(LogLevel::kWarn, "{}: source {} cannot leave the VidPN: {}.", adapter_.name(), vidpn_source, StatusText(status));
}

void ModeSetter::ComeBack(std::uint32_t vidpn_source, Allocation& surface) {
  NTSTATUS status = Commit(vidpn_source, surface, sources_[vidpn_source].rotation.load(std::memory_order_acquire));
  if (NT_SUCCESS(status)) status = ShowMode(vidpn_source, surface, FlipQueue::FirstFlip::kIsProgrammed);
  if (NT_SUCCESS(status)) return;
  Log(LogLevel::kWarn, "{}: source {} waits for its next flip to show again: {}.", adapter_.name(), vidpn_source,
      StatusText(status));
}

}  // namespace tandem::kernel
