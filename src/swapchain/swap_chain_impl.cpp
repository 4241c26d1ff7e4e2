#include "swapchain/swap_chain_impl.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/log.h"
#include "color/format.h"
#include "link/surface/link_surface.h"
#include "swapchain/live_figures.h"
#include "swapchain/status.h"

namespace tandem::swapchain {
namespace {

// Period at which a waiting call checks the display's status.
constexpr std::int64_t kDisplayPollNs = 100'000'000;

ScheduleDesc ScheduleOf(const Images& images) {
  ScheduleDesc schedule;
  schedule.image_count = static_cast<std::uint32_t>(images.size());
  return schedule;
}

}  // namespace

SwapChainImpl::SwapChainImpl(Runtime& render, const SwapChainDesc& desc, Clock& clock, Images images)
    : render_(render),
      desc_(desc),
      clock_(clock),
      images_(std::move(images)),
      schedule_(ScheduleOf(images_)),
      lines_(desc.frames) {}

Result<std::unique_ptr<SwapChain>> SwapChainImpl::Make(Runtime& render, Runtime& display, const SwapChainDesc& desc, Clock& clock,
                                                       BuiltPath path) {
  std::unique_ptr<SwapChainImpl> chain(new SwapChainImpl(render, desc, clock, path.buffers->images()));
  if (auto started = chain->Start(display, std::move(path)); !started.ok()) return std::move(started).error();
  return std::unique_ptr<SwapChain>(std::move(chain));
}

Result<void> SwapChainImpl::Start(Runtime& display, BuiltPath path) {
  auto side = DisplaySide::Create(render_, display, desc_, clock_, std::move(path), meters_);
  if (!side.ok()) return std::move(side).error();
  {
    const MutexLock lock(mutex_);
    if (auto installed = Install(*std::move(side)); !installed.ok()) return installed;
  }
  auto thread = Thread::Start("tandem-display", [this] { RunDisplay(); });
  if (!thread.ok()) return std::move(thread).error();
  thread_ = *std::move(thread);
  return {};
}

Result<void> SwapChainImpl::Install(std::unique_ptr<DisplaySide> side) {
  if (side->buffers->compressed()) {
    auto link = LinkFrames::Create(side->desc, *side->buffers);
    if (!link.ok()) return std::move(link).error();
    link_.emplace(*std::move(link));
  }
  side_ = std::move(side);
  decision_ = side_->decision;
  schedule_.GoOn(side_->Schedule());
  return {};
}

SwapChainImpl::~SwapChainImpl() {
  if (!thread_.joinable()) return;
  Retire();
  {
    const MutexLock lock(mutex_);
    stop_ = true;
    // A lost adapter has already ended every wait.
    if (side_ != nullptr) static_cast<void>(side_->wake_fence->SignalNow(1));
    changed_.NotifyAll();
  }
  thread_.Join();
  const MutexLock lock(mutex_);
  lines_.End();
}

std::int64_t SwapChainImpl::DeadlineAfter(std::int64_t timeout_ns) const {
  const std::int64_t now_ns = clock_.NowNs();
  return timeout_ns >= kNoDeadline - now_ns ? kNoDeadline : now_ns + std::max<std::int64_t>(timeout_ns, 0);
}

std::optional<Error> SwapChainImpl::WhyNot() const {
  if (lost_) return lost_;
  if (retired_) return Fail(ErrorKind::kOutOfDate, "The swap chain is retired.");
  return std::nullopt;
}

bool SwapChainImpl::Sleep(MutexLock& lock, std::int64_t deadline_ns) {
  const std::int64_t now_ns = clock_.NowNs();
  if (now_ns >= deadline_ns) return false;
  clock_.WaitUntil(lock.native(), changed_, std::min(deadline_ns, now_ns + kDisplayPollNs));
  PollDisplay();
  return true;
}

Result<std::uint32_t> SwapChainImpl::Acquire(std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = DeadlineAfter(timeout_ns);
  MutexLock lock(mutex_);
  for (;;) {
    if (auto error = WhyNot()) return *std::move(error);
    if (const auto image = schedule_.Acquire()) {
      lines_.Acquired(*image, clock_.NowNs());
      return *image;
    }
    if (!Sleep(lock, deadline_ns)) return Fail(ErrorKind::kTimeout, "No image within {} ns.", timeout_ns);
  }
}

Result<void> SwapChainImpl::Present(std::uint32_t index, std::uint64_t present_id, const ShowAt& at) {
  const MutexLock lock(mutex_);
  if (auto error = WhyNot()) return *std::move(error);
  const std::int64_t now_ns = clock_.NowNs();
  if (auto presented = schedule_.QueueFrame(index, present_id, now_ns, at); !presented.ok()) return presented;
  lines_.Presented(index, now_ns, decision_.path, schedule_);
  QueueCopies(false);
  if (lost_) return *lost_;
  return {};
}

Result<void> SwapChainImpl::AwaitCopies(std::uint32_t index, std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = DeadlineAfter(timeout_ns);
  MutexLock lock(mutex_);
  while (schedule_.copies_done() < schedule_.copy_of(index)) {
    if (lost_) return *lost_;
    if (!Sleep(lock, deadline_ns)) return Fail(ErrorKind::kTimeout, "Image {} was not copied within {} ns.", index, timeout_ns);
  }
  return {};
}

Result<void> SwapChainImpl::Release(std::uint32_t index) {
  const MutexLock lock(mutex_);
  auto released = schedule_.Release(index);
  changed_.NotifyAll();
  return released;
}

Result<void> SwapChainImpl::WaitForPresent(std::uint64_t present_id, std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = DeadlineAfter(timeout_ns);
  MutexLock lock(mutex_);
  for (;;) {
    if (schedule_.shown_id() >= present_id) return {};
    if (lost_) return *lost_;
    if (retired_ && schedule_.idle())
      return Fail(ErrorKind::kOutOfDate, "Frame {} will not be shown: the swap chain is retired.", present_id);
    if (!Sleep(lock, deadline_ns))
      return Fail(ErrorKind::kTimeout, "Frame {} was not shown within {} ns.", present_id, timeout_ns);
  }
}

void SwapChainImpl::Retire() {
  const std::int64_t deadline_ns = DeadlineAfter(kDrainTimeoutNs);
  MutexLock lock(mutex_);
  retired_ = true;
  changed_.NotifyAll();
  while (!lost_ && !schedule_.idle() && Sleep(lock, deadline_ns)) {
  }
  schedule_.DropWaiting();
}

void SwapChainImpl::QueueCopies(bool waited) {
  while (!lost_ && !moving_ && !(link_ && desc_.encodings->Waits())) {
    const auto work = schedule_.NextCopy();
    if (!work) return;
    if (auto queued = QueueCopy(*work, waited); !queued.ok()) {
      MarkLost(ErrorKind::kDeviceLost, queued.error());
      return;
    }
    ++frames_copied_;
  }
}

Result<void> SwapChainImpl::QueueCopy(const CopyWork& work, bool waited) {
  const BufferSet& buffers = *side_->buffers;
  const std::uint32_t slices = side_->slices;
  if (link_) link_->Begin(work, clock_.NowNs(), waited);
  lines_.Queued(work, side_->decision.path, waited, buffers.copy_meter(work.buffer));
  if (buffers.direct()) {
    // Only the application's rendering must be complete.
    if (const HRESULT flushed = render_.Flush(); FAILED(flushed)) return FromHresult("Flushing", flushed);
    return side_->copy_fence->SignalAfter(render_.context(), work.serial);
  }
  const std::uint64_t before = (work.serial - 1) * slices;
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    const RECT part = slices > 1 ? link_->PieceRect(work.buffer, slice) : RECT{};
    PresentCall call;
    call.source = buffers.image(work.image);
    call.destination = buffers.copy_destination(work.buffer);
    call.part = slices > 1 ? &part : nullptr;
    call.curve = buffers.crossing_curve();
    if (auto copied = render_.DxgiPresent(call); !copied.ok()) return copied;
    if (auto signalled = side_->copy_fence->SignalAfter(call.context, before + slice + 1); !signalled.ok()) return signalled;
  }
  return {};
}

