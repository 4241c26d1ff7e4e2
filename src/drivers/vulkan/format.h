// Vulkan's names of pixel formats.
#pragma once

#include <vulkan/vulkan_core.h>

#include "color/format.h"
#include "drivers/common/pixel_format.h"

namespace tandem::vulkan {

// VK_FORMAT_UNDEFINED for kUnknown and drivers::kPaletteFormat, whose surfaces are rows and no images. B8G8R8X8 has no name of
// its own in Vulkan and becomes VK_FORMAT_B8G8R8A8_UNORM.
[[nodiscard]] VkFormat ToVkFormat(color::Format format);

// color::SameBits for Vulkan's names, among those that ToVkFormat answers.
[[nodiscard]] bool SameBits(VkFormat a, VkFormat b);

}  // namespace tandem::vulkan
