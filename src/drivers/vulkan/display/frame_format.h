// Which of a window's formats a frame is shown in.
#pragma once

#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "color/format.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/wsi/wsi_presenter.h"

namespace tandem::vulkan {

struct FrameFormat {
  VkFormat window = VK_FORMAT_UNDEFINED;
  // The format that the frame's bits are read in before they are converted to the window's by a blit; VK_FORMAT_UNDEFINED: the
  // window takes the bits as they are.
  VkFormat convert_from = VK_FORMAT_UNDEFINED;
};

// May the device blit between two formats with optimal tiling?
class BlitSupport {
 public:
  virtual ~BlitSupport() = default;
  [[nodiscard]] virtual bool CanBlit(VkFormat from, VkFormat to) const = 0;
};

class GpuBlitSupport final : public BlitSupport {
 public:
  explicit GpuBlitSupport(const Gpu& gpu) : gpu_(gpu) {}
  [[nodiscard]] bool CanBlit(VkFormat from, VkFormat to) const override;

 private:
  const Gpu& gpu_;
};

// The frame's own format, else one of the same bits, else one of 8 bits a channel by a blit. All windows read their pixels as
// sRGB, so a blit keeps encoded values as they are; scRGB (16-bit floats) is linear and gets encoded. kUnsupported with the
// reason.
[[nodiscard]] Result<FrameFormat> ChooseFrameFormat(color::Format frame, const std::vector<WsiFormat>& window,
                                                    const BlitSupport& blits);

}  // namespace tandem::vulkan
