#include "drivers/vulkan/format.h"

#include "color/nv12.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

struct Row {
  color::Format format;
  VkFormat vk;
  VkFormat vk_linear;  // without the sRGB transfer function
  D3DDDIFORMAT d3dddi;
};

constexpr Row kRows[] = {
    {color::Format::kB8G8R8A8Unorm, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, D3DDDIFMT_A8R8G8B8},
    {color::Format::kB8G8R8A8UnormSrgb, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM, D3DDDIFMT_A8R8G8B8},
    {color::Format::kB8G8R8X8Unorm, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, D3DDDIFMT_X8R8G8B8},
    {color::Format::kR8G8B8A8Unorm, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, D3DDDIFMT_A8B8G8R8},
    {color::Format::kR8G8B8A8UnormSrgb, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM, D3DDDIFMT_A8B8G8R8},
    {color::Format::kR10G10B10A2Unorm, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
     D3DDDIFMT_A2B10G10R10},
    {color::Format::kR16G16B16A16Float, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT, D3DDDIFMT_A16B16G16R16F},
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

D3DDDIFORMAT ToD3dddiFormat(color::Format format) {
  if (format == link::kLinkFormat) return static_cast<D3DDDIFORMAT>(format);
  if (format == kPaletteFormat) return D3DDDIFMT_P8;
  if (format == color::kNv12) return D3DDDIFMT_NV12;
  const Row* row = Find(format);
  return row == nullptr ? D3DDDIFMT_UNKNOWN : row->d3dddi;
}

color::Format ToColorFormat(D3DDDIFORMAT format) {
  if (static_cast<color::Format>(format) == link::kLinkFormat) return link::kLinkFormat;
  if (format == D3DDDIFMT_P8) return kPaletteFormat;
  if (format == D3DDDIFMT_NV12) return color::kNv12;
  if (format == D3DDDIFMT_X8B8G8R8) return color::Format::kR8G8B8A8Unorm;
  for (const Row& row : kRows) {
    if (row.d3dddi == format) return row.format;
  }
  return color::Format::kUnknown;
}

bool SameBits(VkFormat a, VkFormat b) { return Linear(a) != VK_FORMAT_UNDEFINED && Linear(a) == Linear(b); }

}  // namespace tandem::vulkan
