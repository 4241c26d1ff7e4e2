#include "layer/surface.h"

#include <utility>

#include "base/log.h"
#include "layer/guard.h"
#include "layer/instance.h"
#include "layer/process.h"

namespace tandem::layer {

Result<compose::DisplaySurface*> Surface::Open() {
  const MutexLock lock(mutex_);
  if (!opened_.has_value()) {
    opened_ = system_.OpenSurface(target_);
    if (opened_->ok()) {
      Log(LogLevel::kInfo, "Surface: {}.", opened_->value()->description());
      Process::Get().stats().SetAdapters(system_.render_adapter(), system_.display_adapter());
    } else {
      Log(LogLevel::kError, "The surface cannot be shown. {}", opened_->error().message);
    }
  }
  if (!opened_->ok()) return opened_->error();
  return opened_->value().get();
}

VkSwapchainKHR Surface::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

void Surface::SetCurrent(VkSwapchainKHR swapchain) {
  const MutexLock lock(mutex_);
  current_ = swapchain;
}

void Surface::ForgetCurrent(VkSwapchainKHR swapchain) {
  const MutexLock lock(mutex_);
  if (current_ == swapchain) current_ = VK_NULL_HANDLE;
}

std::shared_ptr<Surface> FindSurface(VkPhysicalDevice device, VkSurfaceKHR surface) {
  const auto instance = FindInstance(DispatchKey(device));
  return instance == nullptr ? nullptr : instance->surfaces.Find(surface);
}

VKAPI_ATTR void VKAPI_CALL DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks* allocator) {
  if (surface == VK_NULL_HANDLE) return;
  const auto data = FindInstance(DispatchKey(instance));
  if (Process::Get().inert()) return;
  const CancellationOff off;
  if (data->surfaces.Remove(surface) != nullptr) return;
  if (data->next.DestroySurfaceKHR != nullptr) data->next.DestroySurfaceKHR(instance, surface, allocator);
}

}  // namespace tandem::layer
