#include "drivers/soft/kmd/scan_out.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "color/format.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/soft/kmd/display_controller.h"
#include "outputs/output.h"

namespace tandem::soft {
namespace {

// A display that asks for no frame for this long shows none of this output, and asks again when it does.
constexpr std::int64_t kLongestBeatNs = 100'000'000;
// The last words of a system that has stopped wait no longer for an output that reads: a torn picture is better than none.
constexpr std::int64_t kLongestReadNs = 100'000'000;

// The first boundary between two periods after a moment.
std::int64_t NextBoundary(std::int64_t phase_ns, std::int64_t after_ns, std::int64_t period_ns) {
  return phase_ns + ((after_ns - phase_ns) / period_ns + 1) * period_ns;
}

// Read from system memory to show it once.
std::uint64_t SystemBytes(const processor::ScanOutFrame& frame) {
  if (frame.plane_count != 0) {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < frame.plane_count; ++i) bytes += soft::SystemBytes(frame.planes[i]);
    return bytes;
  }
  if (frame.address < processor::kApertureBase) return 0;
  return processor::PictureBytes(frame.format, frame.width, frame.height);
}

}  // namespace

ScanOut::ScanOut(std::uint32_t target, ConnectorsImpl& connectors, processor::GpuMemory& memory,
                 processor::InterruptRegisters& interrupts, Clock& clock, bool dithers)
    : target_(target),
      connectors_(connectors),
      memory_(memory),
      interrupts_(interrupts),
      clock_(clock),
      start_ns_(clock.NowNs()),
      dithers_(dithers),
      last_blank_ns_(start_ns_),
      composer_(dithers) {}

