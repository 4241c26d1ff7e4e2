#include "swapchain/buffer_set.h"

#include <algorithm>
#include <utility>

#include "color/format.h"
#include "link/surface/link_slices.h"
#include "link/surface/link_surface.h"

namespace tandem::swapchain {
namespace {

constexpr std::uint32_t kTierScanOut = 3;
// Images of the direct path: one on the screen, one pending, one to draw into. A fourth is needed where frames
// replace the pending one.
constexpr std::uint32_t kMinDirectImages = 3;
constexpr std::uint32_t kMinDirectReplacingImages = 4;

std::uint32_t DirectImages(const SwapChainDesc& desc) {
  const std::uint32_t least = Replaces(desc.present_mode, desc.slow_flips) ? kMinDirectReplacingImages : kMinDirectImages;
  return std::max(desc.image_count, least);
}

ResourceDesc SurfaceDesc(const SwapChainDesc& desc) {
  ResourceDesc surface;
  surface.width = desc.width;
  surface.height = desc.height;
  surface.format = desc.format;
  surface.vidpn_source = desc.vidpn_source;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  return surface;
}

Result<std::unique_ptr<Resource>> CreateShared(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format, bool scan_out,
                                               BuildStep& step) {
  ResourceDesc surface = SurfaceDesc(desc);
  surface.format = format;
  surface.sharing = Sharing::kCrossAdapter;
  surface.primary = scan_out;
  if (!scan_out) surface.bind_flags = 0;  // BIND_PRESENT belongs to a primary, here the destination of the second copy
  ScanOut answer = ScanOut::kYes;
  auto created = Resource::Create(display, surface, answer);
  step = !scan_out ? BuildStep::kSharedBuffer : answer == ScanOut::kNo ? BuildStep::kNoScanout : BuildStep::kScanOutBuffer;
  if (created.ok() && answer == ScanOut::kNo) return Fail(ErrorKind::kUnsupported, "NO_SCANOUT.");
  return created;
}

// Asks the last of the three questions before scan-out of shared memory: cap, CreateResource, StaticCheck.
Result<void> StaticCheck(Runtime& display, const Resource& primary, const SwapChainDesc& desc, BuildStep& step) {
  step = BuildStep::kStaticCheck;
  const auto answer =
      display.CheckPlane(primary.kernel_resource(), desc.width, desc.height, desc.vidpn_source, CheckKind::kStatic);
  if (!answer.ok()) return answer.error();
  return answer->supported ? Result<void>() : Fail(ErrorKind::kUnsupported, "Not supported.");
}

}  // namespace

Result<std::unique_ptr<BufferSet>> BufferSet::Build(Path path, link::LinkEncoding encoding, Runtime& render, Runtime& display,
                                                    const SwapChainDesc& desc, const Images& images, BuildStep& step) {
  std::unique_ptr<BufferSet> set(new BufferSet());
  set->images_ = images;
  set->direct_ = path == Path::kDirect;
  set->compressed_ = path == Path::kCompressed;
  set->nv12_ = encoding == link::LinkEncoding::kYuv420;
  // A program that draws into the shared pages itself leaves nobody to convert.
  set->crossing_ = CrossingFormatOf(desc.format, set->direct_ ? ShownDepth::kHalfFloats : desc.shown_depth);
  // Only the render driver's work inside its copy distinguishes the cpu path from the others.
  set->second_copy_ =
      path == Path::kTwoCopy || set->compressed_ || (path == Path::kCpuCopy && display.cross_adapter_tier() < kTierScanOut);
  const std::uint32_t count = set->direct_ ? DirectImages(desc) : desc.ring_buffers;
  if (auto built = set->BuildBuffers(render, display, desc, count, step); !built.ok()) return std::move(built).error();
  // If both counts are equal, a frame is decoded into the primary of its buffer.
  // A decoded frame may refer to the same buffer's earlier one, which figures would spoil.
  const bool decodes_aside = desc.hud || (desc.display_buffers != 0 && desc.display_buffers != count);
  set->in_turn_ = set->second_copy_ && (set->compressed_ ? decodes_aside : desc.display_buffers != 0);
  if (set->decodes_to_pictures()) {
    if (auto built = set->BuildPictures(display, desc, step); !built.ok()) return std::move(built).error();
  }
  if (set->second_copy_) {
    const std::uint32_t primaries = desc.display_buffers != 0 ? desc.display_buffers : count;
    if (auto built = set->BuildPrimaries(display, desc, primaries, step); !built.ok()) return std::move(built).error();
  }
  if (auto built = set->BuildImages(render, desc, step); !built.ok()) return std::move(built).error();
  step = BuildStep::kImages;
  for (std::uint32_t i = 0; desc.image_check != nullptr && i < set->image_count(); ++i) {
    if (auto checked = desc.image_check->Check(set->image(i)); !checked.ok()) return std::move(checked).error();
  }
  return set;
}

DXGI_FORMAT BufferSet::primary_format(const SwapChainDesc& desc) const {
  return compressed_ ? static_cast<DXGI_FORMAT>(link::LinkedFormat(static_cast<color::Format>(desc.format), desc.link_colors))
                     : crossing_.format;
}

DXGI_FORMAT BufferSet::SharedFormat(const SwapChainDesc& desc) const {
  if (compressed_) return static_cast<DXGI_FORMAT>(link::kLinkFormat);
  return crossing_format(desc);
}

Result<void> BufferSet::BuildBuffers(Runtime& render, Runtime& display, const SwapChainDesc& desc, std::uint32_t count,
                                     BuildStep& step) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Buffer buffer;
    auto shared = CreateShared(display, desc, SharedFormat(desc), !second_copy_, step);
    if (!shared.ok()) return std::move(shared).error();
    buffer.on_display = *std::move(shared);
    if (!second_copy_ && i == 0) {
      if (auto checked = StaticCheck(display, *buffer.on_display, desc, step); !checked.ok()) return checked;
    }
    step = BuildStep::kOpen;
    auto opened = Resource::Open(render, *buffer.on_display);
    if (!opened.ok()) return std::move(opened).error();
    buffer.on_render = *std::move(opened);
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

// Pictures have the form of shared buffers, which both drivers can decode into and copy from. No other adapter opens them.
Result<void> BufferSet::BuildPictures(Runtime& display, const SwapChainDesc& desc, BuildStep& step) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    auto picture = CreateShared(display, desc, primary_format(desc), false, step);
    if (!picture.ok()) return std::move(picture).error();
    pictures_.push_back(*std::move(picture));
  }
  return {};
}

