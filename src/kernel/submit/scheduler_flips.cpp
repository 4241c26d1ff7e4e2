// The part of Scheduler that knows which surfaces are flipped to: they are in use until another one is on the screen.
#include <algorithm>
#include <utility>

#include "kernel/submit/scheduler.h"

namespace tandem::kernel {
namespace {

void RaiseTo(std::atomic<std::uint64_t>& cookie, std::uint64_t value) {
  std::uint64_t current = cookie.load(std::memory_order_relaxed);
  while (current < value && !cookie.compare_exchange_weak(current, value, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace

NTSTATUS Scheduler::ReserveFlip(ContextQueue& context, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, FullQueue when_full) {
  if (vidpn_source >= kMaxFlipSources) return STATUS_INVALID_PARAMETER;
  MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  CollectRetiredFlips();
  while (source.pending_flips() >= kMaxPendingFlips) {
    if (when_full == FullQueue::kRefuse) return STATUS_DEVICE_NOT_READY;
    if (lost_.load(std::memory_order_relaxed) || !adapter_.alive()) return STATUS_DEVICE_REMOVED;
    if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
    Sleep(lock, kNoDeadline);
    CollectRetiredFlips();
  }
  ++source.queued;
  return STATUS_SUCCESS;
}

void Scheduler::ReleaseFlip(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const MutexLock lock(mutex_);
  --sources_[vidpn_source].queued;
  if (sleepers_ != 0) changed_.notify_all();
}

NTSTATUS Scheduler::QueueFlip(ContextQueue& context, const PendingFlip& flip) {
  {
    const MutexLock lock(mutex_);
    if (!BeginFlip({flip.allocation, flip.planes})) {
      --sources_[flip.vidpn_source].queued;
      // Planes are the flip's, whether it can be queued or not.
      if (flip.planes != nullptr) flip.planes->taken.store(false, std::memory_order_release);
      if (sleepers_ != 0) changed_.notify_all();
      return STATUS_GRAPHICS_ALLOCATION_BUSY;
    }
  }
  Operation operation;
  operation.type = OperationType::kFlip;
  operation.flip = flip;
  const NTSTATUS status = Push(context, std::move(operation));
  if (!NT_SUCCESS(status)) {
    const MutexLock lock(mutex_);
    ForgetFlip(flip);
  }
  return status;
}

void Scheduler::IssueFlips(ContextQueue& context) {
  while (!context.flips.empty() && context.packets_complete >= context.flips.front().packets) {
    const PendingFlip flip = context.flips.front().flip;
    context.flips.pop();
    ++context.flips_issued;
    Source& source = sources_[flip.vidpn_source];
    --source.queued;
    const std::uint64_t cookie = ++source.last_cookie;
    source.issued.push({cookie, &context, {flip.allocation, flip.planes}});
    const NTSTATUS status =
        flip_host_ != nullptr ? flip_host_->QueueFlip(flip, context.driver_context, cookie) : STATUS_DEVICE_REMOVED;
    // A flip that the queue refused is over: whoever waits for it must not wait for ever.
    if (!NT_SUCCESS(status)) RaiseTo(source.retired, cookie);
  }
  CollectRetiredFlips();
}

NTSTATUS Scheduler::AwaitMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  MutexLock lock(mutex_);
  CollectRetiredFlips();
  const std::int64_t deadline = adapter_.clock().NowNs() + kReplaceTimeoutNs;
  while (sources_[vidpn_source].mode_cookie != 0) {
    if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
    if (!Sleep(lock, deadline)) return STATUS_DEVICE_NOT_READY;
    CollectRetiredFlips();
  }
  return STATUS_SUCCESS;
}

NTSTATUS Scheduler::IssueMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, Allocation& primary, std::uint64_t& cookie) {
  const MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  if (source.mode_cookie != 0) return STATUS_DEVICE_NOT_READY;
  const FlipSurfaces surfaces{&primary, nullptr};
  if (!BeginFlip(surfaces)) return STATUS_GRAPHICS_ALLOCATION_BUSY;
  cookie = source.mode_cookie = ++source.last_cookie;
  source.issued.push({cookie, nullptr, surfaces});
  return STATUS_SUCCESS;
}

void Scheduler::CancelMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  for (std::size_t i = 0; i < source.issued.size(); ++i) {
    if (source.issued.at(i).cookie != source.mode_cookie) continue;
    EndFlip(source.issued.at(i).surfaces);
    source.issued.erase(i);
    source.mode_cookie = 0;
    return;
  }
}

void Scheduler::OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie) {
  if (vidpn_source >= kMaxFlipSources) return;
  RaiseTo(sources_[vidpn_source].retired, cookie);
  const MutexLock lock(mutex_);
  CollectRetiredFlips();
  AdvanceAll(Irql::kDispatch);
}

void Scheduler::CollectRetiredFlips() {
  bool changed = false;
  for (Source& source : sources_) {
    const std::uint64_t retired = source.retired.load(std::memory_order_acquire);
    while (!source.issued.empty() && source.issued.front().cookie <= retired) {
      const IssuedFlip flip = source.issued.front();
      source.issued.pop();
      if (flip.context != nullptr) ++flip.context->flips_retired;
      if (flip.cookie == source.mode_cookie) source.mode_cookie = 0;
      // It is scanned out until another one is: only then is it unused.
      EndFlip(source.on_screen);
      source.on_screen = flip.surfaces;
      changed = true;
    }
  }
  if (changed && sleepers_ != 0) changed_.notify_all();
}

void Scheduler::DropFlips(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  if (vidpn_source >= kMaxFlipSources) return;
  const MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  RaiseTo(source.retired, source.last_cookie);
  CollectRetiredFlips();
  EndFlip(std::exchange(source.on_screen, {}));
  for (ContextQueue* context : contexts_) CompleteSignals(*context);
}

std::uint32_t Scheduler::SourcesOf(const Allocation& allocation) {
  const MutexLock lock(mutex_);
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    const auto names = [&](const FlipSurfaces& surfaces) { return std::ranges::count(surfaces.all(), &allocation) != 0; };
    bool shows = names(source.on_screen);
    for (std::size_t flip = 0; flip < source.issued.size(); ++flip) shows = shows || names(source.issued.at(flip).surfaces);
    if (shows) found |= 1u << i;
  }
  return found;
}

void Scheduler::ForgetFlip(const PendingFlip& flip) {
  --sources_[flip.vidpn_source].queued;
  EndFlip({flip.allocation, flip.planes});
  if (sleepers_ != 0) changed_.notify_all();
}

bool Scheduler::BeginFlip(const FlipSurfaces& surfaces) {
  const auto all = surfaces.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->residency.TryPin()) continue;
    for (Allocation* pinned : all.first(i)) pinned->residency.Unpin();
    return false;
  }
  for (Allocation* allocation : all) allocation->uses.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Scheduler::EndFlip(const FlipSurfaces& surfaces) {
  for (Allocation* allocation : surfaces.all()) {
    allocation->residency.Unpin();
    releases_.fetch_add(1, std::memory_order_release);
    Unuse(allocation);
  }
  if (surfaces.planes != nullptr) surfaces.planes->taken.store(false, std::memory_order_release);
}

}  // namespace tandem::kernel
