#include "swapchain/frame_schedule.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"

namespace tandem::swapchain {
namespace {

// Flips besides the surface on the screen: one programmed and one behind it, so that a late thread costs no vertical blank.
constexpr std::uint32_t kPendingFlips = 2;
// Where frames are replaced, the second flip is kept open for a newer one. An immediate flip would overtake a pending one before
// that is seen.
constexpr std::uint32_t kPendingFlipsWithoutQueue = 1;

// The part of a refresh period by which a vertical blank may precede a frame's time and still count as meeting it: periods and
// times of blanks are not exact.
constexpr std::int64_t kEarlyShare = 16;

// Incomplete slices of earlier frames when the next copy is queued: enough to keep engines and link busy. More slices would
// need more DMA buffers than the context has, so that queueing the copy would block.
constexpr std::uint32_t SlicesAhead(std::uint32_t slices) { return std::max(2U, slices / 4); }

}  // namespace

void FrameSchedule::Check(const ScheduleDesc& desc) {
  TANDEM_CHECK(desc.image_count >= 1 && desc.image_count <= kMaxAppImages);
  TANDEM_CHECK(desc.buffer_count >= 1 && desc.buffer_count <= kMaxBuffers);
  TANDEM_CHECK(desc.buffers == BufferKind::kRing || desc.buffer_count == desc.image_count);
  TANDEM_CHECK(desc.primary_count == 0 || (desc.buffers == BufferKind::kRing && desc.primary_count <= kMaxPrimaries));
  // Slices are copied on before the schedule knows if their frame will be shown.
  TANDEM_CHECK(desc.slices == 1 || (desc.slices > 1 && !Replaces(desc.mode, desc.slow_flips)));
}

FrameSchedule::FrameSchedule(const ScheduleDesc& desc) : desc_(desc) {
  Check(desc);
  for (std::uint32_t i = 0; i < desc.image_count; ++i) Free(i);
}

void FrameSchedule::Free(std::uint32_t image) {
  images_[image].state = ImageState::kFree;
  images_[image].freed = ++frees_;
}

std::optional<std::uint32_t> FrameSchedule::Acquire() {
  if (waiting_count_ != 0 && !replaces()) return std::nullopt;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < desc_.image_count; ++i) {
    if (images_[i].state != ImageState::kFree) continue;
    if (!best || images_[i].freed < images_[*best].freed) best = i;
  }
  if (best) images_[*best].state = ImageState::kAcquired;
  return best;
}

Result<void> FrameSchedule::QueueFrame(std::uint32_t image, std::uint64_t present_id, std::int64_t now_ns, const ShowAt& at) {
  if (image >= desc_.image_count || images_[image].state != ImageState::kAcquired) {
    return Fail(ErrorKind::kInvalidArgument, "Image {} of {} is presented without being acquired.", image, desc_.image_count);
  }
  if (replaces() && !replaces_at_blanks()) DropWaiting();
  images_[image].state = ImageState::kWaiting;
  waiting_[waiting_count_++] = {image, present_id, now_ns, ++presented_, 0, 0, at};
  return {};
}

Result<void> FrameSchedule::Release(std::uint32_t image) {
  if (image >= desc_.image_count || images_[image].state != ImageState::kAcquired) {
    return Fail(ErrorKind::kInvalidArgument, "Image {} of {} is released without being acquired.", image, desc_.image_count);
  }
  Free(image);
  return {};
}

std::optional<std::uint32_t> FrameSchedule::BufferFor(const Frame& frame) const {
  if (desc_.buffers == BufferKind::kTheImages) return frame.image;
  for (std::uint32_t i = 0; i < desc_.buffer_count; ++i) {
    if (buffers_[i].state == BufferState::kFree) return i;
  }
  return std::nullopt;
}