Result<std::unique_ptr<ScanOut>> ScanOut::Create(std::uint32_t target, ConnectorsImpl& connectors, processor::GpuMemory& memory,
                                                 processor::InterruptRegisters& interrupts, Clock& clock, bool dithers) {
  std::unique_ptr<ScanOut> scan_out(new ScanOut(target, connectors, memory, interrupts, clock, dithers));
  auto thread = Thread::Start("soft-crtc-" + std::to_string(target), [raw = scan_out.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting a scan-out of the soft adapter");
  scan_out->thread_ = *std::move(thread);
  connectors.OnBeat(target, [raw = scan_out.get()] { raw->OnBeat(); });
  return scan_out;
}

ScanOut::~ScanOut() {
  connectors_.OnBeat(target_, {});
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  wake_.NotifyAll();
  thread_.Join();
}

void ScanOut::Program(const processor::ScanOutFrame& frame, processor::FlipTiming timing) {
  {
    const MutexLock lock(mutex_);
    // A surface that is about to be shown at once does not wait because it is flipped to as well.
    const bool at_once = pending_ && pending_timing_ == processor::FlipTiming::kImmediate && pending_->address == frame.address;
    pending_ = frame;
    pending_timing_ = at_once ? processor::FlipTiming::kImmediate : timing;
    programmed_ = true;
    interrupts_.WithdrawVerticalBlank(target_, frame.address);
  }
  wake_.NotifyOne();
}

void ScanOut::SetRotation(color::Rotation rotation) {
  const MutexLock lock(mutex_);
  settings_.rotation = rotation;
}

color::Rotation ScanOut::rotation() {
  const MutexLock lock(mutex_);
  return settings_.rotation;
}

void ScanOut::SetPalette(const drivers::PaletteColors& palette) {
  auto colors = std::make_shared<const drivers::PaletteColors>(palette);
  {
    const MutexLock lock(mutex_);
    settings_.palette = std::move(colors);
    if (current_.format == drivers::kPaletteFormat) ShowAgain();
  }
  wake_.NotifyOne();
}

void ScanOut::SetGammaRamp(processor::GammaRamp ramp) {
  {
    const MutexLock lock(mutex_);
    if (settings_.gamma == ramp) return;
    settings_.gamma = std::move(ramp);
    ShowAgain();
  }
  wake_.NotifyOne();
}

void ScanOut::ShowAgain() {
  if (!programmed_ || pending_ || !visible_.value_or(true)) return;
  pending_ = current_;
  pending_timing_ = processor::FlipTiming::kVerticalBlank;
}

void ScanOut::SetPointerImage(std::shared_ptr<const PointerImage> image) {
  {
    const MutexLock lock(mutex_);
    settings_.pointer.image = std::move(image);
    if (settings_.pointer.visible) ShowAgain();
  }
  wake_.NotifyOne();
}

void ScanOut::SetPointerPosition(std::int32_t x, std::int32_t y, bool visible) {
  {
    const MutexLock lock(mutex_);
    const bool was_visible = std::exchange(settings_.pointer.visible, visible);
    settings_.pointer.x = x;
    settings_.pointer.y = y;
    if (visible || was_visible) ShowAgain();
  }
  wake_.NotifyOne();
}

void ScanOut::SetVisible(bool visible) {
  {
    MutexLock lock(mutex_);
    // A report of what nobody saw would count for the flip that follows.
    while (visible && reports_in_the_dark_) reported_.Wait(lock.native());
    // A surface that was programmed in the dark is seen from now on.
    if (visible && !visible_.value_or(true) && programmed_ && !pending_) {
      pending_ = current_;
      pending_timing_ = processor::FlipTiming::kImmediate;
    }
    visible_ = visible;
    // Whoever made the source dark may draw into its surface from now on.
    while (!visible && showing_) reported_.Wait(lock.native());
  }
  wake_.NotifyOne();
}

void ScanOut::Take(const processor::ScanOutFrame& frame) {
  {
    const MutexLock lock(mutex_);
    visible_ = true;
    settings_.pointer.visible = false;
    settings_.rotation = color::Rotation::kIdentity;
    settings_.gamma = nullptr;
  }
  Program(frame, processor::FlipTiming::kImmediate);
}

void ScanOut::AwaitUnread(MutexLock& lock) {
  const std::int64_t deadline_ns = clock_.NowNs() + kLongestReadNs;
  while (showing_ && clock_.WaitUntil(lock.native(), reported_, deadline_ns)) {
  }
}

void ScanOut::Blank() {
  MutexLock lock(mutex_);
  visible_ = false;
  AwaitUnread(lock);
}

void ScanOut::Overwrite(const std::function<void()>& write) {
  {
    MutexLock lock(mutex_);
    AwaitUnread(lock);
    write();
    ShowAgain();
  }
  wake_.NotifyOne();
}

void ScanOut::EnableInterrupt(bool enabled) {
  {
    const MutexLock lock(mutex_);
    interrupt_enabled_ = enabled;
  }
  wake_.NotifyOne();
}

void ScanOut::ForgetMemory(std::uint64_t memory_id) {
  {
    const MutexLock lock(mutex_);
    forgotten_.push_back(memory_id);
  }
  wake_.NotifyOne();
}

processor::Beam ScanOut::BeamPosition() {
  const std::int64_t period_ns = connectors_.RefreshPeriodNs(target_);
  const std::int64_t into_period_ns = (clock_.NowNs() - start_ns_) % period_ns;
  const std::int64_t active_ns = period_ns - period_ns / 20;
  const MutexLock lock(mutex_);
  if (current_.height == 0 || into_period_ns >= active_ns) return {current_.height, true};
  return {static_cast<std::uint32_t>(into_period_ns * current_.height / active_ns), false};
}

std::uint64_t ScanOut::BytesPerSecond() {
  const std::int64_t period_ns = connectors_.RefreshPeriodNs(target_);
  const MutexLock lock(mutex_);
  if (!programmed_ || !visible_.value_or(true)) return 0;
  const bool leaves_now = pending_ && pending_timing_ == processor::FlipTiming::kImmediate;
  std::uint64_t frame_bytes = leaves_now ? 0 : SystemBytes(current_);
  if (pending_) frame_bytes = std::max(frame_bytes, SystemBytes(*pending_));
  return frame_bytes * 1'000'000'000 / static_cast<std::uint64_t>(period_ns);
}

void ScanOut::OnBeat() {
  {
    const MutexLock lock(mutex_);  // the thread is between its look at the beat and its wait, or waits
  }
  wake_.NotifyOne();
}

std::int64_t ScanOut::NextBlank(std::int64_t now_ns) const {
  const auto beat = connectors_.BeatOf(target_);
  if (beat && beat->awaited) return last_blank_ns_ + kLongestBeatNs;
  if (beat && (pending_ || beat->at_ns > last_blank_ns_)) return now_ns;
  // The boundary after the last one; when several passed meanwhile (a slow output) only the latest counts, and at once.
  const std::int64_t period_ns = beat ? beat->period_ns : connectors_.RefreshPeriodNs(target_);
  return NextBoundary(beat && beat->at_ns != 0 ? beat->at_ns : start_ns_, std::max(last_blank_ns_, now_ns - period_ns),
                      period_ns);
}

void ScanOut::Run() {
  RequestDisplayPriority();
  std::vector<std::uint64_t> forgotten;
  MutexLock lock(mutex_);
  while (!stop_) {
    if (!forgotten_.empty()) {
      forgotten.swap(forgotten_);
      lock.Unlock();
      for (const std::uint64_t id : forgotten) connectors_.Forget(target_, id);
      forgotten.clear();
      lock.Lock();
      continue;
    }
    const bool immediate = pending_.has_value() && pending_timing_ == processor::FlipTiming::kImmediate;
    if (!immediate && !AwaitVerticalBlank(lock)) continue;
    Latch();
    // A flip to this address that came meanwhile would be taken for done by the report: it is done within this blank.
    if (pending_ && pending_->address == current_.address) Latch();
    if (pending_ && pending_->address == current_.address) continue;  // one more: its own report counts for all of them
    interrupts_.SetVerticalBlank(target_, current_, shown_ns_);
    lock.Unlock();
    interrupts_.Raise();
    lock.Lock();
    if (std::exchange(reports_in_the_dark_, false)) reported_.NotifyAll();
  }
}

bool ScanOut::AwaitVerticalBlank(MutexLock& lock) {
  const bool ticking = interrupt_enabled_ && (visible_.has_value() ? *visible_ : programmed_);
  if (!pending_.has_value() && !ticking) {
    clock_.WaitUntil(lock.native(), wake_, kNoDeadline);
    last_blank_ns_ = std::max(last_blank_ns_, clock_.NowNs());  // what woke it up waits for the blank after this moment
    return false;
  }
  const std::int64_t now_ns = clock_.NowNs();
  const std::int64_t due_ns = NextBlank(now_ns);
  if (due_ns > now_ns) {
    clock_.WaitUntil(lock.native(), wake_, due_ns);
    return false;
  }
  last_blank_ns_ = due_ns;
  return true;
}

void ScanOut::Latch() {
  const bool flips = pending_.has_value();
  if (flips) current_ = *pending_;
  pending_.reset();
  const processor::ScanOutFrame frame = current_;
  reports_in_the_dark_ = !visible_.value_or(true);
  const bool shows = flips && !reports_in_the_dark_;
  if (shows) shown_settings_ = settings_;
  if (shows) shown_at_once_ = pending_timing_ == processor::FlipTiming::kImmediate;
  showing_ = shows;
  mutex_.Unlock();
  shown_ns_ = 0;
  if (shows) TryToShow(frame);
  mutex_.Lock();
  if (std::exchange(showing_, false)) reported_.NotifyAll();
}

// An exception that leaves the thread ends the program, whose memory it is.
void ScanOut::TryToShow(const processor::ScanOutFrame& frame) {
  try {
    Show(frame);
  } catch (const std::bad_alloc&) {
    if (std::exchange(lost_was_logged_, true)) return;
    Log(LogLevel::kError, "Target {}: frames of {} x {} pixels are not seen, for there is no memory.", target_, frame.width,
        frame.height);
  }
}

void ScanOut::Show(const processor::ScanOutFrame& frame) {
  if (frame.width == 0 || frame.height == 0) return;
  if (frame.plane_count != 0) {
    const outputs::Surface composed = composer_.Compose(frame, memory_);
    if (composed.width != 0) ShowMade(composed, composer_.written_bytes());  // else a plane was not mapped
    return;
  }
  const auto lease = memory_.Resolve(frame.address, processor::SpanBytes(frame));
  if (!lease) {
    Log(LogLevel::kWarn, "Target {} scans out address 0x{:x}, which is not mapped.", target_, frame.address);
    return;
  }
  outputs::Surface surface;
  surface.id = lease->memory_id();
  surface.pixels = lease->data();
  surface.width = frame.width;
  surface.height = frame.height;
  surface.pitch = frame.pitch;
  surface.format = frame.format;
  surface.backing_fd = lease->backing_fd();
  surface.backing_is_dma_buf = lease->backing_is_dma_buf();
  surface.backing_offset = lease->backing_offset();
  surface.backing_size = lease->backing_size();
  ShowMade(surface, 0);
}

void ScanOut::ShowMade(const outputs::Surface& surface, std::uint64_t written) {
  const bool takes_nv12 = drivers::IsNv12(surface.format) && connectors_.TakesNv12(target_);
  outputs::Surface seen = maker_.Make(surface, shown_settings_, takes_nv12);
  seen.dithers = dithers_;
  seen.at_once = shown_at_once_;
  const auto shown = connectors_.Show(target_, seen, written + maker_.written_bytes());
  if (shown.ok()) shown_ns_ = connectors_.LastShownNs(target_);
  if (!shown.ok() && !std::exchange(lost_was_logged_, true)) {
    Log(LogLevel::kWarn, "Target {} is not seen any more: {}", target_, shown.error().message);
  }
}

}  // namespace tandem::soft
