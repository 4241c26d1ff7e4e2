// The effect of a copying present on pixels: stretch, conversion, rotation, colour keys. It is equal in every driver.
//
// A copy goes from a source rectangle of SW x SH pixels to a destination rectangle of DW x DH, both unrotated. A request may
// cover only a part of the destination rectangle. Rules for pixel (x, y) of the destination rectangle:
// - Stretch: it takes the source pixel (floor((2x + 1) * SW / (2 * DW)), floor((2y + 1) * SH / (2 * DH))), whose area holds the
//   centre of the destination pixel, in exact integers. A part never changes which pixel is taken.
// - Conversion: between formats of the same bits (SameBits) the bits move unchanged. Otherwise a channel of n bits has the
//   value v / (2^n - 1). A half float has its own, clamped to 0..1 with NaN as 0. An X channel reads as 1. The nearest value of
//   the destination's channel is written, halves to even. An X channel of the destination receives the alpha value.
// - Transfer::kLinearToSrgb: colour channels pass the sRGB curve (IEC 61966-2-1), for every source format. The destination then
//   has 8 or 10 bits.
// - `dither`: colours of more than 8 bits that become 8 are rounded by the rules of dither.h. The pattern begins with the
//   destination rectangle.
// - Colour key: compares the bits of the colour channels, never alpha or X. kSkipSource compares the source pixel before
//   conversion and leaves the destination alone if it equals the key. kOnlyOver compares the destination pixel and writes only
//   over the key.
// - Rotation: counter-clockwise, as in a VidPN present path. With 90 degrees, pixel (x, y) of a W x H picture stands in memory
//   at column y and row W - 1 - x of H x W.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/convert.h"
#include "color/format.h"

namespace tandem::color {

// D3DDDI_ROTATION and D3DKMDT_VPPR_*, minus one.
enum class Rotation : std::uint8_t { kIdentity, k90, k180, k270 };

// True if rows become columns.
[[nodiscard]] constexpr bool IsQuarterTurn(Rotation rotation) { return rotation == Rotation::k90 || rotation == Rotation::k270; }

enum class ColorKey : std::uint8_t { kNone, kSkipSource, kOnlyOver };

// Half open, in pixels.
struct BlitRect {
  std::uint32_t left = 0, top = 0, right = 0, bottom = 0;
  [[nodiscard]] std::uint32_t width() const { return right - left; }
  [[nodiscard]] std::uint32_t height() const { return bottom - top; }
  friend bool operator==(const BlitRect&, const BlitRect&) = default;
};

// Extents are 1..kMaxSurfaceExtent. `part` lies inside the destination rectangle and is not empty. Any alignment and pitch.
struct BlitRequest {
  const std::byte* source = nullptr;  // first pixel of the source rectangle
  std::uint64_t source_pitch = 0;     // bytes from row to row
  Format source_format = Format::kUnknown;
  std::uint32_t source_width = 0;  // SW
  std::uint32_t source_height = 0;
  std::byte* destination = nullptr;     // first byte of the part's rectangle in memory, after rotation
  std::uint64_t destination_pitch = 0;  // bytes
  Format destination_format = Format::kUnknown;
  std::uint32_t destination_width = 0;  // DW, before the rotation
  std::uint32_t destination_height = 0;
  BlitRect part;  // part of the destination rectangle, before the rotation
  Rotation rotation = Rotation::kIdentity;
  Transfer transfer = Transfer::kPassThrough;
  ColorKey key = ColorKey::kNone;
  std::uint64_t key_pixel = 0;  // in the format of the compared pixels, source or destination
  bool dither = false;
};

// A request that only rotates a whole picture of width x height pixels.
[[nodiscard]] inline BlitRequest TurnOf(const std::byte* source, std::uint64_t source_pitch, Format format, std::uint32_t width,
                                        std::uint32_t height, std::byte* destination, std::uint64_t destination_pitch,
                                        Rotation rotation) {
  BlitRequest request;
  request.source = source;
  request.source_pitch = source_pitch;
  request.source_format = request.destination_format = format;
  request.source_width = request.destination_width = width;
  request.source_height = request.destination_height = height;
  request.destination = destination;
  request.destination_pitch = destination_pitch;
  request.part = {0, 0, width, height};
  request.rotation = rotation;
  return request;
}

// True if the bits of a pixel mean the same in both: equal channels in equal places (sRGB or not, X for A).
[[nodiscard]] bool SameBits(Format a, Format b);

// True for every pair of known formats; with kLinearToSrgb never to half floats, which are linear.
[[nodiscard]] bool CanBlit(Format source, Format destination, Transfer transfer);

// Precondition: source and destination do not overlap.
void Blit(const BlitRequest& request);
// Copies one of several successive parts, of `all_bytes` together. Writes past the caches if a copy of `all_bytes` would.
void BlitPart(const BlitRequest& request, std::uint64_t all_bytes);
// Scalar reference; the fast form is tested against it.
void BlitReference(const BlitRequest& request);

// floor((2 * position + 1) * source / (2 * destination)).
[[nodiscard]] std::uint32_t StretchedPosition(std::uint32_t position, std::uint32_t source, std::uint32_t destination);

// Place of `rect` of a width x height picture in the rotated picture.
[[nodiscard]] BlitRect RotatedRect(const BlitRect& rect, std::uint32_t width, std::uint32_t height, Rotation rotation);

// Converts an A8R8G8B8 colour to a pixel of the format, for colour fills and colour keys.
[[nodiscard]] std::uint64_t PixelOfArgb(std::uint32_t argb, Format format);

}  // namespace tandem::color
