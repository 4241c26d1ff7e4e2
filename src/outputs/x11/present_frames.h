// Frames on a window by the Present extension, and the display's time by its events.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/result.h"
#include "outputs/output.h"
#include "outputs/seen_times.h"
#include "outputs/x11/present_time.h"
#include "outputs/x11/window_watch.h"

namespace tandem::outputs {

// Threads: last_beat, report, SeenAt and keeps_time by any, the others by one; On…() by the watch, with its lock.
class PresentFrames {
 public:
  // The server must have the extension. `watch` outlives it.
  explicit PresentFrames(WindowWatch& watch);
  PresentFrames(const PresentFrames&) = delete;
  PresentFrames& operator=(const PresentFrames&) = delete;

  // An image was sent to the window: requests the next vertical blank's time, which counts as the image's.
  void AskForImage();
  // Shows the pixmap on the whole window at the next vertical blank, or `at_once`. Sends all requests.
  void Show(xcb_pixmap_t pixmap, bool at_once);
  // Waits until the server has read `pixmap` for the last time; false after a second, or when the window is lost.
  bool AwaitIdle(xcb_pixmap_t pixmap);
  // Waits until every frame is on the window, or for a second: an image shall not come before a pixmap that was shown earlier.
  void AwaitFrames();
  void Forget(xcb_pixmap_t pixmap);
  // The image or pixmap is on its way: Output::last_shown_ns.
  std::int64_t EndFrame();

  void OnCompleted(const xcb_present_complete_notify_event_t& event) TANDEM_REQUIRES(watch_.mutex());
  void OnIdle(const xcb_present_idle_notify_event_t& event) TANDEM_REQUIRES(watch_.mutex());

  [[nodiscard]] bool keeps_time();
  [[nodiscard]] Beat last_beat();
  [[nodiscard]] DisplayReport report();
  [[nodiscard]] Seen SeenAt(std::int64_t shown_ns);
  // True once after events that ended a wait for the display. By the watch's thread.
  [[nodiscard]] bool TakeBeat();

 private:
  // The serial of a frame whose completion is asked for.
  std::uint32_t Ask(std::int64_t now_ns) TANDEM_REQUIRES(watch_.mutex());

  WindowWatch& watch_;
  const XcbPresent& present_;
  // All clients hear of a window's frames, also of those whose client has gone. The upper bits of our serials are those of this
  // client's resources; the lower ones count from the time of the start.
  const std::uint32_t serial_base_;
  const std::uint32_t serial_mask_;
  std::uint32_t serial_ TANDEM_GUARDED_BY(watch_.mutex());
  std::uint64_t asked_ TANDEM_GUARDED_BY(watch_.mutex()) = 0;  // SeenTimes' number of the newest frame
  PresentTime time_ TANDEM_GUARDED_BY(watch_.mutex());
  SeenTimes seen_ TANDEM_GUARDED_BY(watch_.mutex());
  std::unordered_map<xcb_pixmap_t, std::uint32_t> reads_ TANDEM_GUARDED_BY(watch_.mutex());  // shown, and not idle again
  bool beat_ TANDEM_GUARDED_BY(watch_.mutex()) = false;
  bool still_was_logged_ TANDEM_GUARDED_BY(watch_.mutex()) = false;
};

}  // namespace tandem::outputs
