#include "drivers/soft/kmd/scan_out.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "color/blit.h"
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
  wake_.notify_all();
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
  wake_.notify_one();
}

void ScanOut::SetRotation(color::Rotation rotation) {
  const MutexLock lock(mutex_);
  rotation_ = rotation;
}

color::Rotation ScanOut::rotation() {
  const MutexLock lock(mutex_);
  return rotation_;
}

void ScanOut::SetPalette(const drivers::PaletteColors& palette) {
  {
    const MutexLock lock(mutex_);
    palette_ = palette;
    if (current_.format == drivers::kPaletteFormat) ShowAgain();
  }
  wake_.notify_one();
}

void ScanOut::ShowAgain() {
  if (!programmed_ || pending_ || !visible_.value_or(true)) return;
  pending_ = current_;
  pending_timing_ = processor::FlipTiming::kVerticalBlank;
}

void ScanOut::SetPointerImage(std::shared_ptr<const PointerImage> image) {
  {
    const MutexLock lock(mutex_);
    pointer_.image = std::move(image);
    if (pointer_.visible) ShowAgain();
  }
  wake_.notify_one();
}

void ScanOut::SetPointerPosition(std::int32_t x, std::int32_t y, bool visible) {
  {
    const MutexLock lock(mutex_);
    const bool was_visible = std::exchange(pointer_.visible, visible);
    pointer_.x = x;
    pointer_.y = y;
    if (visible || was_visible) ShowAgain();
  }
  wake_.notify_one();
}

void ScanOut::SetVisible(bool visible) {
  {
    MutexLock lock(mutex_);
    // A report of what nobody saw would count for the flip that follows.
    while (visible && reports_in_the_dark_) reported_.wait(lock.native());
    // A surface that was programmed in the dark is seen from now on.
    if (visible && !visible_.value_or(true) && programmed_ && !pending_) {
      pending_ = current_;
      pending_timing_ = processor::FlipTiming::kImmediate;
    }
    visible_ = visible;
    // Whoever made the source dark may draw into its surface from now on.
    while (!visible && showing_) reported_.wait(lock.native());
  }
  wake_.notify_one();
}

