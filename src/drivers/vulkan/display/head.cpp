#include "drivers/vulkan/display/head.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/display/turned_frame.h"

namespace tandem::vulkan {
namespace {

// Maximum wait of one call for an image, before the thread handles other events.
constexpr std::int64_t kAcquireSliceNs = 4'000'000;

}  // namespace

Result<std::unique_ptr<Head>> Head::Create(std::uint32_t source, Gpu& gpu, WsiConnectorsImpl& connectors, Display::Owner& owner,
                                           Clock& clock) {
  std::unique_ptr<Head> self(new Head(source, gpu, connectors, owner, clock));
  auto copier = FrameCopier::Create(gpu);
  if (!copier.ok()) return std::move(copier).error();
  self->copier_ = *std::move(copier);
  auto thread = Thread::Start("vk-head" + std::to_string(source), [raw = self.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting a head of a Vulkan display adapter");
  self->thread_ = *std::move(thread);
  connectors.Attach(source, *self);
  return self;
}

Head::~Head() {
  if (thread_.joinable()) connectors_.Detach(source_);
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  wake_.NotifyAll();
  thread_.Join();
}

void Head::OnPlugChanged() {
  {
    const MutexLock lock(mutex_);
    plug_changed_ = true;
  }
  wake_.NotifyAll();
}

void Head::Copy(const CopyCommand& command, PassMeter* meter) {
  Job job;
  job.command = &command;
  job.source = meter == nullptr ? Source::kPicture : Source::kFrame;
  {
    MutexLock lock(mutex_);
    while (job_ != nullptr) job_done_.Wait(lock.native());
    job_ = &job;
    wake_.NotifyAll();
    while (!job.done) job_done_.Wait(lock.native());
  }
  copier_->Await(job.copied);
  if (meter != nullptr) {
    meter->Count(job.passes);
  } else {
    connectors_.CountWritten(source_, job.passes.bytes);
  }
}

void Head::SetAddress(const Allocation* primary, std::uint64_t address, bool immediate) {
  {
    const MutexLock lock(mutex_);
    if (pending_ && pending_->primary != primary) FreeImagesOf(pending_->primary);
    pending_ = Flip{primary, address, immediate, primary == nullptr ? 0 : primary->data().height};
    pacing_ = immediate ? WsiPacing::kImmediate : WsiPacing::kVerticalBlank;
    owner_.WithdrawVerticalBlank(source_, address);
  }
  wake_.NotifyAll();
}

void Head::FreeImagesOf(const Allocation* primary) {
  for (Held& held : held_) {
    if (held.primary == primary) held.primary = nullptr;
  }
}

bool Head::Keeps(const Allocation& primary) {
  const MutexLock lock(mutex_);
  const bool held = std::any_of(held_.begin(), held_.end(), [&](const Held& each) { return each.primary == &primary; });
  return held || shown_ == &primary;
}

void Head::ShowAgain(const Allocation& primary) {
  {
    const MutexLock lock(mutex_);
    if (shown_ != &primary || pending_) return;
    pending_ = Flip{shown_, address_, true, height_};
  }
  wake_.NotifyAll();
}

void Head::SetVisible(bool visible) {
  {
    MutexLock lock(mutex_);
    // A frame that was flipped to in the dark is seen from now on.
    if (visible && !visible_.value_or(true) && shown_ != nullptr && !pending_) pending_ = Flip{shown_, address_, true, height_};
    visible_ = visible;
    next_blank_ns_ = clock_.NowNs() + kVirtualRefreshPeriodNs;
    // Whoever made the source dark may draw into its surface from now on.
    while (!visible && showing_) taken_.Wait(lock.native());
  }
  wake_.NotifyAll();
}

void Head::EnableInterrupt(bool enable) {
  {
    const MutexLock lock(mutex_);
    interrupt_enabled_ = enable;
  }
  wake_.NotifyAll();
}

Head::Beam Head::BeamPosition() {
  const MutexLock lock(mutex_);
  const std::int64_t since_ns = clock_.NowNs() - (next_blank_ns_ - kVirtualRefreshPeriodNs);
  const std::int64_t in_period_ns = since_ns <= 0 ? 0 : since_ns % kVirtualRefreshPeriodNs;
  constexpr std::int64_t kDrawnNs = kVirtualRefreshPeriodNs * 19 / 20;
  if (height_ == 0 || in_period_ns >= kDrawnNs) return {height_ == 0 ? 0 : height_ - 1, true};
  return {static_cast<std::uint32_t>(in_period_ns * height_ / kDrawnNs), false};
}

void Head::Forget(const Allocation& allocation) {
  {
    MutexLock lock(mutex_);
    if (pending_ && pending_->primary == &allocation) pending_->primary = nullptr;
    if (shown_ == &allocation) shown_ = nullptr;
    for (Held& held : held_) {
      if (held.primary == &allocation) held.primary = nullptr;
      if (held.picture == &allocation) held.missing.Clear();
    }
    while (completing_ != nullptr && (completing_->primary == &allocation || completing_->picture == &allocation))
      completed_.Wait(lock.native());
  }
  copier_->Forget(allocation);
  allocation.pictures().ForEach([this](const Allocation& rows) { copier_->Forget(rows); });
}

void Head::Run() {
  RequestDisplayPriority();
  MutexLock lock(mutex_);
  while (!stop_) {
    if (plug_changed_) {
      plug_changed_ = false;
      lock.Unlock();
      UpdatePlug();
      lock.Lock();
    } else if (pending_) {
      lock.Unlock();
      ShowNext();
      lock.Lock();
    } else if (job_ != nullptr) {
      Job& job = *std::exchange(job_, nullptr);
      lock.Unlock();
      job.copied = CopyFrame(job, job.passes);
      lock.Lock();
      job.done = true;
      job_done_.NotifyAll();
    } else if (visible_.value_or(false) && interrupt_enabled_ && clock_.NowNs() >= next_blank_ns_) {
      lock.Unlock();
      Report();
      lock.Lock();
    } else {
      clock_.WaitUntil(lock.native(), wake_, visible_.value_or(false) && interrupt_enabled_ ? next_blank_ns_ : kNoDeadline);
    }
  }
  if (job_ != nullptr) std::exchange(job_, nullptr)->done = true;
  job_done_.NotifyAll();
  lock.Unlock();
  CloseWindow();
}

void Head::UpdatePlug() {
  if (presenter_ != nullptr && !connectors_.IsPlugged(source_)) CloseWindow();
  if (presenter_ != nullptr) return;
  if (const auto target = connectors_.Take(source_)) OpenWindow(*target);
}

void Head::OpenWindow(const WsiTarget& target) {
  const Gpu::Queue& queue = gpu_.queue(kRenderNode);
  const WsiDevice device{gpu_.vk(),    gpu_.instance(), gpu_.get_instance_proc_addr(), gpu_.physical(), gpu_.device(),
                         queue.handle, queue.family,    gpu_.LockOf(queue.handle),     gpu_.layered()};
  auto presenter = WsiPresenter::Create(device, target);
  if (!presenter.ok()) {
    connectors_.Opened(source_, nullptr, &presenter.error());
    return;
  }
  presenter_ = *std::move(presenter);
  window_lost_ = false;
  failure_was_logged_ = false;
  generation_ = 0;
  format_for_ = color::Format::kUnknown;
  connectors_.Opened(source_, presenter_.get(), nullptr);
}

void Head::CloseWindow() {
  if (presenter_ == nullptr) return;
  connectors_.Close(source_);
  {
    const MutexLock lock(mutex_);
    held_.clear();
    pacing_ = WsiPacing::kVerticalBlank;
  }
  copier_->ForgetImages();
  if (gpu_.abandoned()) {
    static_cast<void>(presenter_.release());  // the device may still use the presenter's objects
  } else {
    presenter_.reset();
  }
  connectors_.Released(source_);
}

bool Head::MustStopWaiting() {
  const MutexLock lock(mutex_);
  return stop_ || plug_changed_;
}

void Head::NoteFailure(const Error& error) {
  if (error.kind == ErrorKind::kOutOfDate || error.kind == ErrorKind::kTimeout) return;  // a later frame may succeed
  if (error.kind == ErrorKind::kDeviceLost) gpu_.NoteResult(VK_ERROR_DEVICE_LOST);
  window_lost_ = window_lost_ || error.kind == ErrorKind::kSurfaceLost || error.kind == ErrorKind::kDeviceLost;
  if (!std::exchange(failure_was_logged_, true))
    Log(LogLevel::kWarn, "Source {} cannot show a frame: {}", source_, error.message);
}

std::uint64_t Head::CopyFrame(const Job& job, PassCount& passes) {
  const CopyCommand& command = *job.command;
  if (presenter_ == nullptr || window_lost_ || gpu_.lost()) return 0;
  const color::Rotation offset = offset_.load(std::memory_order_acquire);
  if (offset == color::Rotation::kIdentity) return CopyFrameOf(command.destination, command, job.source, passes);
  const auto turned = TurnFrame(gpu_, command, offset);
  if (!turned.ok()) {
    NoteFailure(turned.error());
    return 0;
  }
  const AllocationData& rows = turned->source->data();
  const std::uint64_t pixels = std::uint64_t{rows.width} * rows.height;
  passes += {pixels, pixels * color::BytesPerPixel(rows.format)};
  return CopyFrameOf(command.destination, *turned, job.source, passes);
}

void Head::NoteCopied(const CopyCommand& command, const FrameTarget& target, Held& held) {
  held.picture = command.source;
  held.target = command.destination;
  if (target.whole) return held.missing.Clear();
  const AllocationData& primary = command.destination->data();
  if (!target.append) held.missing.Begin(primary.width, primary.height);
  for (std::uint32_t i = 0; i < command.rect_count; ++i) held.missing.Bring(command.rects[i]);
}

std::uint64_t Head::CopyFrameOf(const Allocation* primary, const CopyCommand& command, Source source, PassCount& passes) {
  std::optional<Held> held;
  for (int attempt = 0; attempt < 2 && !held; ++attempt) {  // an acquire may find a resized window out of date
    if (auto prepared = PrepareWindow(command.source->data(), command.destination->data()); !prepared.ok()) {
      NoteFailure(prepared.error());
      return 0;
    }
    held = TakeImage(primary);
    if (!presenter_->out_of_date()) break;
  }
  if (!held) return 0;
  FrameTarget target;
  target.image = held->image;
  target.extent = presenter_->extent();
  target.format = format_;
  target.written = held->written;
  target.append = held->written && held->primary == primary;
  target.whole = source == Source::kFrame && (!target.append || held->missing.any());
  auto copied = copier_->Copy(command, target);
  if (copied.ok()) passes += copier_->passes();
  if (!copied.ok()) NoteFailure(copied.error());
  held->primary = copied.ok() ? primary : nullptr;
  held->written = held->written || copied.ok();
  NoteCopied(command, target, *held);
  const MutexLock lock(mutex_);
  held_.push_back(*held);
  return copied.ok() ? *copied : 0;
}

Result<void> Head::PrepareWindow(const AllocationData& frame, const AllocationData& primary) {
  if (format_for_ != frame.format) {
    auto chosen = ChooseFrameFormat(frame.format, presenter_->formats(), GpuBlitSupport(gpu_));
    if (!chosen.ok()) return std::move(chosen).error();
    format_ = *chosen;
    format_for_ = frame.format;
  }
  WsiPacing pacing = WsiPacing::kVerticalBlank;
  {
    const MutexLock lock(mutex_);
    pacing = pacing_;
  }
  auto configured = presenter_->Configure(format_.window, {primary.width, primary.height}, pacing);
  if (generation_ == presenter_->generation()) return configured;
  generation_ = presenter_->generation();
  copier_->ForgetImages();
  const MutexLock lock(mutex_);
  held_.clear();
  return configured;
}

std::optional<Head::Held> Head::TakeHeld(const Allocation* primary) {
  for (auto it = held_.begin(); it != held_.end(); ++it) {
    if (it->primary != primary) continue;
    const Held held = *it;
    held_.erase(it);
    return held;
  }
  return std::nullopt;
}

std::optional<Head::Held> Head::TakeImage(const Allocation* primary) {
  {
    const MutexLock lock(mutex_);
    if (auto own = TakeHeld(primary)) return own;
    if (auto spare = TakeHeld(nullptr)) return spare;
  }
  return AwaitImage(WhileWaiting::kShowFlips);
}

std::optional<Head::Held> Head::AwaitImage(WhileWaiting flips) {
  const std::int64_t deadline_ns = clock_.NowNs() + kMaxFrameWaitNs;
  while (clock_.NowNs() < deadline_ns && !MustStopWaiting()) {
    const auto image = presenter_->Acquire(kAcquireSliceNs);
    if (image.ok()) return Held{nullptr, *image, false, {}, nullptr, nullptr};
    if (image.error().kind != ErrorKind::kTimeout) {
      NoteFailure(image.error());
      return std::nullopt;
    }
    if (flips == WhileWaiting::kOnlyWait) continue;
    ShowNext();
    const MutexLock lock(mutex_);
    if (auto spare = TakeHeld(nullptr)) return spare;
  }
  return std::nullopt;
}

void Head::ShowNext() {
  Flip flip;
  {
    const MutexLock lock(mutex_);
    if (!pending_) return;
    flip = *std::exchange(pending_, std::nullopt);
  }
  const bool shown = ShowFlip(flip);
  if (shown) connectors_.CountShown(source_);
  {
    const MutexLock lock(mutex_);
    // Of the frames in the dark only the last is seen later.
    if (!visible_.value_or(true) && shown_ != flip.primary) FreeImagesOf(shown_);
    shown_ = flip.primary;
    address_ = flip.address;
    height_ = flip.height;
  }
  if (!flip.immediate && !shown) AwaitVirtualBlank();
  if (!flip.immediate && shown) {
    if (const auto next = AwaitImage(WhileWaiting::kOnlyWait)) {
      const MutexLock lock(mutex_);
      held_.push_back(*next);
    }
  }
  Report();
}

bool Head::ShowFlip(const Flip& flip) {
  std::optional<Held> held;
  bool complete = true;
  {
    const MutexLock lock(mutex_);
    if (!visible_.value_or(true)) return false;
    if (flip.primary != nullptr) held = TakeHeld(flip.primary);
    if (!held || presenter_ == nullptr || window_lost_) return false;
    complete = !held->missing.any();
    if (!complete) completing_ = &*held;
    showing_ = true;
  }
  if (!complete) Complete(*held);
  const auto presented = presenter_->QueueImage(held->image);
  {
    const MutexLock lock(mutex_);
    showing_ = false;
  }
  taken_.NotifyAll();
  if (!presented.ok()) NoteFailure(presented.error());
  return presented.ok();
}

void Head::Complete(const Held& held) {
  completion_.resize(sizeof(CopyCommand));
  held.missing.ForEachRun([&](const RECT&) { completion_.resize(completion_.size() + sizeof(RECT)); });
  auto& command = *new (completion_.data()) CopyCommand();
  command.source = held.picture;
  command.destination = held.target;
  held.missing.ForEachRun([&](const RECT& run) { command.rects[command.rect_count++] = run; });
  FrameTarget target;
  target.image = held.image;
  target.extent = presenter_->extent();
  target.format = format_;
  target.written = target.append = true;
  target.whole = false;
  const auto copied = copier_->Copy(command, target);
  if (copied.ok()) {
    copier_->Await(*copied);
    connectors_.CountWritten(source_, copier_->passes().bytes);
  } else {
    NoteFailure(copied.error());
  }
  {
    const MutexLock lock(mutex_);
    completing_ = nullptr;
  }
  completed_.NotifyAll();
}

void Head::AwaitVirtualBlank() {
  const std::int64_t deadline_ns = clock_.NowNs() + kVirtualRefreshPeriodNs;
  MutexLock lock(mutex_);
  while (!stop_ && clock_.NowNs() < deadline_ns) clock_.WaitUntil(lock.native(), wake_, deadline_ns);
}

void Head::Report() {
  {
    const MutexLock lock(mutex_);
    next_blank_ns_ = clock_.NowNs() + kVirtualRefreshPeriodNs;
    if (!interrupt_enabled_ || (pending_ && pending_->address == address_)) return;
    owner_.SetVerticalBlank(source_, address_);
  }
  owner_.RaiseVerticalBlank();
}

}  // namespace tandem::vulkan
