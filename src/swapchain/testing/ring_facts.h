// A model of everything around the schedule of a swap chain: the application, the engine that copies, the display thread, the
// display adapter's queue, the vertical blank. It is walked step by step; each step is one that may come next on real adapters.
#pragma once

#include <array>
#include <cstdint>

#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

inline constexpr std::uint32_t kMostInWorld = 3;   // images, buffers, primaries, slices
inline constexpr std::uint32_t kMostWaiting = 24;  // in a queue

// What becomes of a buffer on the display adapter.
enum class Shape : std::uint8_t {
  kScanOut,  // it is flipped to
  kDirect,   // the same, and the application draws into it
  kBehind,   // it is copied, slice by slice, to the primary behind it
  kInTurn,   // it is copied to a primary that takes its turn
  kPicture,  // it is decoded, slice by slice, into the picture behind it, and that is copied to a primary that takes its turn
};

struct RingCase {
  Shape shape = Shape::kScanOut;
  ScheduleDesc schedule;
  std::uint8_t frames = 4;    // that the application presents, 255 at most
  std::uint8_t releases = 0;  // images that it may give back undrawn
  bool removal = false;       // either adapter may go at any time
};

enum class RingStep : std::uint8_t {
  kAcquire,
  kPresentOldest,  // of the images that the application holds
  kPresentNewest,
  kRelease,
  kDraw,  // the GPU has drawn the next picture
  kCopySlice,
  kThread,
  kThreadLate,  // the same when the vertical blank that the next frame was for has passed
  kDisplayQueue,
  kVerticalBlank,
  kRemoveRender,
  kRemoveDisplay,
  kNotice,  // the display thread's wait ends because an adapter is gone
};
inline constexpr std::uint8_t kRingSteps = static_cast<std::uint8_t>(RingStep::kNotice) + 1;
[[nodiscard]] const char* ToString(RingStep step);

// Everything but the schedule: small numbers, so that a state is copied and compared as bytes. Frames are numbered from 1 in the
// order of their presents; 0 is no frame, kHalf a picture that is being drawn.
struct RingFacts {
  static constexpr std::uint8_t kHalf = 255;
  static constexpr std::uint8_t kNone = 254;
  struct Drawing {
    std::uint8_t image, frame, after;  // copies that it waits for
  };
  struct Copy {
    std::uint8_t image, buffer, frame, slices;  // done
  };
  struct Queued {
    std::uint8_t flip, immediate, buffer, primary, slice, serial, frame;  // flip 0: a copy of a slice, or of all: slice kNone
  };
  struct Pending {
    std::uint8_t surface, frame, serial;
  };
  template <class T>
  struct Queue {
    std::array<T, kMostWaiting> items;
    std::uint8_t count;
    void Push(const T& item) { items[count++] = item; }
    T Pop() {
      const T first = items[0];
      for (std::uint8_t i = 1; i < count; ++i) items[i - 1] = items[i];
      items[--count] = {};
      return first;
    }
  };
  using Slices = std::array<std::uint8_t, kMostInWorld>;

  std::array<std::uint8_t, kMostInWorld> held;   // images, oldest first
  std::array<std::uint8_t, kMostInWorld> after;  // copies that drawing into each image waits for
  std::array<std::uint8_t, kMostInWorld> told;   // frame that was presented with each image last
  std::array<std::uint8_t, kMostInWorld> drawn;  // frame in each image
  std::array<Slices, kMostInWorld> ring;         // frame in each slice
  std::array<Slices, kMostInWorld> pictures;     // the same
  std::array<Slices, kMostInWorld> primaries;    // the same
  Queue<Drawing> drawings;                       // that the GPU has before it
  Queue<Copy> copies;                            // that the copy engine has
  Queue<Queued> display_queue;
  Queue<Pending> pending;  // flips that wait for the vertical blank
  Queued work;             // of the display thread, between its decision and the queue
  std::uint8_t holds, has_work, presented, released, copies_queued, copies_complete, copy_fence, copied_on_fence, flip_fence;
  std::uint8_t screen, shown, render_gone, display_gone, lost;  // screen: the surface, kNone at first; shown: its frame
};
static_assert(sizeof(RingFacts) < 512);

[[nodiscard]] constexpr std::uint64_t Mixed(std::uint64_t sum, std::uint64_t number) {
  sum = (sum ^ number) * 0x9E3779B97F4A7C15ULL;
  return sum ^ (sum >> 29);
}

// A step of the application, or of an adapter that goes: nobody may wait for it.
[[nodiscard]] constexpr bool IsFree(RingStep step) {
  return step <= RingStep::kRelease || step == RingStep::kRemoveRender || step == RingStep::kRemoveDisplay;
}

}  // namespace tandem::swapchain