void ScanOut::Take(const processor::ScanOutFrame& frame) {
  {
    const MutexLock lock(mutex_);
    visible_ = true;
    pointer_.visible = false;
    rotation_ = color::Rotation::kIdentity;
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
  wake_.notify_one();
}

void ScanOut::EnableInterrupt(bool enabled) {
  {
    const MutexLock lock(mutex_);
    interrupt_enabled_ = enabled;
  }
  wake_.notify_one();
}

void ScanOut::ForgetMemory(std::uint64_t memory_id) {
  {
    const MutexLock lock(mutex_);
    forgotten_.push_back(memory_id);
  }
  wake_.notify_one();
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
  wake_.notify_one();
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
    interrupts_.SetVerticalBlank(target_, current_);
    lock.Unlock();
    interrupts_.Raise();
    lock.Lock();
    if (std::exchange(reports_in_the_dark_, false)) reported_.notify_all();
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
  const color::Rotation rotation = rotation_;
  reports_in_the_dark_ = !visible_.value_or(true);
  const bool shows = flips && !reports_in_the_dark_;
  if (shows && frame.format == drivers::kPaletteFormat) shown_palette_ = palette_;
  if (shows) shown_pointer_ = pointer_;
  if (shows) shown_at_once_ = pending_timing_ == processor::FlipTiming::kImmediate;
  showing_ = shows;
  mutex_.Unlock();
  if (shows) TryToShow(frame, rotation);
  mutex_.Lock();
  if (std::exchange(showing_, false)) reported_.notify_all();
}

outputs::Surface ScanOut::Colored(const outputs::Surface& indexes) {
  colored_.resize(std::size_t{indexes.width} * indexes.height);
  constexpr std::uint32_t kPixelBytes = sizeof(std::uint32_t);
  drivers::ColorIndexes(shown_palette_, reinterpret_cast<std::byte*>(colored_.data()), std::uint64_t{indexes.width} * kPixelBytes,
                        indexes.pixels, indexes.pitch, indexes.width, indexes.height);
  outputs::Surface colored;
  colored.pixels = reinterpret_cast<const std::byte*>(colored_.data());
  colored.width = indexes.width;
  colored.height = indexes.height;
  colored.pitch = indexes.width * kPixelBytes;
  colored.format = color::Format::kB8G8R8X8Unorm;
  return colored;
}

outputs::Surface ScanOut::Decoded(const outputs::Surface& nv12) {
  outputs::Surface decoded;
  decoded.pixels = nv12_.Read(nv12.pixels, nv12.pitch, nv12.height, {0, 0, nv12.width, nv12.height});
  decoded.width = nv12.width;
  decoded.height = nv12.height;
  decoded.format = processor::SeenFormat(nv12.format);
  decoded.pitch = nv12.width * color::BytesPerPixel(decoded.format);
  return decoded;
}

outputs::Surface ScanOut::Pointed(const outputs::Surface& surface, const color::BlitRect& seen) {
  outputs::Surface pointed;
  pointed.width = surface.width;
  pointed.height = surface.height;
  pointed.pitch = surface.width * color::BytesPerPixel(surface.format);
  pointed.format = surface.format;
  pointed_.resize(std::size_t{pointed.pitch} * pointed.height);
  for (std::size_t row = 0; row < pointed.height; ++row) {
    std::memcpy(pointed_.data() + row * pointed.pitch, surface.pixels + row * surface.pitch, pointed.pitch);
  }
  pointer_painter_.Draw(shown_pointer_, seen, pointed_.data(), pointed.pitch, pointed.format);
  pointed.pixels = pointed_.data();
  return pointed;
}

outputs::Surface ScanOut::Turned(const outputs::Surface& surface, color::Rotation rotation) {
  const bool quarter = color::IsQuarterTurn(rotation);
  outputs::Surface turned;
  turned.width = quarter ? surface.height : surface.width;
  turned.height = quarter ? surface.width : surface.height;
  turned.pitch = turned.width * color::BytesPerPixel(surface.format);
  turned.format = surface.format;
  turned_.resize(std::size_t{turned.pitch} * turned.height);
  turned.pixels = turned_.data();
  color::Blit(color::TurnOf(surface.pixels, surface.pitch, surface.format, surface.width, surface.height, turned_.data(),
                            turned.pitch, rotation));
  return turned;
}

// An exception that leaves the thread ends the program, whose memory it is.
void ScanOut::TryToShow(const processor::ScanOutFrame& frame, color::Rotation rotation) {
  try {
    Show(frame, rotation);
  } catch (const std::bad_alloc&) {
    if (std::exchange(lost_was_logged_, true)) return;
    Log(LogLevel::kError, "Target {}: frames of {} x {} pixels are not seen, for there is no memory.", target_, frame.width,
        frame.height);
  }
}

void ScanOut::Show(const processor::ScanOutFrame& frame, color::Rotation rotation) {
  if (frame.width == 0 || frame.height == 0) return;
  if (frame.plane_count != 0) {
    const outputs::Surface composed = composer_.Compose(frame, memory_);
    return ShowOn(composed, rotation, composer_.written_bytes());
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
  const auto show_made = [&](const outputs::Surface& made) { ShowOn(made, rotation, std::uint64_t{made.pitch} * made.height); };
  if (surface.format == drivers::kPaletteFormat) return show_made(Colored(surface));
  // A turned picture, or one under a pointer, is made of pixels, not planes.
  const bool of_pixels =
      rotation != color::Rotation::kIdentity || shown_pointer_.SeenPart(frame.width, frame.height) != color::BlitRect{};
  const bool decodes = drivers::IsNv12(surface.format) && (of_pixels || !connectors_.TakesNv12(target_));
  if (decodes) return show_made(Decoded(surface));
  ShowOn(surface, rotation, 0);
}

void ScanOut::ShowOn(const outputs::Surface& picture, color::Rotation rotation, std::uint64_t written) {
  if (picture.width == 0) return;  // a plane was not mapped
  const bool turns = rotation != color::Rotation::kIdentity;
  const color::BlitRect covered = shown_pointer_.SeenPart(picture.width, picture.height);
  const bool points = covered != color::BlitRect{} && picture.pixels != nullptr;
  outputs::Surface seen = points ? Pointed(picture, covered) : picture;
  if (points) written += std::uint64_t{seen.pitch} * seen.height;
  if (turns) seen = Turned(seen, rotation);
  seen.dithers = dithers_;
  seen.at_once = shown_at_once_;
  if (turns) written += std::uint64_t{seen.pitch} * seen.height;
  const auto shown = connectors_.Show(target_, seen, written);
  if (!shown.ok() && !std::exchange(lost_was_logged_, true)) {
    Log(LogLevel::kWarn, "Target {} is not seen any more: {}", target_, shown.error().message);
  }
}

}  // namespace tandem::soft
