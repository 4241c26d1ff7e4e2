// Who waits, who is dropped, which image and which buffer is free: the pacing of a swap chain without threads, drivers or a
// clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/limits.h"
#include "base/result.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// A buffer for each image of the direct path, a ring otherwise.
inline constexpr std::uint32_t kMaxBuffers = kMaxAppImages;
static_assert(kMaxBuffers >= kMaxRingBuffers);

enum class BufferKind : std::uint8_t {
  kRing,       // frames are copied into the next free buffer
  kTheImages,  // image i is buffer i, nothing is copied (the direct path)
};

// Of the display adapter: frames are copied out of the ring into the next free one.
inline constexpr std::uint32_t kMaxPrimaries = kMaxRingBuffers;

struct ScheduleDesc {
  std::uint32_t image_count = 3;   // 1..kMaxAppImages
  std::uint32_t buffer_count = 3;  // 1..kMaxBuffers; image_count with kTheImages
  // 0: each buffer is flipped to itself, or has a primary of its own behind it. 1..kMaxPrimaries, with kRing: they have their own
  // turn, and a buffer is free again as soon as it was copied on.
  std::uint32_t primary_count = 0;
  std::uint32_t slices = 1;  // of a frame: what its copy is signalled in, and copied on in as they come when more than 1
  BufferKind buffers = BufferKind::kRing;
  PresentMode mode = PresentMode::kFifo;
  AcquireWhen acquire_when = AcquireWhen::kCopySubmitted;
  std::int64_t refresh_period_ns = kDefaultRefreshPeriodNs;
};

struct CopyWork {
  std::uint32_t image = 0;
  std::uint32_t buffer = 0;
  std::uint64_t serial = 0;  // 1, 2, 3 … in the order in which copies are to be queued
  std::uint64_t frame = 0;   // presented() when it was
};

// A slice that has arrived, to be copied on to what is behind its buffer: its primary or, where these take turns, a picture that
// is copied to one when the frame is flipped to.
struct SliceWork {
  std::uint32_t buffer = 0;
  std::uint32_t slice = 0;  // in the order in which they were queued
};

enum class FlipWhen : std::uint8_t { kVerticalBlank, kImmediate };

struct FlipWork {
  std::uint32_t buffer = 0;
  std::uint32_t primary = 0;  // what to flip to: the buffer's own, or the one that it is copied to first
  std::uint64_t serial = 0;   // 1, 2, 3 … in the order in which flips are to be queued
  FlipWhen when = FlipWhen::kVerticalBlank;
  std::uint64_t frame = 0;  // as CopyWork has it
};

struct ShownFrame {
  std::int64_t presented_ns = 0;  // when Present was called
  std::uint64_t frame = 0;        // as CopyWork has it
  std::uint32_t buffer = 0;       // that it was copied to
  std::uint64_t copy = 0;         // serial of that copy
};

// An image goes free -> acquired -> waiting -> in use -> free; a buffer goes free -> copying -> ready -> flipping -> on screen ->
// free. Where primaries have their own turn, a buffer goes from ready to being copied on to free, and the primary goes free ->
// flipping -> on screen -> free. Not thread-safe: its owner has a lock. Allocates nothing.
class FrameSchedule {
 public:
  explicit FrameSchedule(const ScheduleDesc& desc);

  // An image for the application; nothing while none is free, or while a presented frame still waits for a buffer. That gate is
  // open in mailbox mode, where a newer frame takes the waiting one's place.
  std::optional<std::uint32_t> Acquire();
  // Takes an acquired image. kInvalidArgument when it is not acquired.
  Result<void> QueueFrame(std::uint32_t image, std::uint64_t present_id, std::int64_t now_ns);
  // Puts an acquired image back unpresented. kInvalidArgument when it is not acquired.
  Result<void> Release(std::uint32_t image);

  // The next copy to queue, which counts as queued from now on; nothing while no frame waits, no buffer is free, or more than a
  // few slices of the frames before are not complete.
  std::optional<CopyWork> NextCopy();
  // So many slices of all copies together are complete: the value that the copies' fence has reached. In mailbox mode the newest
  // complete frame replaces the others that no flip was queued for.
  void SlicesDone(std::uint64_t slices);
  // The next slice to copy on, which counts as queued from now on; nothing when frames are not sliced, or what arrived is queued.
  // All slices of a frame are given out before NextFlip gives out the frame, as long as this is asked until it answers nothing.
  std::optional<SliceWork> NextSlice();
  // The next flip to queue, which counts as queued from now on; nothing while no buffer is ready or the display has enough to do.
  std::optional<FlipWork> NextFlip(std::int64_t now_ns);
  // The copies to primaries that belong to all flips up to this serial are complete.
  void CopiedOn(std::uint64_t serial);
  // The oldest flip that is queued is on the screen. `serial` is the newest that is known to be; call it until it answers
  // nothing.
  std::optional<ShownFrame> NextShown(std::uint64_t serial, std::int64_t now_ns);

