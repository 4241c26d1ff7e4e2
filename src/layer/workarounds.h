// Workarounds for programs with known errors. All of them stand in one table; no other code checks a program's identity.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

struct Workarounds {
  // Presents to a resized window return VK_SUCCESS instead of VK_SUBOPTIMAL_KHR; only acquiring an image reports the change.
  bool quiet_presents = false;
};

// Looks the program's engine name up; null: no workarounds. Each workaround found is logged.
[[nodiscard]] Workarounds WorkaroundsFor(const VkApplicationInfo* application);

}  // namespace tandem::layer
