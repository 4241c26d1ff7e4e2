#include "swapchain/frame_lines.h"

#include <algorithm>

#include "base/check.h"
#include "link/governor/encoding_policy.h"

namespace tandem::swapchain {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

FrameLine* FrameLines::Find(std::uint64_t number) {
  if (sink_ == nullptr) return nullptr;
  const auto found = std::ranges::find(lines_, number, &FrameLine::number);
  return found == lines_.end() ? nullptr : &*found;
}

void FrameLines::Report(FrameLine& line) {
  sink_->Report(line);
  line = {};
}

void FrameLines::TellUpTo(std::uint64_t number) {
  for (;;) {
    FrameLine* first = nullptr;
    for (FrameLine& line : lines_) {
      if (line.number == 0 || line.number > number) continue;
      if (first == nullptr || line.number < first->number) first = &line;
    }
    if (first == nullptr) return;
    Report(*first);
  }
}

void FrameLines::Presented(std::uint32_t image, std::int64_t now_ns, Path path, const FrameSchedule& schedule) {
  if (sink_ == nullptr) return;
  // A mailbox may replace many frames while one is shown.
  if (Find(0) == nullptr) {
    for (FrameLine& line : lines_) {
      if (!schedule.IsUnderWay(line.number)) Report(line);
    }
  }
  FrameLine* const free = Find(0);
  TANDEM_CHECK(free != nullptr);
  free->number = schedule.presented();
  free->path = path;
  free->acquired_ns = acquired_ns_[image];
  free->presented_ns = now_ns;
}

void FrameLines::Queued(const CopyWork& copy, Path path, bool held, PassMeter* meter) {
  if (FrameLine* const line = Find(copy.frame)) {
    line->path = path;
    line->held = held;
  }
  copies_[copy.serial % kMaxBuffers] = {copy.frame, meter};
}

void FrameLines::Copied(std::uint64_t serial, std::int64_t now_ns) {
  for (; sink_ != nullptr && copied_ < serial; ++copied_) {
    const Copy& copy = copies_[(copied_ + 1) % kMaxBuffers];
    const PassTimes times = copy.meter == nullptr ? PassTimes{} : copy.meter->TakeTimes();
    FrameLine* const line = Find(copy.frame);
    if (line == nullptr) continue;
    line->copy = times;
    line->copied_ns = now_ns;
  }
}

void FrameLines::Sent(std::uint64_t number, const link::SentFrame& sent, std::string_view cause) {
  FrameLine* const line = Find(number);
  if (line == nullptr) return;
  line->encoding = sent.encoding;
  line->cause = cause;
  line->bytes = sent.bytes;
  line->encode_ns = sent.encode_ns;
  line->link_ns = sent.link_ns;
  line->unchanged = sent.unchanged;
  line->lossy = sent.lossy;
}

void FrameLines::Flipped(std::uint64_t number, ShownBy by, std::int64_t queued_ns) {
  FrameLine* const line = Find(number);
  if (line == nullptr) return;
  line->shown_by = by;
  line->flip_queued_ns = queued_ns;
}

void FrameLines::Shown(std::uint64_t number, std::int64_t now_ns, std::int64_t decode_ns) {
  if (FrameLine* const line = Find(number)) {
    line->shown_ns = now_ns;
    line->decode_ns = decode_ns;
    TellUpTo(number);
  }
}

void FrameLines::End() {
  if (sink_ != nullptr) TellUpTo(kAll);
}

}  // namespace tandem::swapchain
