#include "outputs/seen_times.h"

#include <algorithm>

namespace tandem::outputs {
namespace {

constexpr std::int64_t kUnansweredNs = 1'000'000'000;

}  // namespace

std::uint64_t SeenTimes::Begin() {
  ++last_;
  frames_[last_ % frames_.size()] = {last_, 0, {Fate::kPending, 0}};
  return last_;
}

void SeenTimes::Answer(std::uint64_t number, const Seen& seen) {
  Frame& frame = frames_[number % frames_.size()];
  if (frame.number == number) frame.seen = seen;
}

std::int64_t SeenTimes::End(std::int64_t now_ns) {
  if (ended_ == last_) return 0;
  ended_ = last_;
  return frames_[last_ % frames_.size()].shown_ns = now_ns;
}

Seen SeenTimes::Find(std::int64_t shown_ns, std::int64_t now_ns) const {
  const auto frame = std::ranges::find(frames_, shown_ns, &Frame::shown_ns);
  if (shown_ns == 0 || frame == frames_.end()) return {};
  if (frame->seen.fate == Fate::kPending && now_ns - shown_ns > kUnansweredNs) return {};
  return frame->seen;
}

}  // namespace tandem::outputs