std::optional<CopyWork> FrameSchedule::NextCopy() {
  if (waiting_count_ == 0) return std::nullopt;
  if (desc_.slices > 1 && last_copy_ * desc_.slices - slices_done_ > SlicesAhead(desc_.slices)) return std::nullopt;
  Frame frame = waiting_[0];
  const auto buffer = BufferFor(frame);
  if (!buffer) return std::nullopt;
  std::move(waiting_.begin() + 1, waiting_.begin() + waiting_count_, waiting_.begin());
  --waiting_count_;
  const std::uint64_t serial = ++last_copy_;
  frame.buffer = *buffer;
  frame.copy = serial;
  buffers_[*buffer] = {BufferState::kCopying, frame, serial};
  images_[frame.image].copy = serial;
  images_[frame.image].state = ImageState::kInUse;
  if (desc_.buffers == BufferKind::kRing && desc_.acquire_when == AcquireWhen::kCopySubmitted) Free(frame.image);
  return CopyWork{frame.image, *buffer, serial, frame.number};
}

void FrameSchedule::SlicesDone(std::uint64_t slices) {
  slices_done_ = std::max(slices_done_, slices);
  copies_done_ = slices_done_ / desc_.slices;
  for (std::uint32_t i = 0; i < desc_.buffer_count; ++i) {
    Buffer& buffer = buffers_[i];
    if (buffer.state == BufferState::kCopying && buffer.serial <= copies_done_) buffer.state = BufferState::kReady;
  }
  // Frames are dropped now, not at the next flip: a flip may be pending until the vertical blank, but images are free at once.
  if (replaces() && !replaces_at_blanks()) DropReadyBefore(kNoDeadline);
  if (desc_.buffers == BufferKind::kRing) FreeCopied();  // else images come back when they leave the screen
}

// The oldest copy goes first, so that images come back in the order of their presents.
void FrameSchedule::FreeCopied() {
  for (;;) {
    Image* oldest = nullptr;
    for (std::uint32_t i = 0; i < desc_.image_count; ++i) {
      Image& image = images_[i];
      if (image.state != ImageState::kInUse || image.copy > copies_done_) continue;
      if (oldest == nullptr || image.copy < oldest->copy) oldest = &image;
    }
    if (oldest == nullptr) return;
    Free(static_cast<std::uint32_t>(oldest - images_.data()));
  }
}

std::optional<SliceWork> FrameSchedule::NextSlice() {
  if (desc_.slices == 1 || slices_given_ == slices_done_) return std::nullopt;
  const std::uint64_t serial = slices_given_ / desc_.slices + 1;
  const auto slice = static_cast<std::uint32_t>(slices_given_ % desc_.slices);
  ++slices_given_;
  const auto* const buffer = std::find_if(buffers_.begin(), buffers_.end(), [serial](const Buffer& candidate) {
    return (candidate.state == BufferState::kCopying || candidate.state == BufferState::kReady) && candidate.serial == serial;
  });
  TANDEM_CHECK(buffer != buffers_.end());
  return SliceWork{static_cast<std::uint32_t>(buffer - buffers_.begin()), slice};
}

std::optional<std::uint32_t> FrameSchedule::Oldest(const Buffers& buffers, BufferState state) {
  std::optional<std::uint32_t> oldest;
  for (std::uint32_t i = 0; i < kMaxBuffers; ++i) {
    if (buffers[i].state != state) continue;
    if (!oldest || buffers[i].serial < buffers[*oldest].serial) oldest = i;
  }
  return oldest;
}

std::uint32_t FrameSchedule::MaxPendingFlips() const {
  const bool queued = desc_.mode == PresentMode::kFifo || desc_.mode == PresentMode::kFifoRelaxed;
  return queued ? kPendingFlips : kPendingFlipsWithoutQueue;
}

