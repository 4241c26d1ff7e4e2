#include "outputs/x11/present_time.h"

#include <algorithm>

namespace tandem::outputs {
namespace {

constexpr std::int64_t kNsPerUs = 1'000;
// Open questions about images; more of them would fall on the same vertical blank.
constexpr std::uint64_t kMostAsked = 64;
constexpr std::int64_t kUnansweredNs = 1'000'000'000;
constexpr std::int64_t kStillNs = 250'000'000;
// A time stamp that lies further from the event's arrival belongs to another clock.
constexpr std::uint64_t kFarUs = 1'000'000;
constexpr std::uint64_t kFewestPeriods = 16;
constexpr std::uint64_t kMostPeriods = 1024;
constexpr std::int64_t kShortestPeriodNs = 1'000'000;   // 1000 Hz
constexpr std::int64_t kLongestPeriodNs = 200'000'000;  // 5 Hz; hidden windows get one vertical blank a second

}  // namespace

bool PresentTime::AsksForImage(std::int64_t now_ns) {
  if (pending_ < kMostAsked || now_ns - asked_at_ > kUnansweredNs) return true;
  ++replaced_;
  return false;
}

void PresentTime::Asked(std::int64_t now_ns) {
  if (pending_ >= kMostAsked && now_ns - asked_at_ > kUnansweredNs) pending_ = 0;  // the server forgot them
  ++pending_;
  ++open_;
  asked_at_ = now_ns;
}

Seen PresentTime::ImageCompleted(std::uint64_t later, std::uint64_t ust_us, std::uint64_t msc, std::int64_t now_ns) {
  ++(answered_ && msc == msc_ ? replaced_ : seen_);
  return Count(later, ust_us, msc, now_ns);
}

Seen PresentTime::PixmapCompleted(PresentMode mode, std::uint64_t later, std::uint64_t ust_us, std::uint64_t msc,
                                  std::int64_t now_ns) {
  ++(mode == PresentMode::kSeen ? seen_ : replaced_);
  knows_fates_ = true;
  const Seen seen = Count(later, ust_us, msc, now_ns);
  return mode == PresentMode::kSeen ? seen : Seen{Fate::kReplaced, 0};
}

Seen PresentTime::Count(std::uint64_t later, std::uint64_t ust_us, std::uint64_t msc, std::int64_t now_ns) {
  pending_ = std::min(pending_, later);
  if (open_ > 0) --open_;
  const bool rises = answered_ && msc > msc_;
  if (rises || !answered_) risen_at_ = now_ns;
  stands_still_ = now_ns - risen_at_ > kStillNs;
  keeps_time_ = !stands_still_ && (keeps_time_ || rises);
  const auto now_us = static_cast<std::uint64_t>(now_ns / kNsPerUs);
  const bool near = ust_us != 0 && ust_us <= now_us && now_us - ust_us < kFarUs;
  const std::int64_t at_ns = near ? static_cast<std::int64_t>(ust_us) * kNsPerUs : now_ns;
  if (rises || !keeps_time_) {
    beat_.at_ns = at_ns;
    if (near) MeasurePeriod(ust_us, msc);
  }
  msc_ = msc;
  answered_ = true;
  return near && !stands_still_ ? Seen{Fate::kSeen, at_ns} : Seen{};
}

void PresentTime::MeasurePeriod(std::uint64_t ust_us, std::uint64_t msc) {
  const bool goes_on = from_ust_ != 0 && ust_us > from_ust_ && msc > from_msc_ && msc - from_msc_ <= kMostPeriods;
  if (!goes_on) {
    from_ust_ = ust_us;
    from_msc_ = msc;
  } else if (msc - from_msc_ >= kFewestPeriods) {
    const auto period_ns = static_cast<std::int64_t>(ust_us - from_ust_) * kNsPerUs / static_cast<std::int64_t>(msc - from_msc_);
    if (period_ns >= kShortestPeriodNs && period_ns <= kLongestPeriodNs) beat_.period_ns = period_ns;
  }
}

Beat PresentTime::last_beat() const {
  Beat beat = beat_;
  beat.awaited = pending_ > 0;
  return beat;
}

DisplayReport PresentTime::report() const {
  if (stands_still_ && !knows_fates_) return {};
  return {true, seen_, replaced_, open_};
}

}  // namespace tandem::outputs
