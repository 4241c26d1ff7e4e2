// The wall between our code and a C caller.
#pragma once

#include <new>

#include <vulkan/vulkan_core.h>

#include "base/result.h"

namespace tandem::layer {

// Runs a body that returns a VkResult; nothing that it throws reaches the application.
template <class Body>
[[nodiscard]] VkResult Guarded(Body body) noexcept {
  try {
    return body();
  } catch (...) {  // only the allocator throws
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

// What a frame call (acquire, present, wait) answers for the error.
[[nodiscard]] VkResult ToVkResult(const Error& error);

// What vkCreateSwapchainKHR and the surface queries may answer.
[[nodiscard]] VkResult ToVkCreationResult(const Error& error);

}  // namespace tandem::layer
