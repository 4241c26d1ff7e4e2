#include "layer/surface.h"

#include <utility>

#include "base/log.h"
#include "layer/guard.h"
#include "layer/handle_memory.h"
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
  return window_->value().window.get();
}

Result<std::shared_ptr<system::DisplaySurface>> Surface::TakeOutput() {
  const MutexLock lock(mutex_);
  if (output_ != nullptr) return output_;
  auto window = LookLocked();
  if (!window.ok()) return window.error();
  auto output = (*window)->TakeOutput();
  if (!output.ok()) {
    Log(LogLevel::kError, "The surface cannot be shown. {}", output.error().message);
    return std::move(output).error();
  }
  output_ = *std::move(output);
  Log(LogLevel::kInfo, "Surface: {}.", output_->description());
  return output_;
}

Result<std::shared_ptr<system::DisplaySurface>> Surface::TakeNextOutput() {
  std::shared_ptr<system::DisplaySurface> lost;  // released without the lock
  std::uint64_t turn = 0;
  {
    const MutexLock lock(mutex_);
    lost = std::move(output_);
    turn = window_->value().turn;
  }
  lost.reset();
  auto next = system_.TakeNextOutput(target_, turn);
  if (!next.ok()) return std::move(next).error();
  Process::Get().stats().SetAdapters(system_.render_adapter(), system_.display_adapter());
  const MutexLock lock(mutex_);
  lost_windows_.push_back(std::exchange(window_->value(), std::move(next->opened)));
  output_ = std::move(next->output);
  Log(LogLevel::kInfo, "Surface: {}.", output_->description());
  return output_;
}

Result<system::WindowStatus> Surface::AskStatus() {
  std::shared_ptr<const system::DisplaySurface> output;
  const system::DisplayWindow* window = nullptr;
  {
    const MutexLock lock(mutex_);
    auto known = LookLocked();
    if (!known.ok()) return known.error();
    window = *known;
    output = output_;
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
  if (const auto removed = data->surfaces.Remove(surface)) {
    HandleMemory::Free(allocator, removed->handle_memory());
    return;
  }
  if (data->next.DestroySurfaceKHR != nullptr) data->next.DestroySurfaceKHR(instance, surface, allocator);
}

}  // namespace tandem::layer
