#include "drivers/vulkan/link/link_blit.h"

#include "base/clock.h"

namespace tandem::vulkan {

bool IsLinkSurface(const Allocation& allocation) { return allocation.data().format == link::kLinkFormat; }

bool IsLinkBlit(const BlitCommand& command) {
  return IsLinkSurface(*command.destination) || (command.source != nullptr && IsLinkSurface(*command.source));
}

link::LinkEncoding LinkEncodingAt(const BlitSide& surface, std::uint32_t row, bool encodes) {
  if (surface.rows.pixels == nullptr) return link::LinkEncoding::kLossless;
  const std::span<const std::byte> bytes{surface.rows.pixels, link::kLinkHeaderBytes};
  const link::LinkSurfaceHeader header = link::ReadLinkHeader(bytes);
  std::uint32_t encoding = header.encoding;
  if (!encodes && header.slice_rows != 0 && row / header.slice_rows < link::kMaxLinkSlices)
    encoding = link::ReadLinkSlice(bytes, row / header.slice_rows).encoding;
  const auto known = static_cast<link::LinkEncoding>(encoding);
  return encoding < link::kLinkEncodings && link::IsBuilt(known) ? known : link::LinkEncoding::kLossless;
}

bool MayKeepPixels(const BlitPlan& plan) {
  const BlitSide& surface = plan.source;
  if (surface.format != link::kLinkFormat) return false;
  const std::span<const std::byte> bytes{surface.rows.pixels, link::LinkSurfaceBytes(surface.width, surface.height)};
  for (std::uint32_t slice = 0; slice < link::kMaxLinkSlices; ++slice) {
    if (link::RefersToFrames(static_cast<link::LinkEncoding>(link::ReadLinkSlice(bytes, slice).encoding))) return true;
  }
  return false;
}

Result<link::EncodedRows> RunLinkBlit(const BlitPlan& plan, std::vector<std::byte>& room) {
  const bool encodes = plan.destination.format == link::kLinkFormat;
  const BlitSide& surface = encodes ? plan.destination : plan.source;
  const BlitSide& picture = encodes ? plan.source : plan.destination;
  link::EncodedRows all;
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) {
    const RECT& rect = plan.command.rects[i];
    const link::LinkRows rows{{surface.rows.pixels, link::LinkSurfaceBytes(surface.width, surface.height)},
                              static_cast<std::uint32_t>(rect.top),
                              static_cast<std::uint32_t>(rect.bottom)};
    if (encodes) {
      auto encoded = link::EncodeLinkRows(
          rows, {picture.rows.pixels, picture.pitch, picture.format, picture.width, picture.height}, MonotonicClock(), room);
      if (!encoded.ok()) return encoded;
      all.crossing += encoded->crossing;
      all.passes += encoded->passes;
    } else {
      const PictureExtent extent = PictureOf(picture.width, picture.height, plan.command.rotation);
      auto decoded = link::DecodeLinkRows(rows, {picture.rows.pixels, picture.pitch, picture.format, extent.width, extent.height},
                                          MonotonicClock(), room, plan.command.rotation);
      if (!decoded.ok()) return std::move(decoded).error();
      all.passes += *decoded;
    }
  }
  return all;
}

void NoteLinkTime(const BlitCommand& command, const Rows& surface, std::int64_t link_ns) {
  const AllocationData& data = command.destination->data();
  link::NoteLinkTime({{surface.pixels, link::LinkSurfaceBytes(data.width, data.height)},
                      static_cast<std::uint32_t>(command.rects[0].top),
                      static_cast<std::uint32_t>(command.rects[0].bottom)},
                     link_ns);
}

}  // namespace tandem::vulkan