FlipWhen FrameSchedule::WhenToFlip(std::int64_t now_ns) const {
  if (desc_.mode == PresentMode::kImmediate) return FlipWhen::kImmediate;
  if (desc_.mode != PresentMode::kFifoRelaxed) return FlipWhen::kVerticalBlank;
  // A frame is late if its vertical blank has passed without a frame to show.
  const bool late = last_flip_ == flips_done_ && last_shown_ns_ && now_ns - *last_shown_ns_ > desc_.refresh_period_ns;
  return late ? FlipWhen::kImmediate : FlipWhen::kVerticalBlank;
}

std::int64_t FrameSchedule::BlankOf(const Frame& frame) const {
  const ShowAt& at = frame.at;
  if (at.time_ns == 0) return 0;
  const std::optional<std::int64_t>& last_ns = last_seen_ns_ ? last_seen_ns_ : last_shown_ns_;
  const std::int64_t target_ns = at.relative ? last_ns.value_or(frame.presented_ns) + at.time_ns : at.time_ns;
  if (!last_ns || target_ns <= *last_ns) return target_ns;
  const std::int64_t period_ns = desc_.refresh_period_ns;
  const std::int64_t rounding_ns = at.nearest ? period_ns / 2 : period_ns - period_ns / kEarlyShare;
  return *last_ns + (target_ns - *last_ns + rounding_ns) / period_ns * period_ns;
}

std::int64_t FrameSchedule::FlipNsOf(const Frame& frame) const {
  if (frame.at.time_ns == 0) return 0;
  // The time counts from the frame before, which is not shown yet.
  if (frame.at.relative && last_flip_ != flips_done_) return kNoDeadline;
  return BlankOf(frame) - (desc_.mode == PresentMode::kImmediate ? 0 : desc_.refresh_period_ns / 2);
}

std::optional<std::int64_t> FrameSchedule::NextFlipNs(std::int64_t now_ns) const {
  const auto ready = Oldest(buffers_, BufferState::kReady);
  if (!ready || last_flip_ - flips_done_ >= MaxPendingFlips()) return std::nullopt;
  const std::int64_t flip_ns = FlipNsOf(buffers_[*ready].frame);
  return flip_ns > now_ns ? std::optional(flip_ns) : std::nullopt;
}

std::optional<FlipWork> FrameSchedule::NextFlip(std::int64_t now_ns) {
  if (last_flip_ - flips_done_ >= MaxPendingFlips()) return std::nullopt;
  const auto ready = Oldest(buffers_, BufferState::kReady);
  if (!ready) return std::nullopt;
  Buffer& buffer = buffers_[*ready];
  if (FlipNsOf(buffer.frame) > now_ns) return std::nullopt;
  if (desc_.slices > 1 && slices_given_ < buffer.serial * desc_.slices) return std::nullopt;
  FlipWork work{*ready, *ready, last_flip_ + 1, WhenToFlip(now_ns), buffer.frame.number};
  if (desc_.primary_count != 0) {
    const auto* const end = primaries_.begin() + desc_.primary_count;
    const auto* const primary =
        std::find_if(primaries_.cbegin(), end, [](const Buffer& candidate) { return candidate.state == BufferState::kFree; });
    if (primary == end) return std::nullopt;
    work.primary = static_cast<std::uint32_t>(primary - primaries_.begin());
    primaries_[work.primary].frame = buffer.frame;
    buffer.state = BufferState::kCopyingOn;
    buffer.serial = work.serial;
  }
  Buffer& screen = screens()[work.primary];
  screen.state = BufferState::kFlipping;
  screen.serial = ++last_flip_;
  return work;
}

void FrameSchedule::CopiedOn(std::uint64_t serial) {
  copied_on_ = std::max(copied_on_, serial);
  for (Buffer& buffer : buffers_) {
    if (buffer.state == BufferState::kCopyingOn && buffer.serial <= copied_on_) buffer.state = BufferState::kFree;
  }
}

