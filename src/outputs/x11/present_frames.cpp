#include "outputs/x11/present_frames.h"

#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace tandem::outputs {
namespace {

constexpr std::int64_t kServerKeepsNs = 1'000'000'000;

}  // namespace

PresentFrames::PresentFrames(WindowWatch& watch)
    : watch_(watch),
      present_(*watch.connection().present()),
      serial_base_(xcb_get_setup(watch.connection().get())->resource_id_base),
      serial_mask_(xcb_get_setup(watch.connection().get())->resource_id_mask),
      serial_(static_cast<std::uint32_t>(MonotonicClock().NowNs() / 1'000'000)),
      time_(watch.connection().refresh_period_ns()) {
  xcb_connection_t* x = watch_.connection().get();
  present_.select_input(x, xcb_generate_id(x), watch_.window(),
                        XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY | XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY);
}

std::uint32_t PresentFrames::Ask(std::int64_t now_ns) {
  time_.Asked(now_ns);
  asked_ = seen_.Begin();
  return serial_base_ | (++serial_ & serial_mask_);
}

void PresentFrames::AskForImage() {
  MutexLock lock(watch_.mutex());
  const std::int64_t now_ns = MonotonicClock().NowNs();
  if (!time_.AsksForImage(now_ns)) return;
  const std::uint32_t serial = Ask(now_ns);
  lock.Unlock();
  // With a divisor of one, the vertical blank after the current one is meant.
  present_.notify_msc(watch_.connection().get(), watch_.window(), serial, 0, 1, 0);
}

void PresentFrames::Show(xcb_pixmap_t pixmap, bool at_once) {
  MutexLock lock(watch_.mutex());
  ++reads_[pixmap];
  const std::uint32_t serial = Ask(MonotonicClock().NowNs());
  lock.Unlock();
  present_.pixmap(watch_.connection().get(), watch_.window(), pixmap, serial, XCB_NONE, XCB_NONE, 0, 0, XCB_NONE, XCB_NONE,
                  XCB_NONE, at_once ? XCB_PRESENT_OPTION_ASYNC : XCB_PRESENT_OPTION_NONE, 0, 0, 0, 0, nullptr);
  watch_.Flush();
}

bool PresentFrames::AwaitIdle(xcb_pixmap_t pixmap) {
  MutexLock lock(watch_.mutex());
  return watch_.WaitFor(lock, kServerKeepsNs, [this, pixmap]() TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    const auto found = reads_.find(pixmap);
    return found == reads_.end() || found->second == 0;
  });
}

void PresentFrames::AwaitFrames() {
  MutexLock lock(watch_.mutex());
  watch_.WaitFor(lock, kServerKeepsNs, [this]() TANDEM_NO_THREAD_SAFETY_ANALYSIS { return time_.idle(); });
}

void PresentFrames::Forget(xcb_pixmap_t pixmap) {
  const MutexLock lock(watch_.mutex());
  reads_.erase(pixmap);
}

void PresentFrames::OnCompleted(const xcb_present_complete_notify_event_t& event) {
  if (event.window != watch_.window() || (event.serial & ~serial_mask_) != serial_base_) return;
  const std::uint32_t later = (serial_ - event.serial) & serial_mask_;
  if (later >= asked_) return;
  const std::int64_t now_ns = MonotonicClock().NowNs();
  if (event.kind == XCB_PRESENT_COMPLETE_KIND_PIXMAP) {
    const auto mode = event.mode == XCB_PRESENT_COMPLETE_MODE_SKIP ? PresentMode::kReplaced : PresentMode::kSeen;
    seen_.Answer(asked_ - later, time_.PixmapCompleted(mode, later, event.ust, event.msc, now_ns));
  } else {
    seen_.Answer(asked_ - later, time_.ImageCompleted(later, event.ust, event.msc, now_ns));
  }
  beat_ = true;
  if (!time_.stands_still() || std::exchange(still_was_logged_, true)) return;
  Log(LogLevel::kInfo, "The X server counts no vertical blanks of window {:#x}; a clock stands for them.", watch_.window());
}

void PresentFrames::OnIdle(const xcb_present_idle_notify_event_t& event) {
  const auto found = reads_.find(event.pixmap);
  if (found != reads_.end() && found->second > 0) --found->second;
}

bool PresentFrames::keeps_time() {
  const MutexLock lock(watch_.mutex());
  return time_.keeps_time();
}

Beat PresentFrames::last_beat() {
  const MutexLock lock(watch_.mutex());
  return time_.last_beat();
}

DisplayReport PresentFrames::report() {
  const MutexLock lock(watch_.mutex());
  return time_.report();
}

std::int64_t PresentFrames::EndFrame() {
  const MutexLock lock(watch_.mutex());
  return seen_.End(MonotonicClock().NowNs());
}

Seen PresentFrames::SeenAt(std::int64_t shown_ns) {
  const MutexLock lock(watch_.mutex());
  return seen_.Find(shown_ns, MonotonicClock().NowNs());
}

bool PresentFrames::TakeBeat() {
  const MutexLock lock(watch_.mutex());
  return std::exchange(beat_, false);
}

}  // namespace tandem::outputs
