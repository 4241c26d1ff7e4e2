// What a copying present does to pixels: stretch, conversion, rotation, colour keys. One meaning for every driver.
//
// A copy goes from a source rectangle of SW x SH pixels to a destination rectangle of DW x DH, as its client sees both; only a
// part of the destination rectangle may be asked for. Pixel (x, y) of the destination rectangle:
// - takes the source pixel (floor((2x + 1) * SW / (2 * DW)), floor((2y + 1) * SH / (2 * DH))): the one whose area holds the
//   centre of the destination pixel, in exact integers. A part never changes which pixel is taken.
// - is converted. Between formats of the same bits (SameBits) the bits move unchanged. Otherwise a channel of n bits has the
//   value v / (2^n - 1), a half float its own, clamped to 0..1 with NaN as 0; an X channel reads as 1. The nearest value of the
//   destination's channel is written, halves to even. An X channel of the destination takes what alpha would.
// - with Transfer::kLinearToSrgb goes through the sRGB curve (IEC 61966-2-1) between the two, colour channels only, whatever the
//   source's format; the destination has 8 or 10 bits then.
// - with `dither`, where colours of more than 8 bits become 8, is rounded by the rules of dither.h, whose pattern begins with the
//   destination rectangle.
// - is compared, with a colour key, by the bits of its colour channels (never alpha or X): the source pixel before conversion, or
//   the destination pixel that would be overwritten. kSkipSource leaves the destination alone where the source has the key's
//   colour, kOnlyOver writes only over the key's colour.
// - lands where the rotation puts it. Rotations are counter-clockwise, as those of a VidPN present path are: with 90 degrees
//   pixel (x, y) of a W x H picture stands in memory at column y and row W - 1 - x of H x W.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/convert.h"
#include "color/format.h"

namespace tandem::color {

// D3DDDI_ROTATION and D3DKMDT_VPPR_* less one.
enum class Rotation : std::uint8_t { kIdentity, k90, k180, k270 };

// Whether rows become columns.
[[nodiscard]] constexpr bool IsQuarterTurn(Rotation rotation) { return rotation == Rotation::k90 || rotation == Rotation::k270; }

enum class ColorKey : std::uint8_t { kNone, kSkipSource, kOnlyOver };

// Half open, in pixels.
struct BlitRect {
  std::uint32_t left = 0, top = 0, right = 0, bottom = 0;
  [[nodiscard]] std::uint32_t width() const { return right - left; }
  [[nodiscard]] std::uint32_t height() const { return bottom - top; }
  friend bool operator==(const BlitRect&, const BlitRect&) = default;
};

// Extents are 1 to kMaxSurfaceExtent; `part` lies inside the destination rectangle and is not empty. Any alignment and pitch.
struct BlitRequest {
  const std::byte* source = nullptr;  // first pixel of the source rectangle
  std::uint64_t source_pitch = 0;     // bytes from row to row
  Format source_format = Format::kUnknown;
  std::uint32_t source_width = 0;  // SW
  std::uint32_t source_height = 0;
  std::byte* destination = nullptr;     // first byte of the part's rectangle in memory, which is rotated
  std::uint64_t destination_pitch = 0;  // bytes
  Format destination_format = Format::kUnknown;
  std::uint32_t destination_width = 0;  // DW, before the rotation
  std::uint32_t destination_height = 0;
  BlitRect part;  // in the destination rectangle, before the rotation
  Rotation rotation = Rotation::kIdentity;
  Transfer transfer = Transfer::kPassThrough;
  ColorKey key = ColorKey::kNone;
  std::uint64_t key_pixel = 0;  // of the source's or the destination's format, as the key compares
  bool dither = false;
};

// A request that copies a whole picture of width x height pixels and does nothing but turn it.
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

// Whether the bits of a pixel mean the same in both: the same channels in the same places (sRGB or not, X for A).
[[nodiscard]] bool SameBits(Format a, Format b);

// The pairs that a copy converts: every known format to every other; with kLinearToSrgb never to half floats, which are linear.
[[nodiscard]] bool CanBlit(Format source, Format destination, Transfer transfer);

// The source and the destination must not overlap.
void Blit(const BlitRequest& request);
// The same of one of several parts that are written one after the other, of `all_bytes` together: past the caches where a copy of
// so many bytes goes there.
void BlitPart(const BlitRequest& request, std::uint64_t all_bytes);
// The scalar form that the fast one is tested against.
void BlitReference(const BlitRequest& request);

// floor((2 * position + 1) * source / (2 * destination)).
[[nodiscard]] std::uint32_t StretchedPosition(std::uint32_t position, std::uint32_t source, std::uint32_t destination);

// Where `rect` of a picture of width x height stands in the rotated picture.
[[nodiscard]] BlitRect RotatedRect(const BlitRect& rect, std::uint32_t width, std::uint32_t height, Rotation rotation);

// An A8R8G8B8 colour as a pixel of the format: what a colour fill writes and a colour key compares.
[[nodiscard]] std::uint64_t PixelOfArgb(std::uint32_t argb, Format format);

}  // namespace tandem::color
