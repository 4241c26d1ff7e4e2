#include "drivers/vulkan/crossing_extensions.h"

#include <algorithm>
#include <string_view>

namespace tandem::vulkan {

CrossingExtensions CrossingOf(std::span<const char* const> enabled) {
  const auto has = [&](std::string_view name) {
    return std::any_of(enabled.begin(), enabled.end(), [&](const char* item) { return name == item; });
  };
  CrossingExtensions out;
  out.dma_buf = has("VK_KHR_external_memory_fd") && has("VK_EXT_external_memory_dma_buf");
  out.modifiers = out.dma_buf && has("VK_EXT_image_drm_format_modifier");
  out.foreign = has("VK_EXT_queue_family_foreign");
  out.sync_fd = has("VK_KHR_external_semaphore_fd");
  return out;
}

}  // namespace tandem::vulkan