void SwapChainImpl::PollDisplay() {
  if (desc_.display_status == nullptr || moving_) return;
  const DisplayStatus status = desc_.display_status->Status();
  status_.store(status, std::memory_order_relaxed);
  // The display thread notices a lost adapter by itself.
  if (status == DisplayStatus::kLost && !MayMove())
    MarkLost(ErrorKind::kSurfaceLost, Fail(ErrorKind::kSurfaceLost, "The window or display is gone."));
}

void SwapChainImpl::MarkLost(ErrorKind kind, const Error& why) {
  if (lost_) return;
  lost_ = Error{kind, why.message};
  // A window closed by its program is no fault; a failing display adapter is one.
  const bool closed = kind == ErrorKind::kSurfaceLost && desc_.display_status != nullptr &&
                      desc_.display_status->Status() == DisplayStatus::kLost;
  Log(closed ? LogLevel::kInfo : LogLevel::kError, "The swap chain ends ({}): {}", ToString(kind), why.message);
  changed_.NotifyAll();
}

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
      const auto queued = side_->flipper->DecodeSlice(*slice, part, refers);
      if (!queued.ok()) OnFailure(queued.error());
      lock.Lock();
      continue;
    }
    AskDisplay();
    const std::int64_t now_ns = clock_.NowNs();
    if (const auto flip = schedule_.NextFlip(now_ns)) {
      const bool refers = link_ && link_->Refers(flip->buffer);
      UpdateHud(now_ns);
      lock.Unlock();
      auto flipped =
          side_->flipper->QueueFlip(*flip, now_ns, refers, side_->hud ? side_->hud->fills() : std::span<const PresentFill>());
      if (!flipped.ok()) OnFailure(flipped.error());
      lock.Lock();
      if (flipped.ok()) {
        lines_.Flipped(flip->frame, flipped->by, now_ns);
        shown_.OnFlipped(*flip, flipped->by, std::move(flipped->reason));
      }
      continue;
    }
    PollDisplay();
    if (stop_ || lost_) return;
    ReportLive();
    const Progress next{schedule_.slices_done() + 1, schedule_.copied_on() + 1, schedule_.flips_done() + 1,
                        side_->alarm ? side_->alarm->fence().value() + 1 : 0};
    if (side_->alarm) side_->alarm->SetFor(AlarmNs(now_ns));
    lock.Unlock();
    const auto awaited = AwaitProgress(next);
    if (!awaited.ok()) OnFailure(awaited.error());
    lock.Lock();
  }
}

