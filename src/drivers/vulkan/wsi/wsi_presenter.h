// The window side of a Vulkan display adapter: one surface, its swap chain, and its images from acquire to present. A window
// system allows no scan-out of foreign memory, so the display adapter copies into an acquired image; its tier is therefore 1.
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

// The presenting device. The objects that it refers to must outlive the presenter.
struct WsiDevice {
  const Dispatch& vk;
  VkInstance instance;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkQueue queue;
  std::uint32_t queue_family;
  std::mutex& queue_lock;
  bool layered = false;  // layers above the device may draw into its swap chains' images
};

enum class StatusAge : std::uint8_t { kRecent, kNew };
enum class WsiPacing : std::uint8_t { kVerticalBlank, kImmediate };

struct WsiFormat {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkColorSpaceKHR color_space = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
};

// Threads: one (a head's thread), except Status, which any thread may call. Configure, Acquire and Present may block as the
// window system does.
class WsiPresenter {
 public:
  // kUnsupported when the queue family cannot present on the surface; kSurfaceLost, kOutOfMemory.
  static Result<std::unique_ptr<WsiPresenter>> Create(const WsiDevice& device, const WsiTarget& target);
  ~WsiPresenter();
  WsiPresenter(const WsiPresenter&) = delete;
  WsiPresenter& operator=(const WsiPresenter&) = delete;

  // Formats that the surface supports.
  [[nodiscard]] const std::vector<WsiFormat>& formats() const { return formats_; }

  // Gives the swap chain this format and pacing at the surface's extent, or at `wanted` if the surface leaves the extent open.
  // Does nothing if the swap chain already matches and is not out of date. After a change generation() differs and no image is
  // acquired.
  Result<void> Configure(VkFormat format, VkExtent2D wanted, WsiPacing pacing);

  struct Image {
    std::uint32_t index = 0;
    VkImage image = VK_NULL_HANDLE;            // layout undefined; must be left in PRESENT_SRC_KHR
    VkSemaphore acquired = VK_NULL_HANDLE;     // the copy into the image waits for it
    VkSemaphore presentable = VK_NULL_HANDLE;  // the copy signals it
  };
  // Acquires the next image. kOutOfDate: call Configure and retry; kTimeout after `timeout_ns`; kSurfaceLost; kDeviceLost.
  Result<Image> Acquire(std::int64_t timeout_ns);
  // Shows the image of the last Acquire once its `presentable` is signalled. kOutOfDate: the image was not shown; kSurfaceLost;
  // kDeviceLost.
  Result<void> QueueImage(const Image& image);

  [[nodiscard]] std::uint64_t generation() const {
    return generation_;
  }  // changes with the images; caches of recorded commands use it as key
  [[nodiscard]] VkExtent2D extent() const { return extent_; }
  [[nodiscard]] bool out_of_date() const { return out_of_date_; }  // the next Configure makes a new swap chain
  // The window system's status of the surface: new, or at most some milliseconds old.
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
  // An acquire needs a semaphore before it names its image, so there is one more than images: the last. It swaps places with
  // the semaphore of the acquired image, whose wait is over when that image returns.
  std::vector<VkSemaphore> acquired_;     // one per image, then the next acquire's
  std::vector<VkSemaphore> presentable_;  // one per image
  VkFormat format_ = VK_FORMAT_UNDEFINED;
  VkExtent2D extent_{};
  WsiPacing pacing_ = WsiPacing::kVerticalBlank;
  std::atomic<bool> out_of_date_{false};
  std::uint64_t generation_ = 0;
  std::atomic<bool> lost_{false};
  std::mutex status_mutex_;
  outputs::OutputStatus status_;
  std::int64_t status_until_ns_ = 0;  // time of the next query
};

}  // namespace tandem::vulkan
