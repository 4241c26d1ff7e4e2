#include "layer/formats.h"

#include "layer/newer_vulkan.h"

#include <array>
#include <utility>

namespace tandem::layer {
namespace {

struct Row {
  VkFormat vulkan;
  DXGI_FORMAT dxgi;
  const char* name;  // Vulkan's name without VK_FORMAT_
};
constexpr std::array<Row, 6> kFormats = {{
    {VK_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8_UNORM"},
    {VK_FORMAT_B8G8R8A8_SRGB, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, "B8G8R8A8_SRGB"},
    {VK_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM"},
    {VK_FORMAT_R8G8B8A8_SRGB, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, "R8G8B8A8_SRGB"},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, DXGI_FORMAT_R10G10B10A2_UNORM, "A2B10G10R10_UNORM"},
    {VK_FORMAT_R16G16B16A16_SFLOAT, DXGI_FORMAT_R16G16B16A16_FLOAT, "R16G16B16A16_SFLOAT"},
}};

constexpr std::array<std::pair<VkFormatFeatureFlags, VkImageUsageFlags>, 6> kUses = {{
    {VK_FORMAT_FEATURE_TRANSFER_SRC_BIT, VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
    {VK_FORMAT_FEATURE_TRANSFER_DST_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT},
    {VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, VK_IMAGE_USAGE_SAMPLED_BIT},
    {VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, VK_IMAGE_USAGE_STORAGE_BIT},
    {VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
    {VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT},
}};

}  // namespace

VkFormat ToVkFormat(DXGI_FORMAT format) {
  for (const Row& row : kFormats) {
    if (row.dxgi == format) return row.vulkan;
  }
  return VK_FORMAT_UNDEFINED;
}

DXGI_FORMAT ToDxgiFormat(VkFormat format) {
  for (const Row& row : kFormats) {
    if (row.vulkan == format) return row.dxgi;
  }
  return DXGI_FORMAT_UNKNOWN;
}

const char* ToString(VkFormat format) {
  for (const Row& row : kFormats) {
    if (row.vulkan == format) return row.name;
  }
  return "UNDEFINED";
}

VkColorSpaceKHR ColorSpaceOf(VkFormat format) {
  return format == VK_FORMAT_R16G16B16A16_SFLOAT ? VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT : VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
}

VkPresentModeKHR ToVkPresentMode(swapchain::PresentMode mode) {
  switch (mode) {
    case swapchain::PresentMode::kFifo: return VK_PRESENT_MODE_FIFO_KHR;
    case swapchain::PresentMode::kFifoRelaxed: return VK_PRESENT_MODE_FIFO_RELAXED_KHR;
    case swapchain::PresentMode::kMailbox: return VK_PRESENT_MODE_MAILBOX_KHR;
    case swapchain::PresentMode::kImmediate: return VK_PRESENT_MODE_IMMEDIATE_KHR;
    case swapchain::PresentMode::kFifoLatestReady: return VK_PRESENT_MODE_FIFO_LATEST_READY_KHR;
  }
  return VK_PRESENT_MODE_FIFO_KHR;
}

std::optional<swapchain::PresentMode> ToPresentMode(VkPresentModeKHR mode) {
  switch (static_cast<int>(mode)) {
    case VK_PRESENT_MODE_FIFO_KHR: return swapchain::PresentMode::kFifo;
    case VK_PRESENT_MODE_FIFO_RELAXED_KHR: return swapchain::PresentMode::kFifoRelaxed;
    case VK_PRESENT_MODE_MAILBOX_KHR: return swapchain::PresentMode::kMailbox;
    case VK_PRESENT_MODE_IMMEDIATE_KHR: return swapchain::PresentMode::kImmediate;
    case VK_PRESENT_MODE_FIFO_LATEST_READY_KHR: return swapchain::PresentMode::kFifoLatestReady;
    default: return std::nullopt;
  }
}

VkImageUsageFlags ToImageUsage(VkFormatFeatureFlags features) {
  VkImageUsageFlags usage = 0;
  for (const auto& [feature, use] : kUses) {
    if ((features & feature) != 0) usage |= use;
  }
  return usage;
}

}  // namespace tandem::layer
