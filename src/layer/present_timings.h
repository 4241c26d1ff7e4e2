// The times of a swap chain's frames, for VK_EXT_present_timing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/thread.h"
#include "layer/newer_vulkan.h"
#include "swapchain/frame_line.h"
#include "system/system.h"

namespace tandem::layer {

// Stages whose time is known. The first pixel is out when the display says so, or the adapter where the display says nothing. No
// display says when pixels can be seen.
inline constexpr VkPresentStageFlagsEXT kTimedStages = VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT |
                                                       VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT |
                                                       VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT;

// Time domains of each swap chain; the id is the position, from 1 on. All are CLOCK_MONOTONIC.
inline constexpr std::array kSwapchainDomains = {VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT, VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT,
                                                 static_cast<VkTimeDomainKHR>(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT)};

// Refresh period and time domains of a swap chain do not change, so that their counters stay at this value.
inline constexpr std::uint64_t kTimingCounter = 1;

// Thread-safe. Allocates in SetQueueSize() alone.
class PresentTimings final : public swapchain::FrameSink {
 public:
  // `next` gets each frame as well and must outlive this object; null: nobody does.
  explicit PresentTimings(swapchain::FrameSink* next) : next_(next) {}

  // VK_NOT_READY: more frames than `size` are in the queue.
  VkResult SetQueueSize(std::uint32_t size);
  // The next accepted frame shall be timed. VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT.
  VkResult Ask(const VkPresentTimingInfoEXT& info, std::uint64_t present_id);
  // The swap chain has accepted a frame, or has not.
  void Presented(bool accepted);
  // Moves the oldest complete frames out of the queue. `seen_at` says what the display knows of a frame that was shown; while it
  // is pending, the frame is not complete. VK_INCOMPLETE: more are complete, or have more stages than fit.
  using SeenAt = std::function<system::Seen(std::int64_t shown_ns)>;
  VkResult Take(VkPastPresentationTimingPropertiesEXT& past, const SeenAt& seen_at);

  void Report(const swapchain::FrameLine& line) override;

 private:
  // Bit N of VkPresentStageFlagsEXT stands at N; 0: unknown, or the frame did not get there.
  using StageTimes = std::array<std::int64_t, 4>;
  struct Frame {
    std::uint64_t number = 0;  // swapchain::FrameLine::number
    std::uint64_t present_id = 0;
    std::uint64_t target_time = 0;
    std::uint64_t domain_id = 0;
    VkPresentStageFlagsEXT stages = 0;
    StageTimes times{};
    bool reported = false;  // by the swap chain
    bool complete = false;
  };
  static void AskDisplay(Frame& frame, const SeenAt& seen_at);
  // Frames that the display thread saw at one wake-up get times one nanosecond apart, as frames have an order.
  void KeepOrder(StageTimes& times) TANDEM_REQUIRES(mutex_);
  static VkResult Write(const Frame& frame, VkPastPresentationTimingEXT& out);

  swapchain::FrameSink* const next_;
  Mutex mutex_;
  std::vector<Frame> queue_ TANDEM_GUARDED_BY(mutex_);  // oldest first
  std::uint32_t size_ TANDEM_GUARDED_BY(mutex_) = 0;
  StageTimes last_ TANDEM_GUARDED_BY(mutex_){};  // of the frames that left the queue
  std::uint64_t presented_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::layer
