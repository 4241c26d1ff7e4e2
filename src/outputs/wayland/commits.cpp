#include "outputs/wayland/commits.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "base/read_clock.h"

namespace tandem::outputs {
namespace {

// A hidden window's frames are replaced one by the other, so few are open; a compositor that never answers gets no more than
// this.
constexpr std::size_t kMostFeedbacks = 32;
constexpr std::uint32_t kShortestPeriodNs = 1'000'000;     // 1000 Hz
constexpr std::uint32_t kLongestPeriodNs = 1'000'000'000;  // 1 Hz
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
// A time stamp further from its arrival is none.
constexpr std::int64_t kFarNs = 1'000'000'000;

// A time of the compositor's clock by CLOCK_MONOTONIC.
Seen SeenBy(clockid_t clock, std::uint64_t seconds, std::uint32_t nanoseconds) {
  const std::int64_t now_ns = MonotonicClock().NowNs();
  std::int64_t ahead_ns = 0;
  // The coarse clock has the same beginning and longer steps: a reading of it would make the time worse.
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE) {
    const auto ahead = AheadOfMonotonicNs(clock);
    if (!ahead) return {};
    ahead_ns = *ahead;
  }
  constexpr std::uint64_t kMostSeconds = std::uint64_t{1} << 32;
  if (seconds > kMostSeconds || nanoseconds >= kNsPerSecond) return {};
  const std::int64_t at_ns = static_cast<std::int64_t>(seconds) * kNsPerSecond + nanoseconds - ahead_ns;
  if (at_ns < now_ns - kFarNs || at_ns > now_ns + kFarNs) return {};
  return {Fate::kSeen, at_ns};
}

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
    [](void* data, WpFeedback* feedback, std::uint32_t high, std::uint32_t low, std::uint32_t nanoseconds,
       std::uint32_t refresh_ns, std::uint32_t, std::uint32_t, std::uint32_t) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
      auto* commits = static_cast<WaylandCommits*>(data);
      ++commits->report_.seen;
      if (refresh_ns >= kShortestPeriodNs && refresh_ns <= kLongestPeriodNs) commits->last_.period_ns = refresh_ns;
      commits->OnFeedback(feedback, SeenBy(commits->presentation_clock_, std::uint64_t{high} << 32 | low, nanoseconds));
    },
    [](void* data, WpFeedback* feedback) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
      auto* commits = static_cast<WaylandCommits*>(data);
      ++commits->report_.replaced;
      commits->OnFeedback(feedback, {Fate::kReplaced, 0});
    },
};

void WaylandCommits::OnFeedback(WpFeedback* feedback, const Seen& seen) {
  wp_presentation_feedback_destroy(feedback);
  const auto question = std::ranges::find(feedbacks_, feedback, &Question::feedback);
  seen_.Answer(question->frame, seen);
  feedbacks_.erase(question);
  events_.Arrived();
}

Result<void> WaylandCommits::Start(wl_surface* surface, const WaylandGlobals& globals, std::int64_t refresh_period_ns) {
  surface_ = events_.StandIn(surface);
  if (surface_ == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland surface.");
  damages_buffers_ = wl_surface_get_version(surface_) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION;
  presentation_ = globals.presentation();
  presentation_clock_ = globals.presentation_clock();
  hints_.Start(globals);
  const MutexLock lock(events_.mutex());
  feedbacks_.reserve(kMostFeedbacks);
  last_.period_ns = refresh_period_ns;
  report_.reports = presentation_ != nullptr;
  return {};
}

WaylandCommits::~WaylandCommits() {
  if (surface_ == nullptr) return;
  const MutexLock lock(events_.mutex());
  if (!events_.connected()) return;
  if (frame_ != nullptr) wl_callback_destroy(frame_);
  for (const Question& question : feedbacks_) wp_presentation_feedback_destroy(question.feedback);
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
  feedbacks_.push_back({feedback, seen_.Begin()});
  events_.Expect();
}

Result<void> WaylandCommits::Commit(PageBuffer& buffer, bool at_once) {
  {
    const MutexLock lock(events_.mutex());
    if (auto usable = events_.Usable(); !usable.ok()) return usable;
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

std::int64_t WaylandCommits::EndFrame() {
  const MutexLock lock(events_.mutex());
  return seen_.End(MonotonicClock().NowNs());
}

Seen WaylandCommits::SeenAt(std::int64_t shown_ns) {
  const MutexLock lock(events_.mutex());
  return seen_.Find(shown_ns, MonotonicClock().NowNs());
}

}  // namespace tandem::outputs
