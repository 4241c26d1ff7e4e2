#include "drivers/vulkan/display/frame_format.h"

#include <algorithm>

#include "drivers/vulkan/format.h"

namespace tandem::vulkan {
namespace {

// The format of the same bits without a transfer function, so that a blit keeps the values.
VkFormat Encoded(VkFormat format) {
  switch (format) {
    case VK_FORMAT_B8G8R8A8_SRGB: return VK_FORMAT_B8G8R8A8_UNORM;
    case VK_FORMAT_R8G8B8A8_SRGB: return VK_FORMAT_R8G8B8A8_UNORM;
    default: return format;
  }
}

bool IsLinear(color::Format format) { return format == color::Format::kR16G16B16A16Float; }

}  // namespace

bool GpuBlitSupport::CanBlit(VkFormat from, VkFormat to) const {
  VkFormatProperties source{};
  VkFormatProperties destination{};
  gpu_.vk().GetPhysicalDeviceFormatProperties(gpu_.physical(), from, &source);
  gpu_.vk().GetPhysicalDeviceFormatProperties(gpu_.physical(), to, &destination);
  return (source.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) != 0 &&
         (source.optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_DST_BIT) != 0 &&
         (destination.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0;
}

Result<FrameFormat> ChooseFrameFormat(color::Format frame, const std::vector<WsiFormat>& window, const BlitSupport& blits) {
  const VkFormat own = ToVkFormat(frame);
  const auto takes = [&](VkFormat format) {
    return std::any_of(window.begin(), window.end(), [&](const WsiFormat& f) {
      return f.format == format && f.color_space == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
    });
  };
  // A window would read linear values as encoded ones, so only encoded frames are shown directly.
  if (!IsLinear(frame)) {
    if (takes(own)) return FrameFormat{own, VK_FORMAT_UNDEFINED};
    for (const WsiFormat& format : window) {
      if (takes(format.format) && SameBits(own, format.format)) return FrameFormat{format.format, VK_FORMAT_UNDEFINED};
    }
  }
  const VkFormat from = Encoded(own);
  const auto targets = IsLinear(frame) ? std::vector{VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB}
                                       : std::vector{VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM};
  for (const VkFormat to : targets) {
    if (takes(to) && blits.CanBlit(from, to)) return FrameFormat{to, from};
  }
  return Fail(ErrorKind::kUnsupported,
              "The window takes {} formats; frames of format {} can be neither copied nor converted to one.", window.size(),
              color::ToString(frame));
}

}  // namespace tandem::vulkan
