#include "swapchain/path_builder.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "color/format.h"
#include "link/governor/encoding_policy.h"
#include "link/surface/link_surface.h"
#include "swapchain/decision.h"

namespace tandem::swapchain {
namespace {

PairFacts FactsOf(const Runtime& render, const Runtime& display, const SwapChainDesc& desc, const Images& images) {
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
  facts.images_exist = !images.empty();
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

Result<BuiltPath> BuildPath(Runtime& render, Runtime& display, const SwapChainDesc& desc, const Images& images) {
  PathCandidates candidates(desc.path, FactsOf(render, display, desc, images));
  while (const auto path = candidates.current()) {
    BuildStep step = BuildStep::kImages;
    auto buffers = BufferSet::Build(*path, candidates.encoding(), render, display, desc, images, step);
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
    return BuiltPath{*std::move(buffers), std::move(decision)};
  }
  return candidates.Failure();
}

}  // namespace tandem::swapchain
