#include "swapchain/frame_schedule.h"

#include <algorithm>

#include "base/check.h"

namespace tandem::swapchain {
namespace {

// Beside the surface on the screen: one that is programmed and one behind it, so that a late thread costs no vertical blank.
constexpr std::uint32_t kPendingFlips = 2;
// A mailbox keeps the second one open for a newer frame; and an immediate flip would overtake the one before it unseen.
constexpr std::uint32_t kPendingFlipsWithoutQueue = 1;

}  // namespace

FrameSchedule::FrameSchedule(const ScheduleDesc& desc) : desc_(desc) {
  TANDEM_CHECK(desc.image_count >= 1 && desc.image_count <= kMaxAppImages);
  TANDEM_CHECK(desc.buffer_count >= 1 && desc.buffer_count <= kMaxBuffers);
  TANDEM_CHECK(desc.buffers == BufferKind::kRing || desc.buffer_count == desc.image_count);
  for (std::uint32_t i = 0; i < desc.image_count; ++i) Free(i);
}

void FrameSchedule::Free(std::uint32_t image) {
  images_[image].state = ImageState::kFree;
  images_[image].freed = ++frees_;
}

std::optional<std::uint32_t> FrameSchedule::Acquire() {
  if (waiting_count_ != 0 && desc_.mode != PresentMode::kMailbox) return std::nullopt;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < desc_.image_count; ++i) {
    if (images_[i].state != ImageState::kFree) continue;
    if (!best || images_[i].freed < images_[*best].freed) best = i;
  }
  if (best) images_[*best].state = ImageState::kAcquired;
  return best;
}

Result<void> FrameSchedule::Present(std::uint32_t image, std::uint64_t present_id, std::int64_t now_ns) {
  if (image >= desc_.image_count || images_[image].state != ImageState::kAcquired) {
    return Fail(ErrorKind::kInvalidArgument, "Image {} of {} is presented without being acquired.", image, desc_.image_count);
  }
  if (desc_.mode == PresentMode::kMailbox) DropWaiting();
  images_[image].state = ImageState::kWaiting;
  waiting_[waiting_count_++] = {image, present_id, now_ns};
  ++presented_;
  return {};
}

Result<void> FrameSchedule::Release(std::uint32_t image) {
  if (image >= desc_.image_count || images_[image].state != ImageState::kAcquired) {
    return Fail(ErrorKind::kInvalidArgument, "Image {} of {} is released without being acquired.", image, desc_.image_count);
  }
  Free(image);
  return {};
}

std::optional<std::uint32_t> FrameSchedule::FreeBuffer(const Frame& frame) const {
  if (desc_.buffers == BufferKind::kTheImages) return frame.image;
  for (std::uint32_t i = 0; i < desc_.buffer_count; ++i) {
    if (buffers_[i].state == BufferState::kFree) return i;
  }
  return std::nullopt;
}

std::optional<CopyWork> FrameSchedule::NextCopy() {
  if (waiting_count_ == 0) return std::nullopt;
  const Frame frame = waiting_[0];
  const auto buffer = FreeBuffer(frame);
  if (!buffer) return std::nullopt;
  std::move(waiting_.begin() + 1, waiting_.begin() + waiting_count_, waiting_.begin());
  --waiting_count_;
  const std::uint64_t serial = ++last_copy_;
  buffers_[*buffer] = {BufferState::kCopying, frame, serial};
  images_[frame.image].copy = serial;
  images_[frame.image].state = ImageState::kInUse;
  if (desc_.buffers == BufferKind::kRing && desc_.acquire_when == AcquireWhen::kCopySubmitted) Free(frame.image);
  return CopyWork{frame.image, *buffer, serial};
}

void FrameSchedule::CopiesDone(std::uint64_t serial) {
  copies_done_ = std::max(copies_done_, serial);
  for (std::uint32_t i = 0; i < desc_.buffer_count; ++i) {
    Buffer& buffer = buffers_[i];
    if (buffer.state == BufferState::kCopying && buffer.serial <= copies_done_) buffer.state = BufferState::kReady;
  }
  if (desc_.buffers == BufferKind::kTheImages) return;  // they are given back when they leave the screen
  // Oldest copy first, so that images come back in the order in which they were presented.
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

std::optional<std::uint32_t> FrameSchedule::Oldest(BufferState state) const {
  std::optional<std::uint32_t> oldest;
  for (std::uint32_t i = 0; i < desc_.buffer_count; ++i) {
    if (buffers_[i].state != state) continue;
    if (!oldest || buffers_[i].serial < buffers_[*oldest].serial) oldest = i;
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
  // Late: the vertical blank that the frame was for has passed with nothing to show.
  const bool late = last_flip_ == flips_done_ && last_shown_ns_ && now_ns - *last_shown_ns_ > desc_.refresh_period_ns;
  return late ? FlipWhen::kImmediate : FlipWhen::kVerticalBlank;
}

std::optional<FlipWork> FrameSchedule::NextFlip(std::int64_t now_ns) {
  if (last_flip_ - flips_done_ >= MaxPendingFlips()) return std::nullopt;
  if (desc_.mode == PresentMode::kMailbox) DropReadyButNewest();
  const auto ready = Oldest(BufferState::kReady);
  if (!ready) return std::nullopt;
  const FlipWhen when = WhenToFlip(now_ns);
  Buffer& buffer = buffers_[*ready];
  buffer.state = BufferState::kFlipping;
  buffer.serial = ++last_flip_;
  return FlipWork{*ready, buffer.serial, when};
}

std::optional<ShownFrame> FrameSchedule::NextShown(std::uint64_t serial, std::int64_t now_ns) {
  const auto flipping = Oldest(BufferState::kFlipping);
  if (!flipping || buffers_[*flipping].serial > serial) return std::nullopt;
  if (const auto before = Oldest(BufferState::kOnScreen)) FreeBufferOf(*before);
  Buffer& buffer = buffers_[*flipping];
  buffer.state = BufferState::kOnScreen;
  flips_done_ = buffer.serial;
  shown_id_ = std::max(shown_id_, buffer.frame.id);
  last_shown_ns_ = now_ns;
  ++shown_;
  return ShownFrame{buffer.frame.presented_ns};
}

void FrameSchedule::FreeBufferOf(std::uint32_t buffer) {
  buffers_[buffer].state = BufferState::kFree;
  if (desc_.buffers == BufferKind::kTheImages) Free(buffer);
}

void FrameSchedule::DropReadyButNewest() {
  for (;;) {
    const auto oldest = Oldest(BufferState::kReady);
    if (!oldest) return;
    const auto newer = [&](const Buffer& other) {
      return other.state == BufferState::kReady && other.serial > buffers_[*oldest].serial;
    };
    if (std::none_of(buffers_.begin(), buffers_.begin() + desc_.buffer_count, newer)) return;
    ++dropped_;
    FreeBufferOf(*oldest);
  }
}

void FrameSchedule::DropWaiting() {
  for (std::uint32_t i = 0; i < waiting_count_; ++i) Free(waiting_[i].image);
  dropped_ += waiting_count_;
  waiting_count_ = 0;
}

}  // namespace tandem::swapchain
