// The pacing of a swap chain, without threads, drivers or a clock: which frame waits or is dropped, which image and buffer is
// free.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/limits.h"
#include "base/result.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// The direct path has a buffer for each image, other paths a ring.
inline constexpr std::uint32_t kMaxBuffers = kMaxAppImages;
static_assert(kMaxBuffers >= kMaxRingBuffers);

enum class BufferKind : std::uint8_t {
  kRing,       // frames are copied into the next free buffer
  kTheImages,  // image i is buffer i without a copy (the direct path)
};

// Primaries of the display adapter; frames are copied out of the ring into the next free one.
inline constexpr std::uint32_t kMaxPrimaries = kMaxRingBuffers;

struct ScheduleDesc {
  std::uint32_t image_count = 3;   // 1..kMaxAppImages
  std::uint32_t buffer_count = 3;  // 1..kMaxBuffers; image_count with kTheImages
  // 0: the display flips to each buffer, or to the primary that belongs to it. 1..kMaxPrimaries, with kRing only: primaries
  // take turns, and a buffer is free again once it is copied on.
  std::uint32_t primary_count = 0;
  std::uint32_t slices = 1;  // slices of a frame, each signalled by itself; above 1, each is copied on when it arrives
  BufferKind buffers = BufferKind::kRing;
  PresentMode mode = PresentMode::kFifo;
  bool slow_flips = false;  // Replaces()
  AcquireWhen acquire_when = AcquireWhen::kCopySubmitted;
  std::int64_t refresh_period_ns = kDefaultRefreshPeriodNs;
};

struct CopyWork {
  std::uint32_t image = 0;
  std::uint32_t buffer = 0;
  std::uint64_t serial = 0;  // 1, 2, 3 … in the order in which copies are to be queued
  std::uint64_t frame = 0;   // FrameSchedule::presented() after its present
};

// A slice that has arrived and is to be copied on. Destination: the primary that belongs to the buffer. If primaries take
// turns: a picture, which is copied to a primary when the frame is flipped to.
struct SliceWork {
  std::uint32_t buffer = 0;
  std::uint32_t slice = 0;  // position in the order of queueing
};

enum class FlipWhen : std::uint8_t { kVerticalBlank, kImmediate };

struct FlipWork {
  std::uint32_t buffer = 0;
  std::uint32_t primary = 0;  // surface to flip to: the buffer's own, or the primary that it is copied to first
  std::uint64_t serial = 0;   // 1, 2, 3 … in the order in which flips are to be queued
  FlipWhen when = FlipWhen::kVerticalBlank;
  std::uint64_t frame = 0;  // CopyWork::frame
};

struct ShownFrame {
  std::int64_t presented_ns = 0;  // time of the Present call
  std::uint64_t frame = 0;        // CopyWork::frame
  std::uint32_t buffer = 0;       // destination of its copy
  std::uint64_t copy = 0;         // serial of that copy
};

// An image goes free -> acquired -> waiting -> in use -> free. A buffer goes free -> copying -> ready -> flipping -> on screen
// -> free. If primaries take turns, a ready buffer is copied on and then free. A primary then goes free -> flipping -> on
// screen -> free. Not thread-safe: the owner holds a lock. Allocates nothing.
class FrameSchedule {
 public:
  explicit FrameSchedule(const ScheduleDesc& desc);

  // Gives an image to the application. Empty while no image is free or a presented frame still waits for a buffer. A
  // waiting frame is no obstacle where a newer one replaces it.
  std::optional<std::uint32_t> Acquire();
  // Accepts a frame in an acquired image. kInvalidArgument if the image is not acquired.
  Result<void> QueueFrame(std::uint32_t image, std::uint64_t present_id, std::int64_t now_ns, const ShowAt& at = {});
  // Takes an acquired image back unpresented. kInvalidArgument if the image is not acquired.
  Result<void> Release(std::uint32_t image);