Result<void> BufferSet::BuildPrimaries(Runtime& display, const SwapChainDesc& desc, std::uint32_t count, BuildStep& step) {
  step = BuildStep::kPrimary;
  ResourceDesc surface = SurfaceDesc(desc);
  surface.primary = true;
  surface.format = primary_format(desc);
  // Decoded or drawn into, not only copied.
  if ((compressed_ && !in_turn_) || desc.hud) surface.bind_flags |= D3D10_DDI_BIND_RENDER_TARGET;
  for (std::uint32_t i = 0; i < count; ++i) {
    ScanOut answer = ScanOut::kYes;
    auto primary = Resource::Create(display, surface, answer);
    if (!primary.ok()) return std::move(primary).error();
    primaries_.push_back(*std::move(primary));
  }
  return {};
}

Result<void> BufferSet::BuildImages(Runtime& render, const SwapChainDesc& desc, BuildStep& step) {
  if (!images_.empty()) return {};
  step = BuildStep::kImages;
  for (const Buffer& buffer : buffers_) {
    if (direct_) images_.push_back(buffer.on_render);
  }
  if (direct_) return {};
  for (std::uint32_t i = 0; i < desc.image_count; ++i) {
    ResourceDesc surface = SurfaceDesc(desc);
    surface.bind_flags = desc.bind_flags | D3D10_DDI_BIND_PRESENT | D3D10_DDI_BIND_RENDER_TARGET;
    ScanOut answer = ScanOut::kYes;
    auto image = Resource::Create(render, surface, answer);
    if (!image.ok()) return std::move(image).error();
    images_.push_back(*std::move(image));
  }
  return {};
}

}  // namespace tandem::swapchain
