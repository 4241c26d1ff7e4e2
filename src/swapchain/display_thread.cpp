// The part of SwapChainImpl that waits for copies and vertical blanks and queues the next work.
#include <array>
#include <span>

#include "base/log.h"
#include "swapchain/live_figures.h"
#include "swapchain/swap_chain_impl.h"

namespace tandem::swapchain {
namespace {

bool IsGone(const Runtime& runtime) {
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = runtime.kernel_device();
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  return !NT_SUCCESS(D3DKMTGetDeviceState(&state)) || state.ExecutionState != D3DKMT_DEVICEEXECUTION_ACTIVE;
}

D3DDDI_FLIPINTERVAL_TYPE ToInterval(FlipWhen when) {
  return when == FlipWhen::kImmediate ? D3DDDI_FLIPINTERVAL_IMMEDIATE : D3DDDI_FLIPINTERVAL_ONE;
}

}  // namespace

void SwapChainImpl::RunDisplay() {
  const auto raised = SetThreadPriority(ThreadPriority::kDisplay);
  if (!raised.ok()) Log(LogLevel::kWarn, "The display thread keeps its priority: {}", raised.error().message);
  MutexLock lock(mutex_);
  if (!raised.ok()) priority_refusal_ = raised.error().message;
  while (!stop_ && !lost_) {
    CollectDone();
    QueueCopies(true);
    if (const auto slice = schedule_.NextSlice()) {
      const RECT part = link_->PieceRect(slice->buffer, slice->slice);
      const bool refers = link_->Refers(slice->buffer);
      lock.Unlock();
      const auto queued = decoding_->DecodeSlice(*slice, part, refers);
      lock.Lock();
      if (!queued.ok()) Lose(WhoIsGone(), queued.error());
      continue;
    }
    if (const auto flip = schedule_.NextFlip(clock_.NowNs())) {
      const bool refers = link_ && link_->Refers(flip->buffer);
      lock.Unlock();
      auto flipped = QueueFlip(*flip, refers);
      lock.Lock();
      if (!flipped.ok()) {
        Lose(WhoIsGone(), flipped.error());
      } else {
        Note(*flip, *std::move(flipped));
      }
      continue;
    }
    PollDisplay();
    if (stop_ || lost_) return;
    TellLive();
    const Progress next{schedule_.slices_done() + 1, schedule_.copied_on() + 1, schedule_.flips_done() + 1};
    lock.Unlock();
    const auto awaited = AwaitProgress(next);
    lock.Lock();
    if (!awaited.ok()) Lose(WhoIsGone(), awaited.error());
  }
}

void SwapChainImpl::CollectDone() {
  schedule_.SlicesDone(copy_fence_->value());
  if (copied_on_fence_) schedule_.CopiedOn(copied_on_fence_->value());
  if (link_) link_->Arrived(schedule_.copies_done(), lines_);
  const std::uint64_t flips_done = flip_fence_->value();
  const std::int64_t now_ns = clock_.NowNs();
  while (const auto shown = schedule_.NextShown(flips_done, now_ns)) {
    latency_.Record(now_ns - shown->presented_ns);
    latency_sum_ns_ += now_ns - shown->presented_ns;
    if (!first_shown_ns_) first_shown_ns_ = now_ns;
    last_shown_ns_ = now_ns;
    lines_.Shown(shown->frame, now_ns, link_ ? link_->DecodeNs(shown->buffer, shown->copy) : 0);
  }
  changed_.notify_all();
}

void SwapChainImpl::TellLive() {
  if (desc_.live == nullptr) return;
  LiveFigures figures;
  figures.now_ns = clock_.NowNs();
  if (told_ns_ && schedule_.shown() > kLiveFirstFrames) {
    const std::int64_t elapsed_ns = figures.now_ns - *told_ns_;
    if (elapsed_ns < kLivePeriodNs || (elapsed_ns < kLivePeriodNs + kLivePatienceNs && !schedule_.idle())) return;
  }
  told_ns_ = figures.now_ns;
  figures.frames_presented = schedule_.presented();
  figures.frames_shown = schedule_.shown();
  figures.frames_dropped = schedule_.dropped();
  figures.latency_sum_ns = latency_sum_ns_;
  figures.link_bytes = buffers_->direct() ? 0 : schedule_.last_copy() * shared_bytes_;
  figures.shown_by = shown_by_;
  if (!events_.empty()) figures.shown_by_reason = events_.back().reason;
  if (link_) {
    figures.link_bytes = link_->figures().bytes;
    figures.lossy_frames = link_->figures().lossy_frames;
    figures.encodings = desc_.encodings;
    figures.encoding = link_->last_encoding();
  }
  desc_.live->Report(figures);
}

Result<D3DKMT_HANDLE> SwapChainImpl::CopyOnDisplay(D3D10DDI_HRESOURCE source, D3D10DDI_HRESOURCE destination) {
  PresentCall copy;
  copy.source = source;
  copy.destination = destination;
  if (auto copied = display_.DxgiPresent(copy); !copied.ok()) return std::move(copied).error();
  return copy.context;
}

Result<D3D10DDI_HRESOURCE> SwapChainImpl::SurfaceToFlip(const FlipWork& work, bool refers, Flipped& flipped) {
  auto prepared = buffers_->second_copy() ? CopyOn(work, refers) : compositor_->Prepare(buffers_->shared(work.buffer));
  if (!prepared.ok()) return std::move(prepared).error();
  flipped.by = prepared->by;
  flipped.reason = std::move(prepared->reason);
  return prepared->surface;
}

// Frames that may reference earlier ones stay upright in their surface. Other frames are rotated during the one copy or
// decoding.
Result<Compositor::Prepared> SwapChainImpl::CopyOn(const FlipWork& work, bool refers) {
  const D3D10DDI_HRESOURCE primary = buffers_->flip_surface(work.primary);
  D3D10DDI_HRESOURCE source = buffers_->shared(work.buffer).handle();
  if (decoding_) {
    const auto decoded = decoding_->Finish(work.buffer, refers);
    if (!decoded.ok()) return decoded.error();
    if (decoded->turned) return compositor_->PrepareDecoded(*decoded->turned);
    if (!buffers_->decodes_to_pictures()) return compositor_->PrepareTurned(primary, primary);
    source = buffers_->decoded(work.buffer);
  }
  auto prepared = compositor_->PrepareTurned(source, primary);
  if (!prepared.ok()) return prepared;
  if (prepared->by == ShownBy::kScanOut) {
    const auto context = CopyOnDisplay(source, primary);
    if (!context.ok()) return context.error();
    prepared->context = *context;
  }
  if (copied_on_fence_) {
    if (auto signalled = copied_on_fence_->SignalAfter(prepared->context, work.serial); !signalled.ok())
      return std::move(signalled).error();
  }
  return prepared;
}

Result<SwapChainImpl::Flipped> SwapChainImpl::QueueFlip(const FlipWork& work, bool refers) {
  Flipped flipped;
  const auto surface = SurfaceToFlip(work, refers, flipped);
  if (!surface.ok()) return surface.error();
  PresentCall flip;
  flip.source = *surface;
  flip.vidpn_source = desc_.vidpn_source;
  flip.interval = ToInterval(work.when);
  if (auto presented = display_.DxgiPresent(flip); !presented.ok()) return std::move(presented).error();
  if (auto signalled = flip_fence_->SignalAfter(flip.context, work.serial); !signalled.ok()) return std::move(signalled).error();
  return flipped;
}

void SwapChainImpl::Note(const FlipWork& work, Flipped flipped) {
  composed_ += flipped.by == ShownBy::kComposition ? 1 : 0;
  shown_by_ = flipped.by;
  lines_.Flipped(work.frame, flipped.by);
  if (!flipped.reason) return;
  Log(LogLevel::kInfo, "From frame {} on: {}; {}", work.serial, ToString(flipped.by), *flipped.reason);
  if (events_.size() == kMaxPathEvents) events_.erase(events_.begin());
  events_.push_back({work.serial, flipped.by, *std::move(flipped.reason)});
}

// Waits may name values that are not yet queued; they end once those are signalled.
Result<void> SwapChainImpl::AwaitProgress(const Progress& next) const {
  const std::array<FenceTarget, 4> targets = {{{copy_fence_.get(), next.slices},
                                               {flip_fence_.get(), next.flips},
                                               {wake_fence_.get(), 1},
                                               {copied_on_fence_.get(), next.copied_on}}};
  return WaitForAny(display_.kernel_device(), std::span(targets).first(copied_on_fence_ ? 4 : 3));
}

ErrorKind SwapChainImpl::WhoIsGone() const { return IsGone(render_) ? ErrorKind::kDeviceLost : ErrorKind::kSurfaceLost; }

}  // namespace tandem::swapchain
