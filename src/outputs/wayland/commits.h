// Commits to a program's Wayland surface, and what the compositor reports of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <vector>

#include "base/result.h"
#include "outputs/output.h"
#include "outputs/seen_times.h"
#include "outputs/wayland/commit_hints.h"
#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"
#include "outputs/wayland/page_buffer.h"

namespace tandem::outputs {

// One frame callback at a time tells when the compositor wants the next frame; presentation-time, where it exists, tells which
// commits were seen and how long the display's period is. Created by one thread, destroyed after WaylandEvents::Stop.
class WaylandCommits {
 public:
  explicit WaylandCommits(WaylandEvents& events) : events_(events), hints_(events) {}
  ~WaylandCommits();
  WaylandCommits(const WaylandCommits&) = delete;
  WaylandCommits& operator=(const WaylandCommits&) = delete;

  // Once, before the first Commit. `refresh_period_ns` holds until the compositor reports its own.
  Result<void> Start(wl_surface* surface, const WaylandGlobals& globals, std::int64_t refresh_period_ns);
  // Shows `buffer` on the whole surface. `at_once`: outputs::Surface's. kSurfaceLost.
  Result<void> Commit(PageBuffer& buffer, bool at_once);

  [[nodiscard]] Beat last_beat();
  [[nodiscard]] DisplayReport report();
  // Show ends: Output::last_shown_ns.
  std::int64_t EndFrame();
  [[nodiscard]] Seen SeenAt(std::int64_t shown_ns);
  // True once after each frame that the compositor asked for.
  [[nodiscard]] bool TakeBeat() { return beat_.exchange(false); }

 private:
  void Ask() TANDEM_REQUIRES(events_.mutex());
  void OnFeedback(WpFeedback* feedback, const Seen& seen) TANDEM_REQUIRES(events_.mutex());
  static const wl_callback_listener kFrame;
  static const wp_presentation_feedback_listener kFeedback;

  WaylandEvents& events_;
  CommitHints hints_;
  wl_surface* surface_ = nullptr;  // a stand-in for the program's
  bool damages_buffers_ = false;
  wp_presentation* presentation_ = nullptr;
  wl_callback* frame_ TANDEM_GUARDED_BY(events_.mutex()) = nullptr;
  clockid_t presentation_clock_ = CLOCK_MONOTONIC;
  struct Question {
    WpFeedback* feedback = nullptr;
    std::uint64_t frame = 0;  // SeenTimes' number
  };
  std::vector<Question> feedbacks_ TANDEM_GUARDED_BY(events_.mutex());
  SeenTimes seen_ TANDEM_GUARDED_BY(events_.mutex());
  Beat last_ TANDEM_GUARDED_BY(events_.mutex());
  DisplayReport report_ TANDEM_GUARDED_BY(events_.mutex());
  std::atomic<bool> beat_{false};
};

}  // namespace tandem::outputs
