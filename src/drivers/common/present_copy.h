// The effect of a present on pixels, and the copies that a driver refuses.
#pragma once

#include <cstdint>

#include "color/blit.h"
#include "drivers/common/pixel_format.h"
#include "drivers/common/pixel_rect.h"

#include <d3dkmddi.h>

namespace tandem::drivers {

// The change that a present makes to pixels.
struct CopyTerms {
  color::Rotation rotation = color::Rotation::kIdentity;
  color::Transfer transfer = color::Transfer::kPassThrough;
  color::ColorKey key = color::ColorKey::kNone;
  std::uint64_t key_pixel = 0;
};

// `path` is the rotation of the destination's path; a copy follows it with Flags.Rotate alone.
[[nodiscard]] CopyTerms ReadCopyTerms(const DXGKARG_PRESENT& args, color::Format source, color::Format destination,
                                      color::Rotation path);

// True when the copy needs no arithmetic: the bits of each pixel go where they stand in the picture.
[[nodiscard]] bool MovesBits(const DXGKARG_PRESENT& args, const CopyTerms& terms, color::Format source,
                             color::Format destination);
// STATUS_GRAPHICS_CANNOTCOLORCONVERT for formats that no copy brings together. Indexes of a palette are copied as they are, or
// become colours; no colour has an index, and no colour key has one either.
[[nodiscard]] NTSTATUS CheckFormats(const DXGKARG_PRESENT& args, const CopyTerms& terms, color::Format source,
                                    color::Format destination);
// STATUS_PRIVILEGED_INSTRUCTION for a source rectangle that is not inside its surface, and for a destination rectangle that is
// empty or larger than a surface can be. It may reach beyond its surface.
[[nodiscard]] NTSTATUS CheckStretch(const DXGKARG_PRESENT& args, std::uint32_t source_width, std::uint32_t source_height);
// STATUS_GRAPHICS_CANNOTCOLORCONVERT for a copy that cannot become NV12: formats that do not become kNv12Between, a colour key,
// and rectangles that share chroma with pixels outside them.
[[nodiscard]] NTSTATUS CheckNv12Encode(const DXGKARG_PRESENT& args, const CopyTerms& terms, color::Format source);

// A surface of `width` by `height` pixels in memory, as its clients see it.
[[nodiscard]] PixelRect SeenAs(std::uint32_t width, std::uint32_t height, color::Rotation rotation);

// A present into a link surface (`encodes`), or out of it.
struct LinkPresent {
  bool encodes = false;
  color::Format picture = color::Format::kUnknown;
  PixelRect seen;  // the picture as its clients see it
  std::uint32_t surface_width = 0;
  std::uint32_t surface_height = 0;
};
// Whole rows cross between a picture and a link surface of one extent, at the same place, as they are; out of a link surface
// they may be turned. STATUS_GRAPHICS_CANNOTCOLORCONVERT, STATUS_PRIVILEGED_INSTRUCTION.
[[nodiscard]] NTSTATUS CheckLinkPresent(const DXGKARG_PRESENT& args, const CopyTerms& terms, const LinkPresent& link);

}  // namespace tandem::drivers
