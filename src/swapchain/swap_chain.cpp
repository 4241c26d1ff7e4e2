#include "swapchain/swap_chain.h"

#include <utility>

#include "swapchain/path_builder.h"
#include "swapchain/swap_chain_impl.h"

namespace tandem::swapchain {
namespace {

Result<void> CheckRange(const char* what, std::uint32_t value, std::uint32_t least, std::uint32_t most) {
  if (value >= least && value <= most) return {};
  return Fail(ErrorKind::kInvalidArgument, "{} {} is not in {}..{}.", what, value, least, most);
}

Result<void> CheckDesc(const SwapChainDesc& desc) {
  if (auto checked = CheckRange("Width", desc.width, 1, kMaxSurfaceExtent); !checked.ok()) return checked;
  if (auto checked = CheckRange("Height", desc.height, 1, kMaxSurfaceExtent); !checked.ok()) return checked;
  if (auto checked = CheckRange("Image count", desc.image_count, 2, kMaxAppImages); !checked.ok()) return checked;
  if (auto checked = CheckRange("Ring buffer count", desc.ring_buffers, 2, kMaxRingBuffers); !checked.ok()) return checked;
  if (desc.display_buffers != 0) {
    auto checked = CheckRange("Display buffer count", desc.display_buffers, 2, kMaxRingBuffers);
    if (!checked.ok()) return checked;
  }
  if (auto checked = CheckRange("Link slice count", desc.link_slices, 1, link::kMaxLinkSlices); !checked.ok()) return checked;
  if (desc.refresh_period_ns <= 0)
    return Fail(ErrorKind::kInvalidArgument, "Refresh period {} ns is not positive.", desc.refresh_period_ns);
  if (BytesPerPixel(desc.format) == 0) {
    return Fail(ErrorKind::kInvalidArgument, "DXGI format {} is not one that crosses adapters.", static_cast<int>(desc.format));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<SwapChain>> SwapChain::Create(RuntimeDevice& render, RuntimeDevice& display, const SwapChainDesc& desc,
                                                     Clock& clock) {
  if (auto checked = CheckDesc(desc); !checked.ok()) return std::move(checked).error();
  auto path = BuildPath(render.runtime(), display.runtime(), desc, {});
  if (!path.ok()) return std::move(path).error();
  return SwapChainImpl::Make(render.runtime(), display.runtime(), desc, clock, *std::move(path));
}

}  // namespace tandem::swapchain
