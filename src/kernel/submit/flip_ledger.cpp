#include "kernel/submit/flip_ledger.h"

#include <algorithm>
#include <utility>

#include "kernel/memory/residency.h"

namespace tandem::kernel {
namespace {

void RaiseTo(std::atomic<std::uint64_t>& cookie, std::uint64_t value) {
  std::uint64_t current = cookie.load(std::memory_order_relaxed);
  while (current < value && !cookie.compare_exchange_weak(current, value, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace

void FlipLedger::SetHost(Host* host) {
  const WorkLock lock(monitor_);
  host_ = host;
}

NTSTATUS FlipLedger::Reserve(const ContextQueue& context, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, FullQueue when_full) {
  if (vidpn_source >= kMaxFlipSources) return STATUS_INVALID_PARAMETER;
  const WorkLock lock(monitor_);
  Source& source = sources_[vidpn_source];
  Collect();
  while (source.pending() >= kMaxPendingFlips) {
    if (when_full == FullQueue::kRefuse) return STATUS_DEVICE_NOT_READY;
    if (monitor_.gone()) return STATUS_DEVICE_REMOVED;
    if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
    monitor_.Sleep(kNoDeadline);
    Collect();
  }
  ++source.queued;
  return STATUS_SUCCESS;
}

void FlipLedger::Release(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const WorkLock lock(monitor_);
  --sources_[vidpn_source].queued;
  monitor_.Notify();
}

bool FlipLedger::Begin(const PendingFlip& flip) {
  const WorkLock lock(monitor_);
  if (Pin({flip.allocation, flip.planes})) return true;
  --sources_[flip.vidpn_source].queued;
  if (flip.planes != nullptr) flip.planes->taken.store(false, std::memory_order_release);
  monitor_.Notify();
  return false;
}

void FlipLedger::Forget(const PendingFlip& flip) {
  --sources_[flip.vidpn_source].queued;
  End({flip.allocation, flip.planes});
  monitor_.Notify();
}

void FlipLedger::Issue(ContextQueue& context) {
  while (!context.flips.empty() && context.packets_complete >= context.flips.front().packets) {
    const PendingFlip flip = context.flips.front().flip;
    context.flips.pop();
    ++context.flips_issued;
    Source& source = sources_[flip.vidpn_source];
    --source.queued;
    const std::uint64_t cookie = ++source.last_cookie;
    source.issued.push({cookie, &context, {flip.allocation, flip.planes}});
    ++issued_;
    const NTSTATUS status = host_ != nullptr ? host_->QueueFlip(flip, context.driver_context, cookie) : STATUS_DEVICE_REMOVED;
    // A flip that the queue refused is over: whoever waits for it must not wait for ever.
    if (!NT_SUCCESS(status)) RaiseTo(source.retired, cookie);
  }
  Collect();
}

NTSTATUS FlipLedger::AwaitMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const WorkLock lock(monitor_);
  Collect();
  const std::int64_t deadline_ns = monitor_.adapter().clock().NowNs() + kReplaceTimeoutNs;
  while (sources_[vidpn_source].mode_cookie != 0) {
    if (!monitor_.adapter().alive()) return STATUS_DEVICE_REMOVED;
    if (!monitor_.Sleep(deadline_ns)) return STATUS_DEVICE_NOT_READY;
    Collect();
  }
  return STATUS_SUCCESS;
}

NTSTATUS FlipLedger::IssueMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, Allocation& primary, std::uint64_t& cookie) {
  const WorkLock lock(monitor_);
  Source& source = sources_[vidpn_source];
  if (source.mode_cookie != 0) return STATUS_DEVICE_NOT_READY;
  const Surfaces surfaces{&primary, nullptr};
  if (!Pin(surfaces)) return STATUS_GRAPHICS_ALLOCATION_BUSY;
  cookie = source.mode_cookie = ++source.last_cookie;
  source.issued.push({cookie, nullptr, surfaces});
  ++issued_;
  return STATUS_SUCCESS;
}

void FlipLedger::CancelMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const WorkLock lock(monitor_);
  Source& source = sources_[vidpn_source];
  for (std::size_t i = 0; i < source.issued.size(); ++i) {
    if (source.issued.at(i).cookie != source.mode_cookie) continue;
    End(source.issued.at(i).surfaces);
    source.issued.erase(i);
    --issued_;
    source.mode_cookie = 0;
    return;
  }
}

void FlipLedger::Retire(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint64_t cookie) {
  RaiseTo(sources_[vidpn_source].retired, cookie);
}

void FlipLedger::Collect() {
  if (issued_ == 0) return;
  bool changed = false;
  for (Source& source : sources_) {
    const std::uint64_t retired = source.retired.load(std::memory_order_acquire);
    while (!source.issued.empty() && source.issued.front().cookie <= retired) {
      const IssuedFlip flip = source.issued.front();
      source.issued.pop();
      --issued_;
      if (flip.context != nullptr) ++flip.context->flips_retired;
      if (flip.cookie == source.mode_cookie) source.mode_cookie = 0;
      // It is scanned out until another one is: only then is it unused.
      End(source.on_screen);
      source.on_screen = flip.surfaces;
      changed = true;
    }
  }
  if (changed) monitor_.Notify();
}

void FlipLedger::Drop(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  Source& source = sources_[vidpn_source];
  RaiseTo(source.retired, source.last_cookie);
  Collect();
  End(std::exchange(source.on_screen, {}));
}

void FlipLedger::ForgetContext(const ContextQueue& context) {
  for (Source& source : sources_) {
    for (std::size_t i = 0; i < source.issued.size(); ++i) {
      if (source.issued.at(i).context == &context) source.issued.at(i).context = nullptr;
    }
  }
  if (host_ != nullptr) host_->ForgetContext(context.driver_context);
}

std::uint32_t FlipLedger::SourcesOf(const Allocation& allocation) {
  const WorkLock lock(monitor_);
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    const auto names = [&](const Surfaces& surfaces) { return std::ranges::count(surfaces.all(), &allocation) != 0; };
    bool shows = names(source.on_screen);
    for (std::size_t flip = 0; flip < source.issued.size(); ++flip) shows = shows || names(source.issued.at(flip).surfaces);
    if (shows) found |= 1u << i;
  }
  return found;
}

bool FlipLedger::Pin(const Surfaces& surfaces) {
  const auto all = surfaces.all();
  if (!TryPinAll(all)) return false;
  for (Allocation* allocation : all) allocation->uses.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void FlipLedger::End(const Surfaces& surfaces) {
  for (Allocation* allocation : surfaces.all()) {
    allocation->residency.Unpin();
    memory_.CountRelease();
    if (allocation->EndUse()) monitor_.Notify();
  }
  if (surfaces.planes != nullptr) surfaces.planes->taken.store(false, std::memory_order_release);
}

}  // namespace tandem::kernel
