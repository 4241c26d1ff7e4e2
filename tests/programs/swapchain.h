// A swap chain with semaphores, fences and command buffers for its frames.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/programs/vulkan_program.h"

namespace tandem::test {

struct SwapchainOptions {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  VkFormat format = VK_FORMAT_B8G8R8A8_UNORM;
  VkColorSpaceKHR color_space = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  VkPresentModeKHR present_mode = VK_PRESENT_MODE_IMMEDIATE_KHR;
  std::uint32_t images = 3;
  VkSwapchainCreateFlagsKHR flags = 0;
  bool stretch = false;  // frames of another size fill the window
  bool alias = false;    // draws into images of our own that are bound to the swap chain's memory
};

// Accepts "bgra8", "bgra8-srgb", "rgba8", "rgba8-srgb", "a2b10g10r10", "rgba16f"; ends the program for any other name.
[[nodiscard]] VkFormat ParseFormat(const std::string& name);
[[nodiscard]] VkPresentModeKHR ParsePresentMode(const std::string& name);
[[nodiscard]] std::uint32_t BytesPerPixel(VkFormat format);

// The creation parameters for `options`, without an old swap chain and without scaling.
[[nodiscard]] VkSwapchainCreateInfoKHR CreateInfoOf(VkSurfaceKHR surface, const SwapchainOptions& options);

// Records the commands that draw frame `frame` into `image`, from layout UNDEFINED to PRESENT_SRC_KHR.
using Draw = std::function<void(VkCommandBuffer commands, VkImage image, std::uint32_t frame)>;

class Swapchain {
 public:
  Swapchain(const VulkanProgram& program, VkSurfaceKHR surface, const SwapchainOptions& options, VkSwapchainKHR old);
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  // One frame: acquire, draw, submit, present. Returns the first result of acquire or present that is not VK_SUCCESS.
  // `present_chain` extends VkPresentInfoKHR.
  VkResult Frame(std::uint32_t frame, const Draw& draw, const void* present_chain = nullptr);
  // Waits for the last submission that used this frame's slot; afterwards the slot's resources are free.
  void WaitForSlot(std::uint32_t frame);

  [[nodiscard]] VkSwapchainKHR handle() const { return swapchain_; }
  [[nodiscard]] const std::vector<VkImage>& images() const { return images_; }
  static constexpr std::uint32_t kSlots = 2;

 private:
  struct Slot {
    VkSemaphore acquired = VK_NULL_HANDLE;
    VkFence done = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
  };

  void CreateSlots();
  void AliasImages(const SwapchainOptions& options);

  const VulkanProgram& program_;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  bool owns_images_ = false;
  std::vector<VkSemaphore> rendered_;  // one per image, because a present may still wait for it when its slot is reused
  VkCommandPool pool_ = VK_NULL_HANDLE;
  Slot slots_[kSlots];
};

// Changes the layout of a whole colour image.
void Transition(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to, VkAccessFlags source,
                VkAccessFlags target);
// Fills a whole colour image, whatever it held, and leaves it ready to be presented.
void Fill(VkCommandBuffer commands, VkImage image, const VkClearColorValue& color);

}  // namespace tandem::test