  // The next copy, which counts as queued from now on. Empty if no frame waits, no buffer is free, or more than a few slices of
  // earlier frames are incomplete.
  std::optional<CopyWork> NextCopy();
  // Reports that `slices` of all copies together are complete, the value of the copies' fence. Where frames are replaced at
  // once, the newest complete one replaces the others without a queued flip.
  void SlicesDone(std::uint64_t slices);
  // The next slice to copy on, which counts as queued from now on. Empty when frames are not sliced or all arrived slices are
  // queued. NextFlip gives out a frame only after all of its slices, so callers repeat this until it returns nothing.
  std::optional<SliceWork> NextSlice();
  // The next flip, which counts as queued from now on. Empty while no buffer is ready, enough flips are pending, or the oldest
  // ready frame waits for its time.
  std::optional<FlipWork> NextFlip(std::int64_t now_ns);
  // The time after `now_ns` from which on the oldest ready frame may be flipped to. Empty if it does not wait for one.
  [[nodiscard]] std::optional<std::int64_t> NextFlipNs(std::int64_t now_ns) const;
  // Reports that the copies to primaries of all flips up to `serial` are complete.
  void CopiedOn(std::uint64_t serial);
  // Reports that all flips up to `serial` are on the screen. Returns the oldest flip not yet returned; callers repeat this
  // until it returns nothing. With kFifoLatestReady, the vertical blank of that flip drops all complete frames but the newest,
  // and all that wait for a buffer but the newest.
  std::optional<ShownFrame> NextShown(std::uint64_t serial, std::int64_t now_ns);
  // Reports when the display itself saw the frame that was shown last. Times of later frames, and vertical blanks, count from
  // then instead.
  void SeenLast(std::int64_t seen_ns) { last_seen_ns_ = seen_ns; }

  // Drops the frames that wait for a buffer.
  void DropWaiting() { DropWaiting(waiting_count_); }

  // The display adapter is lost. Drops the frames in its buffers, whose ids count as shown, and frees their images; returns how
  // many. Waiting frames and acquired images stay. Precondition: every queued copy is complete.
  std::uint64_t LoseDisplay();
  // Goes on with the buffers of another display adapter; all serials begin again. Follows LoseDisplay(). `desc` has the same
  // images.
  void GoOn(const ScheduleDesc& desc);

  // True if the frame with number `frame` waits, is on its way or is on the screen.
  [[nodiscard]] bool IsUnderWay(std::uint64_t frame) const;

  // Calls `visit` with each number that determines the future. Two schedules with the same numbers behave alike.
  template <class Visit>
  void VisitState(Visit visit) const;

