#include "outputs/wayland/commits.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"

namespace tandem::outputs {
namespace {

// A hidden window's frames are replaced one by the other, so few are open; a compositor that never answers gets no more than
// this.
constexpr std::size_t kMostFeedbacks = 32;
constexpr std::uint32_t kShortestPeriodNs = 1'000'000;     // 1000 Hz
constexpr std::uint32_t kLongestPeriodNs = 1'000'000'000;  // 1 Hz

}  // namespace

// Handlers run with the lock; the analysis does not see that.
const wl_callback_listener WaylandCommits::kFrame{
    [](void* data, wl_callback* callback, std::uint32_t) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
      auto* commits = static_cast<WaylandCommits*>(data);
      wl_callback_destroy(callback);
      commits->frame_ = nullptr;
      commits->last_.awaited = false;
      commits->last_.at_ns = MonotonicClock().NowNs();
      commits->beat_ = true;
      commits->events_.Arrived();
    },
};

const wp_presentation_feedback_listener WaylandCommits::kFeedback{
    [](void*, WpFeedback*, wl_output*) {},
    [](void* data, WpFeedback* feedback, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t refresh_ns, std::uint32_t,
       std::uint32_t, std::uint32_t) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
      auto* commits = static_cast<WaylandCommits*>(data);
      ++commits->report_.seen;
      if (refresh_ns >= kShortestPeriodNs && refresh_ns <= kLongestPeriodNs) commits->last_.period_ns = refresh_ns;
      commits->OnFeedback(feedback);
    },
    [](void* data, WpFeedback* feedback) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
      auto* commits = static_cast<WaylandCommits*>(data);
      ++commits->report_.replaced;
      commits->OnFeedback(feedback);
    },
};

void WaylandCommits::OnFeedback(WpFeedback* feedback) {
  wp_presentation_feedback_destroy(feedback);
  std::erase(feedbacks_, feedback);
  events_.Arrived();
}

Result<void> WaylandCommits::Start(wl_surface* surface, const WaylandGlobals& globals, std::int64_t refresh_period_ns) {
  surface_ = events_.StandIn(surface);
  if (surface_ == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland surface.");
  damages_buffers_ = wl_surface_get_version(surface_) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION;
  presentation_ = globals.presentation();
  hints_.Start(globals);
  const MutexLock lock(events_.mutex());
  feedbacks_.reserve(kMostFeedbacks);
  last_.period_ns = refresh_period_ns;
  report_.reports = presentation_ != nullptr;
  return {};
}

WaylandCommits::~WaylandCommits() {
  if (surface_ == nullptr || !events_.connected()) return;
  const MutexLock lock(events_.mutex());
  if (frame_ != nullptr) wl_callback_destroy(frame_);
  for (WpFeedback* feedback : feedbacks_) wp_presentation_feedback_destroy(feedback);
  WaylandEvents::ReleaseStandIn(surface_);
}

void WaylandCommits::Ask() {
  if (frame_ == nullptr && (frame_ = wl_surface_frame(surface_)) != nullptr) {
    wl_callback_add_listener(frame_, &kFrame, this);
    last_.awaited = true;
    events_.Expect();
  }
  if (presentation_ == nullptr || feedbacks_.size() == kMostFeedbacks) return;
  WpFeedback* feedback = wp_presentation_feedback(presentation_, surface_);
  if (feedback == nullptr) return;
  wp_presentation_feedback_add_listener(feedback, &kFeedback, this);
  feedbacks_.push_back(feedback);
  events_.Expect();
}

Result<void> WaylandCommits::Commit(PageBuffer& buffer, bool at_once) {
  if (events_.lost() || !events_.connected()) return Fail(ErrorKind::kSurfaceLost, "The Wayland connection is closed.");
  {
    const MutexLock lock(events_.mutex());
    buffer.Attach(surface_);
    constexpr std::int32_t kWhole = std::numeric_limits<std::int32_t>::max();
    if (damages_buffers_) {
      wl_surface_damage_buffer(surface_, 0, 0, kWhole, kWhole);
    } else {
      wl_surface_damage(surface_, 0, 0, kWhole, kWhole);
    }
    hints_.Give(events_, surface_, at_once, !last_.awaited);
    Ask();
    wl_surface_commit(surface_);
  }
  return events_.Flush();
}

Beat WaylandCommits::last_beat() {
  const MutexLock lock(events_.mutex());
  return last_;
}

DisplayReport WaylandCommits::report() {
  const MutexLock lock(events_.mutex());
  DisplayReport report = report_;
  report.pending = feedbacks_.size();
  return report;
}

}  // namespace tandem::outputs
