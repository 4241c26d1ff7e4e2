// What programs with a known mistake are spared. All of it is in one table; nothing else asks who a program is.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

struct Workarounds {
  // Presents to a window of another size answer VK_SUCCESS in place of VK_SUBOPTIMAL_KHR; only acquiring an image tells.
  bool quiet_presents = false;
};

// By what the program says of its engine; null: nothing. Each one that is found goes to the log.
[[nodiscard]] Workarounds WorkaroundsFor(const VkApplicationInfo* application);

}  // namespace tandem::layer