void SwapChainImpl::CollectDone() {
  schedule_.SlicesDone(side_->copy_fence->value());
  if (const MonitoredFence* const fence = side_->flipper->copied_on_fence()) schedule_.CopiedOn(fence->value());
  const std::int64_t now_ns = clock_.NowNs();
  lines_.Copied(schedule_.copies_done(), now_ns);
  if (link_) link_->Arrived(schedule_.copies_done(), lines_);
  const std::uint64_t flips_done = side_->flipper->flip_fence().value();
  while (schedule_.flips_done() < flips_done) {
    const std::int64_t shown_ns = side_->flipper->ShownNs(schedule_.flips_done() + 1, now_ns);
    const auto shown = schedule_.NextShown(flips_done, shown_ns);
    if (!shown) break;
    latency_.Record(shown_ns - shown->presented_ns);
    shown_.OnShown(shown->presented_ns, shown_ns);
    lines_.Shown(shown->frame, shown_ns, link_ ? link_->DecodeNs(shown->buffer, shown->copy) : 0);
  }
  changed_.NotifyAll();
}

void SwapChainImpl::AskDisplay() {
  const auto shown_ns = schedule_.last_shown_ns();
  if (!side_->alarm || desc_.display_status == nullptr || !shown_ns) return;
  if (const auto seen_ns = desc_.display_status->SeenNs(*shown_ns)) schedule_.SeenLast(*seen_ns);
}

std::int64_t SwapChainImpl::AlarmNs(std::int64_t now_ns) const {
  const auto flip_ns = schedule_.NextFlipNs(now_ns);
  if (!flip_ns) return kNoDeadline;
  // Once the display says when it saw the last frame, the next one may be due earlier.
  return schedule_.last_shown_ns() ? std::min(*flip_ns, now_ns + side_->desc.refresh_period_ns / 4) : *flip_ns;
}

void SwapChainImpl::UpdateHud(std::int64_t now_ns) {
  if (!side_->hud) return;
  HudFigures figures;
  figures.now_ns = now_ns;
  figures.frames_shown = schedule_.shown();
  figures.latency_sum_ns = shown_.latency_sum_ns();
  if (link_) figures.encoding = link_->last_encoding().value_or(figures.encoding);
  side_->hud->Update(figures);
}

