#include "drivers/common/present_copy.h"

#include <utility>

#include "drivers/common/present_rects.h"
#include "link/surface/link_surface.h"

namespace tandem::drivers {

CopyTerms ReadCopyTerms(const DXGKARG_PRESENT& args, color::Format source, color::Format destination, color::Rotation path) {
  CopyTerms terms;
  if (args.Flags.Rotate != 0) terms.rotation = path;
  if (args.Flags.LinearToSrgb != 0) terms.transfer = color::Transfer::kLinearToSrgb;
  if (args.Flags.SrcColorKey != 0) {
    terms.key = color::ColorKey::kSkipSource;
    terms.key_pixel = color::PixelOfArgb(args.Color, source);
  } else if (args.Flags.DstColorKey != 0) {
    terms.key = color::ColorKey::kOnlyOver;
    terms.key_pixel = color::PixelOfArgb(args.Color, destination);
  }
  return terms;
}

bool MovesBits(const DXGKARG_PRESENT& args, const CopyTerms& terms, color::Format source, color::Format destination) {
  return ToPixelRect(args.SrcRect).IsSameExtent(ToPixelRect(args.DstRect)) && terms.rotation == color::Rotation::kIdentity &&
         terms.transfer == color::Transfer::kPassThrough && terms.key == color::ColorKey::kNone &&
         (source == destination || color::SameBits(source, destination));
}

NTSTATUS CheckFormats(const DXGKARG_PRESENT& args, const CopyTerms& terms, color::Format source, color::Format destination) {
  bool can = false;
  if (destination == kPaletteFormat) {
    can = source == kPaletteFormat && MovesBits(args, terms, source, destination);
  } else if (source == kPaletteFormat) {
    can = terms.key != color::ColorKey::kSkipSource && color::CanBlit(kPaletteColors, destination, terms.transfer);
  } else {
    can = color::CanBlit(source, destination, terms.transfer);
  }
  return can ? STATUS_SUCCESS : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
}

NTSTATUS CheckStretch(const DXGKARG_PRESENT& args, std::uint32_t source_width, std::uint32_t source_height) {
  const bool fits =
      ToPixelRect(args.DstRect).IsStretchable() && ToPixelRect(args.SrcRect).Inside(WholeOf(source_width, source_height));
  return fits ? STATUS_SUCCESS : STATUS_PRIVILEGED_INSTRUCTION;
}

NTSTATUS CheckNv12Encode(const DXGKARG_PRESENT& args, const CopyTerms& terms, color::Format source) {
  const bool can = terms.key == color::ColorKey::kNone && color::CanBlit(source, color::kNv12Between, terms.transfer) &&
                   PresentRects(args).All([](const PixelRect& rect) { return rect.even(); });
  return can ? STATUS_SUCCESS : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
}

PixelRect SeenAs(std::uint32_t width, std::uint32_t height, color::Rotation rotation) {
  if (color::IsQuarterTurn(rotation)) std::swap(width, height);
  return WholeOf(width, height);
}

NTSTATUS CheckLinkPresent(const DXGKARG_PRESENT& args, const CopyTerms& terms, const LinkPresent& link) {
  const bool plain = terms.transfer == color::Transfer::kPassThrough && terms.key == color::ColorKey::kNone &&
                     !(link.encodes && args.Flags.Rotate != 0) && link::CanCrossLink(link.picture) &&
                     (link.encodes || link::ComesOutOfLink(link.picture));
  if (!plain) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  const PixelRect from = ToPixelRect(args.SrcRect), to = ToPixelRect(args.DstRect);
  const bool same_place = link.seen.right == link.surface_width && link.seen.bottom == link.surface_height &&
                          from.Inside(link.seen) && to.Inside(link.seen) && from.left == to.left && from.top == to.top;
  const bool whole_rows =
      PresentRects(args).All([&](const PixelRect& rect) { return rect.left == link.seen.left && rect.right == link.seen.right; });
  return same_place && whole_rows ? STATUS_SUCCESS : STATUS_PRIVILEGED_INSTRUCTION;
}

}  // namespace tandem::drivers