  [[nodiscard]] std::uint64_t last_copy() const { return last_copy_; }      // serial of the last copy queued
  [[nodiscard]] std::uint64_t copies_done() const { return copies_done_; }  // serial of the last copy that is complete
  [[nodiscard]] std::uint64_t copy_of(std::uint32_t image) const { return images_[image].copy; }  // serial of its last copy
  [[nodiscard]] std::uint64_t slices_done() const { return slices_done_; }
  [[nodiscard]] std::uint64_t copied_on() const { return copied_on_; }  // latest serial given to CopiedOn()
  [[nodiscard]] std::uint64_t last_flip() const { return last_flip_; }
  [[nodiscard]] std::uint64_t flips_done() const { return flips_done_; }
  [[nodiscard]] std::uint64_t shown_id() const { return shown_id_; }  // greatest present id shown so far
  [[nodiscard]] std::uint64_t presented() const { return presented_; }
  [[nodiscard]] std::uint64_t shown() const { return shown_; }
  // The time of the frame that was shown last; empty once SeenLast() has said more of it.
  [[nodiscard]] std::optional<std::int64_t> last_shown_ns() const { return last_seen_ns_ ? std::nullopt : last_shown_ns_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint32_t waiting() const { return waiting_count_; }
  // True if every accepted frame was shown or dropped.
  [[nodiscard]] bool idle() const { return presented_ == shown_ + dropped_; }

 private:
  enum class ImageState : std::uint8_t { kFree, kAcquired, kWaiting, kInUse };
  enum class BufferState : std::uint8_t { kFree, kCopying, kReady, kCopyingOn, kFlipping, kOnScreen };

  struct Image {
    ImageState state = ImageState::kFree;
    std::uint64_t freed = 0;  // position in the order of freeing; the oldest image is acquired first
    std::uint64_t copy = 0;   // serial of its last copy
  };
  struct Frame {
    std::uint32_t image = 0;
    std::uint64_t id = 0;
    std::int64_t presented_ns = 0;
    std::uint64_t number = 0;  // value of presented_
    std::uint32_t buffer = 0;  // valid once the frame is copied
    std::uint64_t copy = 0;    // serial of that copy
    ShowAt at;
  };
  struct Buffer {
    BufferState state = BufferState::kFree;
    Frame frame;
    std::uint64_t serial = 0;  // serial of its copy, then of its flip
  };
  using Buffers = std::array<Buffer, kMaxBuffers>;

  [[nodiscard]] bool replaces() const { return Replaces(desc_.mode, desc_.slow_flips); }
  [[nodiscard]] bool replaces_at_blanks() const { return desc_.mode == PresentMode::kFifoLatestReady; }
  [[nodiscard]] std::uint32_t MaxPendingFlips() const;
  [[nodiscard]] std::optional<std::uint32_t> BufferFor(const Frame& frame) const;
  static void Check(const ScheduleDesc& desc);
  // Surfaces to flip to: the primaries if they take turns, else the buffers.
  [[nodiscard]] Buffers& screens() { return desc_.primary_count != 0 ? primaries_ : buffers_; }
  // The oldest buffer in `state`.
  [[nodiscard]] static std::optional<std::uint32_t> Oldest(const Buffers& buffers, BufferState state);
  void Free(std::uint32_t image);
  // Frees the images whose copies are complete.
  void FreeCopied();
  void FreeOneOf(Buffers& buffers, std::uint32_t index);
  // The vertical blank that the frame shall be shown at, as far as it is known; 0: the next one.
  [[nodiscard]] std::int64_t BlankOf(const Frame& frame) const;
  // The time from which on the frame may be flipped to; 0: any.
  [[nodiscard]] std::int64_t FlipNsOf(const Frame& frame) const;
  // Each drops the frames before the newest one of its kind whose BlankOf() is not after `blank_ns`.
  void DropReadyBefore(std::int64_t blank_ns);
  void DropWaitingBefore(std::int64_t blank_ns);
  void DropWaiting(std::uint32_t oldest);
  [[nodiscard]] FlipWhen WhenToFlip(std::int64_t now_ns) const;

  ScheduleDesc desc_;
  std::array<Image, kMaxAppImages> images_;
  Buffers buffers_;
  Buffers primaries_;                         // used if they take turns
  std::array<Frame, kMaxAppImages> waiting_;  // oldest first
  std::uint32_t waiting_count_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t last_copy_ = 0;
  std::uint64_t copies_done_ = 0;
  std::uint64_t slices_done_ = 0;
  std::uint64_t slices_given_ = 0;  // slices given out by NextSlice
  std::uint64_t copied_on_ = 0;
  std::uint64_t last_flip_ = 0;
  std::uint64_t flips_done_ = 0;
  std::uint64_t shown_id_ = 0;
  std::uint64_t presented_ = 0;
  std::uint64_t shown_ = 0;
  std::uint64_t dropped_ = 0;
  std::optional<std::int64_t> last_shown_ns_;
  std::optional<std::int64_t> last_seen_ns_;  // SeenLast()
};

template <class Visit>
void FrameSchedule::VisitState(Visit visit) const {
  const auto frame = [&visit](const Frame& it) {
    visit(it.image);
    visit(it.id);
    visit(static_cast<std::uint64_t>(it.presented_ns));
    visit(static_cast<std::uint64_t>(it.at.time_ns));
  };
  for (std::uint32_t i = 0; i < desc_.image_count; ++i) {
    const Image& image = images_[i];
    visit(static_cast<std::uint64_t>(image.state));
    if (image.state == ImageState::kFree) visit(image.freed);
    if (image.state == ImageState::kInUse) visit(image.copy);
  }
  const auto buffers = [&](const Buffers& list, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      visit(static_cast<std::uint64_t>(list[i].state));
      if (list[i].state == BufferState::kFree) continue;
      visit(list[i].serial);
      frame(list[i].frame);
    }
  };
  buffers(buffers_, desc_.buffer_count);
  buffers(primaries_, desc_.primary_count);
  for (std::uint32_t i = 0; i < waiting_count_; ++i) frame(waiting_[i]);
  for (const std::uint64_t number : {std::uint64_t{waiting_count_}, frees_, last_copy_, copies_done_, slices_done_, slices_given_,
                                     copied_on_, last_flip_, flips_done_, shown_id_, presented_, shown_, dropped_}) {
    visit(number);
  }
  visit(static_cast<std::uint64_t>(last_shown_ns_.value_or(-1)));
  visit(static_cast<std::uint64_t>(last_seen_ns_.value_or(-1)));
}

}  // namespace tandem::swapchain
