// VkSurfaceKHR handles of our own: the window is the display adapter's business, the render adapter's driver never sees it.
#pragma once

#include <memory>
#include <optional>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "base/thread.h"
#include "system/system.h"

namespace tandem::layer {

// Thread-safe.
class Surface {
 public:
  Surface(system::System& system, const system::SurfaceTarget& target) : system_(system), target_(target) {}

  [[nodiscard]] VkSurfaceKHR handle() { return reinterpret_cast<VkSurfaceKHR>(this); }

  [[nodiscard]] bool is_x11() const {
    return target_.kind == system::SurfaceTarget::Kind::kXcb || target_.kind == system::SurfaceTarget::Kind::kXlib;
  }

  // Asked about at the first call, so that programs that only look around start nothing. A failure stays.
  Result<system::DisplayWindow*> Look();
  // Takes one of the display adapter's outputs, for as long as the surface lives: for a swap chain.
  Result<system::DisplaySurface*> TakeOutput();
  // By the output where there is one.
  Result<system::WindowStatus> AskStatus();

  // The swap chain that may present to the window; null when there is none.
  [[nodiscard]] VkSwapchainKHR current() const;
  void SetCurrent(VkSwapchainKHR swapchain);
  // Only when it is still the current one.
  void ForgetCurrent(VkSwapchainKHR swapchain);

 private:
  Result<system::DisplayWindow*> LookLocked() TANDEM_REQUIRES(mutex_);

  system::System& system_;
  const system::SurfaceTarget target_;
  mutable Mutex mutex_;
  std::optional<Result<std::unique_ptr<system::DisplayWindow>>> window_ TANDEM_GUARDED_BY(mutex_);
  std::unique_ptr<system::DisplaySurface> output_ TANDEM_GUARDED_BY(mutex_);  // goes before the window
  VkSwapchainKHR current_ TANDEM_GUARDED_BY(mutex_) = VK_NULL_HANDLE;
};

// Null for a surface that the layer did not make.
[[nodiscard]] std::shared_ptr<Surface> FindSurface(VkPhysicalDevice device, VkSurfaceKHR surface);

VKAPI_ATTR void VKAPI_CALL DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks* allocator);

// vkCreateXcbSurfaceKHR and the others by kind; vkGetPhysicalDeviceXcbPresentationSupportKHR and the others. Null for any other
// name.
[[nodiscard]] PFN_vkVoidFunction SurfaceCreationFunction(const char* name);

}  // namespace tandem::layer
