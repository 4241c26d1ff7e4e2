// Our own VkSurfaceKHR handles: the display adapter shows on the window, and the render adapter's driver never sees it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "base/thread.h"
#include "system/system.h"

namespace tandem::layer {

// Thread-safe.
class Surface {
 public:
  // `handle_memory` is the handle's value; null: the handle has one of its own.
  Surface(system::System& system, const system::SurfaceTarget& target, void* handle_memory)
      : system_(system), target_(target), handle_memory_(handle_memory) {}

  [[nodiscard]] VkSurfaceKHR handle() {
    return reinterpret_cast<VkSurfaceKHR>(handle_memory_ != nullptr ? handle_memory_ : this);
  }
  [[nodiscard]] void* handle_memory() const { return handle_memory_; }

  [[nodiscard]] bool is_x11() const {
    return target_.kind == system::SurfaceTarget::Kind::kXcb || target_.kind == system::SurfaceTarget::Kind::kXlib;
  }

  // Opens the window at the first call, so that programs which only enumerate start nothing. A failure is permanent.
  Result<system::DisplayWindow*> Look();
  // The output of the display adapter for swap chains. The surface takes it at the first call and keeps it until
  // TakeNextOutput().
  Result<std::shared_ptr<system::DisplaySurface>> TakeOutput();
  // The display adapter is lost. Releases the output, and takes one as System::TakeNextOutput() does, with its errors. The caller
  // holds no output, and calls from one thread at a time.
  Result<std::shared_ptr<system::DisplaySurface>> TakeNextOutput();
  // Asks the output if there is one, otherwise the window.
  Result<system::WindowStatus> AskStatus();

  // The swap chain that may present to the window; null if there is none.
  [[nodiscard]] VkSwapchainKHR current() const;
  void SetCurrent(VkSwapchainKHR swapchain);
  // Forgets `swapchain` if it is still the current one.
  void ForgetCurrent(VkSwapchainKHR swapchain);

 private:
  Result<system::DisplayWindow*> LookLocked() TANDEM_REQUIRES(mutex_);

  system::System& system_;
  const system::SurfaceTarget target_;
  void* const handle_memory_;
  mutable Mutex mutex_;
  std::optional<Result<system::OpenedWindow>> window_ TANDEM_GUARDED_BY(mutex_);
  std::vector<system::OpenedWindow> lost_windows_ TANDEM_GUARDED_BY(mutex_);  // queries may still hold them
  std::shared_ptr<system::DisplaySurface> output_ TANDEM_GUARDED_BY(mutex_);  // destroyed before the windows
  VkSwapchainKHR current_ TANDEM_GUARDED_BY(mutex_) = VK_NULL_HANDLE;
};

VKAPI_ATTR void VKAPI_CALL DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks* allocator);

// Resolves vkCreate*SurfaceKHR and vkGetPhysicalDevice*PresentationSupportKHR of each window system; null for any other name.
[[nodiscard]] PFN_vkVoidFunction SurfaceCreationFunction(const char* name);

}  // namespace tandem::layer