  // Frames that wait for a buffer go.
  void DropWaiting();

  // Whether the frame that was presented as that number waits, is on its way or on the screen.
  [[nodiscard]] bool IsUnderWay(std::uint64_t frame) const;

  // Calls `visit` with each number that decides what happens from now on, so that two schedules which give the same numbers go on
  // alike.
  template <class Visit>
  void VisitState(Visit visit) const;

  [[nodiscard]] std::uint64_t last_copy() const { return last_copy_; }      // serial of the last copy queued
  [[nodiscard]] std::uint64_t copies_done() const { return copies_done_; }  // serial of the last copy that is complete
  [[nodiscard]] std::uint64_t copy_of(std::uint32_t image) const { return images_[image].copy; }  // serial of the last out of it
  [[nodiscard]] std::uint64_t slices_done() const { return slices_done_; }
  [[nodiscard]] std::uint64_t copied_on() const { return copied_on_; }  // as CopiedOn() was told
  [[nodiscard]] std::uint64_t last_flip() const { return last_flip_; }
  [[nodiscard]] std::uint64_t flips_done() const { return flips_done_; }
  [[nodiscard]] std::uint64_t shown_id() const { return shown_id_; }  // greatest present id on the screen so far
  [[nodiscard]] std::uint64_t presented() const { return presented_; }
  [[nodiscard]] std::uint64_t shown() const { return shown_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint32_t waiting() const { return waiting_count_; }
  // Every accepted frame was shown or dropped.
  [[nodiscard]] bool idle() const { return presented_ == shown_ + dropped_; }

 private:
  enum class ImageState : std::uint8_t { kFree, kAcquired, kWaiting, kInUse };
  enum class BufferState : std::uint8_t { kFree, kCopying, kReady, kCopyingOn, kFlipping, kOnScreen };

  struct Image {
    ImageState state = ImageState::kFree;
    std::uint64_t freed = 0;  // order in which images became free; the oldest is acquired first
    std::uint64_t copy = 0;   // serial of the last copy out of it
  };
  struct Frame {
    std::uint32_t image = 0;
    std::uint64_t id = 0;
    std::int64_t presented_ns = 0;
    std::uint64_t number = 0;  // of presented_
    std::uint32_t buffer = 0;  // once it is copied
    std::uint64_t copy = 0;    // serial of that copy
  };
  struct Buffer {
    BufferState state = BufferState::kFree;
    Frame frame;
    std::uint64_t serial = 0;  // of its copy, then of its flip
  };
  using Buffers = std::array<Buffer, kMaxBuffers>;

  [[nodiscard]] std::uint32_t MaxPendingFlips() const;
  [[nodiscard]] std::optional<std::uint32_t> BufferFor(const Frame& frame) const;
  // What is flipped to: the primaries that have their own turn, the buffers otherwise.
  [[nodiscard]] Buffers& screens() { return desc_.primary_count != 0 ? primaries_ : buffers_; }
  // The one in that state with the smallest serial.
  [[nodiscard]] static std::optional<std::uint32_t> Oldest(const Buffers& buffers, BufferState state);
  void Free(std::uint32_t image);
  void FreeOneOf(Buffers& buffers, std::uint32_t index);
  void DropReadyButNewest();
  [[nodiscard]] FlipWhen WhenToFlip(std::int64_t now_ns) const;

  ScheduleDesc desc_;
  std::array<Image, kMaxAppImages> images_;
  Buffers buffers_;
  Buffers primaries_;                         // where they have their own turn
  std::array<Frame, kMaxAppImages> waiting_;  // oldest first
  std::uint32_t waiting_count_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t last_copy_ = 0;
  std::uint64_t copies_done_ = 0;
  std::uint64_t slices_done_ = 0;
  std::uint64_t slices_given_ = 0;  // by NextSlice
  std::uint64_t copied_on_ = 0;
  std::uint64_t last_flip_ = 0;
  std::uint64_t flips_done_ = 0;
  std::uint64_t shown_id_ = 0;
  std::uint64_t presented_ = 0;
  std::uint64_t shown_ = 0;
  std::uint64_t dropped_ = 0;
  std::optional<std::int64_t> last_shown_ns_;
};

template <class Visit>
void FrameSchedule::VisitState(Visit visit) const {
  const auto frame = [&visit](const Frame& it) {
    visit(it.image);
    visit(it.id);
    visit(static_cast<std::uint64_t>(it.presented_ns));
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
}

}  // namespace tandem::swapchain
