// Device extensions by which memory and fences cross to other devices as file descriptors.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tandem::vulkan {

// Names to enable where the device offers them. VK_EXT_image_drm_format_modifier needs the last one below Vulkan 1.2.
inline constexpr std::array<const char*, 6> kCrossingExtensionNames = {
    "VK_KHR_external_memory_fd",   "VK_EXT_external_memory_dma_buf", "VK_EXT_image_drm_format_modifier",
    "VK_EXT_queue_family_foreign", "VK_KHR_external_semaphore_fd",   "VK_KHR_image_format_list"};

struct CrossingExtensions {
  bool dma_buf = false;    // buffers over dma-bufs
  bool modifiers = false;  // images over dma-bufs, with a layout that the driver is given
  bool foreign = false;    // VK_QUEUE_FAMILY_FOREIGN_EXT
  bool sync_fd = false;    // semaphores as sync_files
};

// Reads the names that a device was made with.
[[nodiscard]] CrossingExtensions CrossingOf(std::span<const char* const> enabled);

}  // namespace tandem::vulkan
