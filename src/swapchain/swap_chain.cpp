#include "swapchain/swap_chain.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "color/format.h"
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

PairFacts FactsOf(const Runtime& render, const Runtime& display, const SwapChainDesc& desc) {
  PairFacts facts;
  facts.render_name = render.binding().name;
  facts.display_name = display.binding().name;
  facts.render_tier = render.cross_adapter_tier();
  facts.display_tier = display.cross_adapter_tier();
  facts.render_is_discrete = render.hybrid_discrete();
  facts.render_bounce_reason = render.binding().bounce_reason;
  facts.display_bounce_reason = display.binding().bounce_reason;
  facts.within_minimum = IsWithinScanOutMinimum(desc.width, desc.height, desc.format);
  facts.has_encodings = desc.encodings != nullptr;
  facts.has_eight_bits = link::HasEightBits(static_cast<color::Format>(desc.format));
  facts.only_yuv420 = link::IsBuilt(link::LinkEncoding::kYuv420) && desc.encodings != nullptr &&
                      desc.encodings->Only() == link::LinkEncoding::kYuv420;
  if (desc.link_colors.yuv != link::LinkYuv()) facts.other_yuv = link::LinkYuvText(desc.link_colors.yuv);
  facts.hud = desc.hud;
  facts.width = desc.width;
  facts.height = desc.height;
  facts.emulated_link = render.binding().emulated_link;
  facts.measured_link = MeasuredLink(render, display).bytes_per_second;
  facts.encode_refusal = render.binding().encode_refusal;
  const DXGI_FORMAT crossing = CrossingFormatOf(desc.format, desc.shown_depth).format;
  const double frame_bytes = static_cast<double>(desc.width) * desc.height * BytesPerPixel(crossing);
  facts.plain_bytes = static_cast<std::uint64_t>(frame_bytes * 1e9 / static_cast<double>(desc.refresh_period_ns));
  return facts;
}

}  // namespace

std::uint32_t BytesPerPixel(DXGI_FORMAT format) {
  switch (format) {
    case DXGI_FORMAT_R16G16B16A16_FLOAT: return 8;
    case DXGI_FORMAT_R10G10B10A2_UNORM:
    case DXGI_FORMAT_R8G8B8A8_UNORM:
    case DXGI_FORMAT_R8G8B8A8_UNORM_SRGB:
    case DXGI_FORMAT_B8G8R8A8_UNORM:
    case DXGI_FORMAT_B8G8R8X8_UNORM:
    case DXGI_FORMAT_B8G8R8A8_UNORM_SRGB: return 4;
    default: return 0;
  }
}

Result<std::unique_ptr<SwapChain>> SwapChain::Create(RuntimeDevice& render, RuntimeDevice& display, const SwapChainDesc& desc,
                                                     Clock& clock) {
  if (auto checked = CheckDesc(desc); !checked.ok()) return std::move(checked).error();
  auto& render_runtime = render.runtime();
  auto& display_runtime = display.runtime();
  PathCandidates candidates(desc.path, FactsOf(render_runtime, display_runtime, desc));
  while (const auto path = candidates.current()) {
    BuildStep step = BuildStep::kImages;
    auto buffers = BufferSet::Build(*path, candidates.encoding(), render_runtime, display_runtime, desc, step);
    if (!buffers.ok()) {
      candidates.Refuse({step, std::move(buffers).error()});
      continue;
    }
    PathDecision decision = candidates.Accept();
    decision.crossing_format = (*buffers)->crossing_format(desc);
    if ((*buffers)->converts(desc)) {
      decision.reason += fmt::format(" That copy makes {} of {}.", NameOf(decision.crossing_format), NameOf(desc.format));
    }
    Log(LogLevel::kInfo, "Path {}: {}", ToString(decision.path), decision.reason);
    for (const std::string& refused : decision.refused) Log(LogLevel::kInfo, "Path refused: {}", refused);
    return SwapChainImpl::Make(render_runtime, display_runtime, desc, clock, *std::move(buffers), std::move(decision));
  }
  return candidates.Failure();
}

}  // namespace tandem::swapchain
