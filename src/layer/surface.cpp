#include "layer/surface.h"

#include <utility>

#include "base/log.h"
#include "layer/guard.h"
#include "layer/instance.h"
#include "layer/process.h"

namespace tandem::layer {

Result<system::DisplayWindow*> Surface::Look() {
  const MutexLock lock(mutex_);
  return LookLocked();
}

Result<system::DisplayWindow*> Surface::LookLocked() {
  if (!window_.has_value()) {
    window_ = system_.OpenWindow(target_);
    if (window_->ok()) {
      Process::Get().stats().SetAdapters(system_.render_adapter(), system_.display_adapter());
    } else {
      Log(LogLevel::kError, "The surface cannot be shown. {}", window_->error().message);
    }
  }
  if (!window_->ok()) return window_->error();
  return window_->value().get();
}

Result<system::DisplaySurface*> Surface::TakeOutput() {
  const MutexLock lock(mutex_);
  if (output_ != nullptr) return output_.get();
  auto window = LookLocked();
  if (!window.ok()) return window.error();
  auto output = (*window)->TakeOutput();
  if (!output.ok()) {
    Log(LogLevel::kError, "The surface cannot be shown. {}", output.error().message);
    return std::move(output).error();
  }
  output_ = *std::move(output);
  Log(LogLevel::kInfo, "Surface: {}.", output_->description());
  return output_.get();
}

Result<system::WindowStatus> Surface::AskStatus() {
  const system::DisplaySurface* output = nullptr;
  const system::DisplayWindow* window = nullptr;
  {
    const MutexLock lock(mutex_);
    auto known = LookLocked();
    if (!known.ok()) return known.error();
    window = *known;
    output = output_.get();
  }
  return output != nullptr ? output->AskStatus() : window->AskStatus();
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

VKAPI_ATTR void VKAPI_CALL DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks* allocator) {
  if (surface == VK_NULL_HANDLE) return;
  const auto data = FindInstance(DispatchKey(instance));
  if (Process::Get().inert()) return;
  const CancellationOff off;
  if (data->surfaces.Remove(surface) != nullptr) return;
  if (data->next.DestroySurfaceKHR != nullptr) data->next.DestroySurfaceKHR(instance, surface, allocator);
}

}  // namespace tandem::layer
