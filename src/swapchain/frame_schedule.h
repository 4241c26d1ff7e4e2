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

struct ScheduleDesc {
  std::uint32_t image_count = 3;   // 2..kMaxAppImages
  std::uint32_t buffer_count = 3;  // 1..kMaxBuffers; image_count with kTheImages
  BufferKind buffers = BufferKind::kRing;
  PresentMode mode = PresentMode::kFifo;
  AcquireWhen acquire_when = AcquireWhen::kCopySubmitted;
  std::int64_t refresh_period_ns = kDefaultRefreshPeriodNs;
};

struct CopyWork {
  std::uint32_t image = 0;
  std::uint32_t buffer = 0;
  std::uint64_t serial = 0;  // 1, 2, 3 … in the order in which copies are to be queued
};

enum class FlipWhen : std::uint8_t { kVerticalBlank, kImmediate };

struct FlipWork {
  std::uint32_t buffer = 0;
  std::uint64_t serial = 0;  // 1, 2, 3 … in the order in which flips are to be queued
  FlipWhen when = FlipWhen::kVerticalBlank;
};

struct ShownFrame {
  std::int64_t presented_ns = 0;  // when Present was called
};

// An image goes free -> acquired -> waiting -> in use -> free; a buffer goes free -> copying -> ready -> flipping -> on screen ->
// free. Not thread-safe: its owner has a lock. Allocates nothing.
class FrameSchedule {
 public:
  explicit FrameSchedule(const ScheduleDesc& desc);

  // An image for the application; nothing while none is free, or while a presented frame still waits for a buffer. That gate is
  // open in mailbox mode, where a newer frame takes the waiting one's place.
  std::optional<std::uint32_t> Acquire();
  // Takes an acquired image. kInvalidArgument when it is not acquired.
  Result<void> Present(std::uint32_t image, std::uint64_t present_id, std::int64_t now_ns);
  // Puts an acquired image back unpresented. kInvalidArgument when it is not acquired.
  Result<void> Release(std::uint32_t image);

  // The next copy to queue, which counts as queued from now on; nothing while no frame waits or no buffer is free.
  std::optional<CopyWork> NextCopy();
  // All copies up to this serial are complete.
  void CopiesDone(std::uint64_t serial);
  // The next flip to queue, which counts as queued from now on; nothing while no buffer is ready or the display has enough to do.
  std::optional<FlipWork> NextFlip(std::int64_t now_ns);
  // The oldest flip that is queued is on the screen. `serial` is the newest that is known to be; call it until it answers
  // nothing.
  std::optional<ShownFrame> NextShown(std::uint64_t serial, std::int64_t now_ns);

  // Frames that wait for a buffer go.
  void DropWaiting();

  [[nodiscard]] std::uint64_t last_copy() const { return last_copy_; }      // serial of the last copy queued
  [[nodiscard]] std::uint64_t copies_done() const { return copies_done_; }  // serial of the last copy that is complete
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
  enum class BufferState : std::uint8_t { kFree, kCopying, kReady, kFlipping, kOnScreen };

  struct Image {
    ImageState state = ImageState::kFree;
    std::uint64_t freed = 0;  // order in which images became free; the oldest is acquired first
    std::uint64_t copy = 0;   // serial of the last copy out of it
  };
  struct Frame {
    std::uint32_t image = 0;
    std::uint64_t id = 0;
    std::int64_t presented_ns = 0;
  };
  struct Buffer {
    BufferState state = BufferState::kFree;
    Frame frame;
    std::uint64_t serial = 0;  // of its copy, then of its flip
  };

  [[nodiscard]] std::uint32_t MaxPendingFlips() const;
  [[nodiscard]] std::optional<std::uint32_t> FreeBuffer(const Frame& frame) const;
  // The buffer in that state with the smallest serial.
  [[nodiscard]] std::optional<std::uint32_t> Oldest(BufferState state) const;
  void Free(std::uint32_t image);
  void FreeBufferOf(std::uint32_t buffer);
  void DropReadyButNewest();
  [[nodiscard]] FlipWhen WhenToFlip(std::int64_t now_ns) const;

  ScheduleDesc desc_;
  std::array<Image, kMaxAppImages> images_;
  std::array<Buffer, kMaxBuffers> buffers_;
  std::array<Frame, kMaxAppImages> waiting_;  // oldest first
  std::uint32_t waiting_count_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t last_copy_ = 0;
  std::uint64_t copies_done_ = 0;
  std::uint64_t last_flip_ = 0;
  std::uint64_t flips_done_ = 0;
  std::uint64_t shown_id_ = 0;
  std::uint64_t presented_ = 0;
  std::uint64_t shown_ = 0;
  std::uint64_t dropped_ = 0;
  std::optional<std::int64_t> last_shown_ns_;
};

}  // namespace tandem::swapchain
