// Chooses the window format in which a frame is shown.
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
  // The format in which a blit reads the frame's bits before it converts them to the window's. VK_FORMAT_UNDEFINED: the window
  // takes the bits unchanged.
  VkFormat convert_from = VK_FORMAT_UNDEFINED;
};

// Tells whether the device can blit between two formats with optimal tiling.
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

// Chooses the frame's own format, else one of the same bits, else one of 8 bits a channel by a blit. All windows read their
// pixels as sRGB. A blit therefore keeps encoded values, and encodes scRGB (16-bit floats), which is linear. kUnsupported with
// the reason.
[[nodiscard]] Result<FrameFormat> ChooseFrameFormat(color::Format frame, const std::vector<WsiFormat>& window,
                                                    const BlitSupport& blits);

}  // namespace tandem::vulkan
