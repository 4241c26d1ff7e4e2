#include "drivers/processor/kmd/blit_request.h"

#include "base/limits.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/command_checks.h"

namespace tandem::processor {
namespace {

bool IsIndexed(const BlitCommand& blit) { return static_cast<color::Format>(blit.source_format) == drivers::kPaletteFormat; }

// Indexes become colours first. No colour key has an index.
bool IsPaletteSane(const BlitCommand& blit) {
  return !IsIndexed(blit) ||
         (blit.palette < kMaxVidPnSources && blit.key != static_cast<std::uint32_t>(color::ColorKey::kSkipSource));
}

// One side at most is NV12, and then all of this one kind of blit.
bool IsNv12Sane(const BlitCommand& blit) {
  const bool decodes = drivers::IsNv12(static_cast<color::Format>(blit.source_format));
  const bool encodes = drivers::IsNv12(static_cast<color::Format>(blit.destination_format));
  if (!decodes && !encodes) return blit.chroma_distance == 0;
  if (IsIndexed(blit)) return false;
  if (decodes == encodes || blit.key != 0) return false;
  const std::uint32_t width = blit.part_right - blit.part_left, height = blit.part_bottom - blit.part_top;
  const bool quarter = (blit.rotation & 1) != 0;
  const std::uint32_t luma_rows = decodes ? blit.source_height : quarter ? width : height;
  return (decodes || color::IsNv12Extent(width, height)) && blit.chroma_distance >= luma_rows &&
         blit.chroma_distance <= kMaxSurfaceExtent;
}

color::Format WithoutNv12(std::uint32_t value) {
  const auto format = static_cast<color::Format>(value);
  return drivers::IsNv12(format) ? color::kNv12Between : format;
}

}  // namespace

std::optional<color::BlitRequest> ToRequest(const BlitCommand& blit) {
  color::BlitRequest request;
  request.source_format = WithoutNv12(blit.source_format);
  request.destination_format = WithoutNv12(blit.destination_format);
  if (blit.rotation > static_cast<std::uint32_t>(color::Rotation::k270) ||
      blit.transfer > static_cast<std::uint32_t>(color::Transfer::kLinearToSrgb) ||
      blit.key > static_cast<std::uint32_t>(color::ColorKey::kOnlyOver) || blit.dither > 1) {
    return std::nullopt;
  }
  request.rotation = static_cast<color::Rotation>(blit.rotation);
  request.transfer = static_cast<color::Transfer>(blit.transfer);
  request.key = static_cast<color::ColorKey>(blit.key);
  request.key_pixel = blit.key_pixel;
  request.dither = blit.dither != 0;
  request.source_pitch = blit.source_pitch;
  request.destination_pitch = blit.destination_pitch;
  request.source_width = blit.source_width;
  request.source_height = blit.source_height;
  request.destination_width = blit.destination_width;
  request.destination_height = blit.destination_height;
  request.part = {blit.part_left, blit.part_top, blit.part_right, blit.part_bottom};
  const bool sane = IsExtent(blit.source_width) && IsExtent(blit.source_height) && IsExtent(blit.destination_width) &&
                    IsExtent(blit.destination_height) && blit.part_left < blit.part_right && blit.part_top < blit.part_bottom &&
                    blit.part_right <= blit.destination_width && blit.part_bottom <= blit.destination_height &&
                    color::CanBlit(IsIndexed(blit) ? drivers::kPaletteColors : request.source_format, request.destination_format,
                                   request.transfer) &&
                    IsNv12Sane(blit) && IsPaletteSane(blit);
  return sane ? std::optional(request) : std::nullopt;
}

}  // namespace tandem::processor