void SwapChainImpl::ReportLive() {
  if (desc_.live == nullptr) return;
  LiveFigures figures;
  figures.now_ns = clock_.NowNs();
  if (!shown_.TakeReport(figures.now_ns, schedule_.shown(), schedule_.idle())) return;
  figures.frames_presented = schedule_.presented();
  figures.frames_shown = schedule_.shown();
  figures.frames_dropped = schedule_.dropped();
  figures.link_bytes = crossed_before_ + CrossedBytes();
  figures.lossy_frames = Encoded().lossy_frames;
  figures.display = side_->display.binding().name;
  figures.decision = &decision_;
  shown_.Fill(figures);
  if (link_) {
    figures.encodings = desc_.encodings;
    figures.encoding = link_->last_encoding();
  }
  desc_.live->Report(figures);
}

// Waits may name values that are not yet queued; they end once those are signalled.
Result<void> SwapChainImpl::AwaitProgress(const Progress& next) const {
  const MonitoredFence* const copied_on = side_->flipper->copied_on_fence();
  std::array<FenceTarget, kMaxFenceTargets> targets = {
      {{side_->copy_fence.get(), next.slices}, {&side_->flipper->flip_fence(), next.flips}, {side_->wake_fence.get(), 1}}};
  std::size_t count = 3;
  if (copied_on != nullptr) targets[count++] = {copied_on, next.copied_on};
  if (side_->alarm) targets[count++] = {&side_->alarm->fence(), next.alarms};
  return WaitForAny(side_->display.kernel_device(), std::span(targets).first(count));
}

PathDecision SwapChainImpl::decision() const {
  const MutexLock lock(mutex_);
  return decision_;
}

std::vector<PathEvent> SwapChainImpl::events() const {
  const MutexLock lock(mutex_);
  return shown_.events();
}

std::vector<DisplayChange> SwapChainImpl::display_changes() const {
  const MutexLock lock(mutex_);
  return changes_;
}

LinkFigures SwapChainImpl::Encoded() const {
  LinkFigures figures = encoded_before_;
  if (link_) figures += link_->figures();
  if (side_ != nullptr && side_->buffers->nv12()) {
    figures.bytes += frames_copied_ * side_->shared_bytes;
    figures.frames[static_cast<std::uint32_t>(link::LinkEncoding::kYuv420)] += frames_copied_;
  }
  return figures;
}

std::uint64_t SwapChainImpl::CrossedBytes() const {
  if (side_ == nullptr || side_->buffers->direct()) return 0;
  return link_ ? link_->figures().bytes : frames_copied_ * side_->shared_bytes;
}

Statistics SwapChainImpl::statistics() const {
  Statistics statistics;
  const PassCount passes = meters_.Sum();
  statistics.full_frame_copies = static_cast<double>(passes.pixels) / (static_cast<double>(desc_.width) * desc_.height);
  statistics.bytes_moved = passes.bytes;
  statistics.counts_passes = meters_.complete();
  {
    const MutexLock lock(mutex_);
    statistics.frames_presented = schedule_.presented();
    statistics.frames_shown = schedule_.shown();
    statistics.frames_dropped = schedule_.dropped();
    shown_.Fill(statistics);
    statistics.priority_refusal = priority_refusal_;
    if (side_ != nullptr && side_->buffers->nv12())
      statistics.encoding_reason = "420: nothing else is allowed, and the display adapter scans it out as it is.";
    if (link_) statistics.encoding_reason = link_->Reason();
    const LinkFigures link = Encoded();
    statistics.link_bytes = link.bytes;
    statistics.link_timed_bytes = link.timed_bytes;
    statistics.link_ns = link.link_ns;
    statistics.encode_ns = link.encode_ns;
    statistics.decode_ns = link.decode_ns;
    statistics.decoded_frames = link.decoded;
    statistics.frames_by_encoding = link.frames;
    statistics.lossy_frames = link.lossy_frames;
    const std::uint64_t lossless = link.frames[static_cast<std::uint32_t>(link::LinkEncoding::kLossless)];
    statistics.unchanged_tiles = lossless == 0 ? 0 : static_cast<std::uint32_t>(link.unchanged / lossless);
  }
  statistics.latency_p50_ns = latency_.PercentileNs(0.5);
  statistics.latency_p99_ns = latency_.PercentileNs(0.99);
  return statistics;
}

}  // namespace tandem::swapchain
