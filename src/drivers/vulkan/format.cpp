#include "drivers/vulkan/format.h"

#include "color/format.h"
namespace tandem::vulkan {
namespace {

struct Row {
  color::Format format;
  VkFormat vk;
  VkFormat vk_linear;  // without the sRGB transfer function
};

constexpr Row kRows[] = {
    {color::Format::kB8G8R8A8Unorm, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM},
    {color::Format::kB8G8R8A8UnormSrgb, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM},
    {color::Format::kB8G8R8X8Unorm, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM},
    {color::Format::kR8G8B8A8Unorm, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM},
    {color::Format::kR8G8B8A8UnormSrgb, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM},
    {color::Format::kR10G10B10A2Unorm, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UNORM_PACK32},
    {color::Format::kR16G16B16A16Float, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT},
};

const Row* Find(color::Format format) {
  for (const Row& row : kRows) {
    if (row.format == format) return &row;
  }
  return nullptr;
}

VkFormat Linear(VkFormat format) {
  for (const Row& row : kRows) {
    if (row.vk == format) return row.vk_linear;
  }
  return VK_FORMAT_UNDEFINED;
}

}  // namespace

VkFormat ToVkFormat(color::Format format) {
  const Row* row = Find(format);
  return row == nullptr ? VK_FORMAT_UNDEFINED : row->vk;
}

bool SameBits(VkFormat a, VkFormat b) { return Linear(a) != VK_FORMAT_UNDEFINED && Linear(a) == Linear(b); }

}  // namespace tandem::vulkan
