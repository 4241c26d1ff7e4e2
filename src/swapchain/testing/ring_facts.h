// A model of the surroundings of a swap chain's schedule: the application, the copying engine, the display thread, the display
// adapter's queue, the vertical blank. A test walks it step by step; each step is possible next on real adapters.
#pragma once

#include <array>
#include <cstdint>

#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

inline constexpr std::uint32_t kMostInWorld = 3;   // count of images, buffers, primaries or slices
inline constexpr std::uint32_t kMostWaiting = 24;  // entries of a queue

// The use of a buffer on the display adapter.
enum class Shape : std::uint8_t {
  kScanOut,  // flipped to
  kDirect,   // flipped to, and the application draws into it
  kBehind,   // copied, slice by slice, to its own primary
  kInTurn,   // copied to a primary in turn
  kPicture,  // decoded, slice by slice, into its own picture, which is copied to a primary in turn
};

struct RingCase {
  Shape shape = Shape::kScanOut;
  ScheduleDesc schedule;
  std::uint8_t frames = 4;    // frames presented by the application, at most 255
  std::uint8_t releases = 0;  // images that the application may give back undrawn
  bool removal = false;       // either adapter may be lost at any time
  bool follows = false;       // another display adapter follows the lost one; it has a ring where images were flipped to
};

enum class RingStep : std::uint8_t {
  kAcquire,
  kPresentOldest,  // presents the oldest image that the application holds
  kPresentNewest,
  kRelease,
  kDraw,  // the GPU has drawn the next picture
  kCopySlice,
  kThread,
  kThreadLate,  // kThread after the vertical blank of the next frame has passed
  kDisplayQueue,
  kVerticalBlank,
  kRemoveRender,
  kRemoveDisplay,
  kNotice,  // the display thread's wait ends because an adapter was lost
  kLeave,   // the display thread leaves the lost display adapter
  kGoOn,    // another display adapter follows
};
inline constexpr std::uint8_t kRingSteps = static_cast<std::uint8_t>(RingStep::kGoOn) + 1;
[[nodiscard]] const char* ToString(RingStep step);

// All state but the schedule's, in small numbers, so that states are copied and compared as bytes. Frames are numbered from 1
// in the order of their presents. Frame 0 is none; kHalf is a picture that is being drawn.
struct RingFacts {
  static constexpr std::uint8_t kHalf = 255;
  static constexpr std::uint8_t kNone = 254;
  struct Drawing {
    std::uint8_t image, frame, after;  // after: copies to wait for
  };
  struct Copy {
    std::uint8_t image, buffer, frame, slices;  // slices: done
  };
  struct Queued {
    std::uint8_t flip, immediate, buffer, primary, slice, serial, frame;  // flip 0: a copy; slice kNone: of all slices
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
  std::array<std::uint8_t, kMostInWorld> told;   // frame last presented with each image
  std::array<std::uint8_t, kMostInWorld> drawn;  // frame in each image
  std::array<Slices, kMostInWorld> ring;         // frame in each slice
  std::array<Slices, kMostInWorld> pictures;     // frame in each slice
  std::array<Slices, kMostInWorld> primaries;    // frame in each slice
  Queue<Drawing> drawings;                       // queue of the GPU
  Queue<Copy> copies;                            // queue of the copying engine
  Queue<Queued> display_queue;
  Queue<Pending> pending;  // flips that wait for the vertical blank
  Queued work;             // display thread's, between its decision and the queue
  std::uint8_t holds, has_work, presented, released, copies_queued, copies_complete, copy_fence, copied_on_fence, flip_fence;
  std::uint8_t screen, shown, render_gone, display_gone, lost;  // screen: the surface, kNone at first; shown: its frame
  std::uint8_t left, moved, dropped;                            // dropped: frames lost with a display adapter
  std::uint8_t seen_dropped;                                    // frames dropped as of the thread's last step
};
static_assert(sizeof(RingFacts) < 512);

[[nodiscard]] constexpr std::uint64_t Mixed(std::uint64_t sum, std::uint64_t number) {
  sum = (sum ^ number) * 0x9E3779B97F4A7C15ULL;
  return sum ^ (sum >> 29);
}

// True for a step of the application or a lost adapter, which no rule may depend on.
[[nodiscard]] constexpr bool IsFree(RingStep step) {
  return step <= RingStep::kRelease || step == RingStep::kRemoveRender || step == RingStep::kRemoveDisplay;
}

}  // namespace tandem::swapchain
