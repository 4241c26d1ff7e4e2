// The wall between our code and a C caller.
#pragma once

#include <new>

#include <pthread.h>
#include <vulkan/vulkan_core.h>

#include "base/result.h"

namespace tandem::layer {

// While it lives the calling thread is not cancelled: pthread_cancel() would unwind through our frames, with our locks held and
// out of functions that do not throw. It takes effect in the program's own code.
class CancellationOff {
 public:
  CancellationOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationOff() { pthread_setcancelstate(before_, nullptr); }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Runs a body that returns a VkResult; nothing that it throws reaches the application, and no cancellation ends it.
template <class Body>
[[nodiscard]] VkResult Guarded(Body body) noexcept {
  const CancellationOff off;
  try {
    return body();
  } catch (...) {  // only the allocator throws
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

// What a frame call (acquire, present, wait) answers for the error.
[[nodiscard]] VkResult ToVkResult(const Error& error);

// An answer that vkCreateSwapchainKHR may give.
[[nodiscard]] VkResult ToVkCreationResult(const Error& error);
// An answer that a query of a surface may give: memory ran out, or the surface is lost.
[[nodiscard]] VkResult ToVkQueryResult(const Error& error);

}  // namespace tandem::layer
