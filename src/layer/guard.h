// The boundary between our code and a C caller.
#pragma once

#include <new>

#include <pthread.h>
#include <vulkan/vulkan_core.h>

#include "base/result.h"

namespace tandem::layer {

// While it lives, the calling thread cannot be cancelled. pthread_cancel() would unwind our noexcept frames with our locks
// held. A pending cancellation takes effect later, in the program's own code.
class CancellationOff {
 public:
  CancellationOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationOff() { pthread_setcancelstate(before_, nullptr); }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Runs a body that returns a VkResult. No exception reaches the application, and no cancellation interrupts the body.
template <class Body>
[[nodiscard]] VkResult Guarded(Body body) noexcept {
  const CancellationOff off;
  try {
    return body();
  } catch (...) {  // only the allocator throws
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

// Converts an error for the frame calls: acquire, present, wait.
[[nodiscard]] VkResult ToVkResult(const Error& error);

// Converts an error to a result that vkCreateSwapchainKHR may return.
[[nodiscard]] VkResult ToVkCreationResult(const Error& error);
// Converts an error to a result that surface queries may return: out of memory or surface lost.
[[nodiscard]] VkResult ToVkQueryResult(const Error& error);

}  // namespace tandem::layer