std::optional<ShownFrame> FrameSchedule::NextShown(std::uint64_t serial, std::int64_t now_ns) {
  Buffers& screens = this->screens();
  const auto flipping = Oldest(screens, BufferState::kFlipping);
  if (!flipping || screens[*flipping].serial > serial) return std::nullopt;
  if (const auto before = Oldest(screens, BufferState::kOnScreen)) FreeOneOf(screens, *before);
  Buffer& screen = screens[*flipping];
  screen.state = BufferState::kOnScreen;
  flips_done_ = screen.serial;
  shown_id_ = std::max(shown_id_, screen.frame.id);
  last_shown_ns_ = now_ns;
  last_seen_ns_.reset();
  ++shown_;
  if (replaces_at_blanks()) {
    const std::int64_t next_blank_ns = now_ns + desc_.refresh_period_ns * 5 / 4;  // or a late one
    DropReadyBefore(next_blank_ns);
    DropWaitingBefore(next_blank_ns);
  }
  return ShownFrame{screen.frame.presented_ns, screen.frame.number, screen.frame.buffer, screen.frame.copy};
}

void FrameSchedule::FreeOneOf(Buffers& buffers, std::uint32_t index) {
  buffers[index].state = BufferState::kFree;
  if (desc_.buffers == BufferKind::kTheImages) Free(index);
}

void FrameSchedule::DropReadyBefore(std::int64_t blank_ns) {
  for (;;) {
    const auto oldest = Oldest(buffers_, BufferState::kReady);
    if (!oldest) return;
    const auto newer = [&](const Buffer& other) {
      return other.state == BufferState::kReady && other.serial > buffers_[*oldest].serial && BlankOf(other.frame) <= blank_ns;
    };
    if (std::none_of(buffers_.begin(), buffers_.begin() + desc_.buffer_count, newer)) return;
    ++dropped_;
    FreeOneOf(buffers_, *oldest);
  }
}

void FrameSchedule::DropWaitingBefore(std::int64_t blank_ns) {
  std::uint32_t newest = 0;
  for (std::uint32_t i = 0; i < waiting_count_; ++i) {
    if (BlankOf(waiting_[i]) <= blank_ns) newest = i;
  }
  DropWaiting(newest);
}

void FrameSchedule::DropWaiting(std::uint32_t oldest) {
  for (std::uint32_t i = 0; i < oldest; ++i) Free(waiting_[i].image);
  std::move(waiting_.begin() + oldest, waiting_.begin() + waiting_count_, waiting_.begin());
  dropped_ += oldest;
  waiting_count_ -= oldest;
}

std::uint64_t FrameSchedule::LoseDisplay() {
  const std::uint64_t before = dropped_;
  // A frame that is copied on stands in its primary, too.
  for (Buffers* const list : {&buffers_, &primaries_}) {
    for (Buffer& buffer : *list) {
      const bool under_way = buffer.state != BufferState::kFree && buffer.state != BufferState::kOnScreen;
      if (under_way && buffer.state != BufferState::kCopyingOn) {
        ++dropped_;
        shown_id_ = std::max(shown_id_, buffer.frame.id);
      }
      buffer = {};
    }
  }
  copies_done_ = last_copy_;
  FreeCopied();
  for (Image& image : images_) image.copy = 0;
  last_copy_ = copies_done_ = slices_done_ = slices_given_ = copied_on_ = last_flip_ = flips_done_ = 0;
  return dropped_ - before;
}

void FrameSchedule::GoOn(const ScheduleDesc& desc) {
  Check(desc);
  TANDEM_CHECK(desc.image_count == desc_.image_count && last_copy_ == 0);
  desc_ = desc;
}

bool FrameSchedule::IsUnderWay(std::uint64_t frame) const {
  const auto holds = [frame](const Buffer& it) { return it.state != BufferState::kFree && it.frame.number == frame; };
  return std::any_of(waiting_.begin(), waiting_.begin() + waiting_count_,
                     [frame](const Frame& it) { return it.number == frame; }) ||
         std::any_of(buffers_.begin(), buffers_.end(), holds) || std::any_of(primaries_.begin(), primaries_.end(), holds);
}

}  // namespace tandem::swapchain
