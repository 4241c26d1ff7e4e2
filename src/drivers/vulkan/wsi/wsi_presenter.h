// The window side of a Vulkan display adapter: one surface, its swap chain, and the images that are taken from it and shown.
// A window system lets nobody scan out foreign memory: the display adapter copies into an acquired image, which is why its tier
// is 1.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/icd/dispatch.h"
#include "drivers/vulkan/vulkan_device.h"
#include "outputs/output.h"

namespace tandem::vulkan {

// The device that shows, as far as the presenter needs it. What it refers to outlives the presenter.
struct WsiDevice {
  const Dispatch& vk;
  VkInstance instance;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkQueue queue;
  std::uint32_t queue_family;
  std::mutex& queue_lock;
};

enum class StatusAge : std::uint8_t { kRecent, kNew };
enum class WsiPacing : std::uint8_t { kVerticalBlank, kImmediate };

struct WsiFormat {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkColorSpaceKHR color_space = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
};

// Threads: one (that of a head), but Status by any. Configure, Acquire and Present may block as the window system does.
class WsiPresenter {
 public:
  // kUnsupported when the queue family cannot present on the surface; kSurfaceLost, kOutOfMemory.
  static Result<std::unique_ptr<WsiPresenter>> Create(const WsiDevice& device, const WsiTarget& target);
  ~WsiPresenter();
  WsiPresenter(const WsiPresenter&) = delete;
  WsiPresenter& operator=(const WsiPresenter&) = delete;

  // Formats that the surface takes.
  [[nodiscard]] const std::vector<WsiFormat>& formats() const { return formats_; }

  // Makes the swap chain be of this format and pacing at the surface's extent (the asked-for one where the surface leaves it
  // open). Does nothing when it is already and nobody found it out of date. After a change generation() is another and no image
  // is acquired.
  Result<void> Configure(VkFormat format, VkExtent2D wanted, WsiPacing pacing);

  struct Image {
    std::uint32_t index = 0;
    VkImage image = VK_NULL_HANDLE;            // layout undefined; to be left in PRESENT_SRC_KHR
    VkSemaphore acquired = VK_NULL_HANDLE;     // the copy into the image waits for it
    VkSemaphore presentable = VK_NULL_HANDLE;  // the copy signals it
  };
  // The next image. kOutOfDate: Configure and try again; kTimeout after `timeout_ns`; kSurfaceLost; kDeviceLost.
  Result<Image> Acquire(std::int64_t timeout_ns);
  // Shows the image of the last Acquire once its `presentable` is signalled. kOutOfDate: it was not shown; kSurfaceLost;
  // kDeviceLost.
  Result<void> QueueImage(const Image& image);

  [[nodiscard]] std::uint64_t generation() const {
    return generation_;
  }  // of the images; caches of recorded commands are keyed by it
  [[nodiscard]] VkExtent2D extent() const { return extent_; }
  [[nodiscard]] bool out_of_date() const { return out_of_date_; }  // the next Configure makes a new swap chain
  // The surface as the window system answers: just now, or some milliseconds ago at the earliest.
  [[nodiscard]] outputs::OutputStatus Status(StatusAge age);

 private:
  explicit WsiPresenter(const WsiDevice& device) : device_(device) {}

  Result<void> ReadSurface();
  Result<VkSurfaceCapabilitiesKHR> Capabilities();  // any thread
  Result<void> CreateSwapchain(VkFormat format, VkExtent2D extent, const VkSurfaceCapabilitiesKHR& capabilities,
                               WsiPacing pacing);
  void DestroyImages();
  [[nodiscard]] Error Failure(VkResult result, const char* call);
  [[nodiscard]] VkPresentModeKHR ModeFor(WsiPacing pacing) const;

  WsiDevice device_;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  std::vector<WsiFormat> formats_;
  std::vector<VkPresentModeKHR> modes_;
  std::vector<VkImage> images_;
  // An acquire needs a semaphore before it tells its image, so there is one more than images: the last. It changes places with
  // the one of the image that came, whose wait is over when the image comes again.
  std::vector<VkSemaphore> acquired_;     // by image, and the next acquire's
  std::vector<VkSemaphore> presentable_;  // by image
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  VkExtent2D extent_{};
  WsiPacing pacing_ = WsiPacing::kVerticalBlank;
  std::atomic<bool> out_of_date_{false};
  std::uint64_t generation_ = 0;
  std::atomic<bool> lost_{false};
  std::mutex status_mutex_;
  outputs::OutputStatus status_;
  std::int64_t status_until_ns_ = 0;  // when it is asked for again
};

}  // namespace tandem::vulkan
