// Codes the rows of a slice into a payload and back, in every encoding but lossless tiles. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/yuv/yuv_groups.h"
#include "color/blit.h"
#include "color/format.h"
#include "color/yuv.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_reference_rows.h"
#include "link/surface/link_rows.h"

namespace tandem::link {

// The picture to encode.
struct LinkSource {
  LinkPicture<const std::byte> picture;
  LinkColors colors;
  std::uint64_t frame = 0;
};

// Format that comes out of the link.
[[nodiscard]] inline color::Format LinkedFormat(const LinkSource& source) {
  return LinkedFormat(source.picture.format, source.colors);
}
// True if that format differs from the picture's, so that rows are converted first.
[[nodiscard]] inline bool Converts(const LinkSource& source) { return LinkedFormat(source) != source.picture.format; }

// Returns `count` rows of the picture from `first` on, in the linked format. Converted rows are made in `room`, which may be a
// payload.
[[nodiscard]] LinkPicture<const std::byte> LinkedRows(const LinkSource& source, std::uint32_t first, std::uint32_t count,
                                                      std::byte* room);

// Encodes one slice; `crossing` counts the payload's bytes. Precondition: `encoding` is built and is not kLossless. `slice`
// records the real encoding: kYuv420Tiles may become kYuv420, or hold only changed groups, which `kept` then records. `room` is
// grown at first use.
[[nodiscard]] EncodedRows EncodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const LinkSource& source,
                                          ReferenceRows& kept, LinkSlice& slice, std::vector<std::byte>& room);

// The picture to decode into.
struct LinkTarget {
  LinkPicture<std::byte> picture;
  LinkYuv yuv;
  color::Rotation rotation = color::Rotation::kIdentity;
};

// Precondition: the slice was checked; if rotated, it references no earlier frame. `tiles` is read for kYuv420Tiles only: the
// changed groups or, without a reference frame, a picture of the whole slice.
void DecodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const codec::CheckedYuvGroups& tiles,
                     const LinkTarget& target, std::vector<std::byte>& room);

// NV12 of a slice: the Y rows, then the chroma rows, both without padding.
template <class Byte>
color::Yuv420<Byte> LinkYuvOf(Byte* payload, std::uint32_t width, std::uint32_t rows) {
  const LinkYuvPlaces places = LinkYuvPlacesOf(width, rows);
  color::Yuv420<Byte> yuv;
  yuv.layout = color::YuvLayout::kNv12;
  yuv.y = payload;
  yuv.y_pitch = places.y_pitch;
  yuv.u = payload + places.chroma;
  yuv.chroma_pitch = places.chroma_pitch;
  return yuv;
}

// The part of `yuv` that begins with `row`, which is even.
template <class Byte>
color::Yuv420<Byte> LinkYuvFrom(color::Yuv420<Byte> yuv, std::uint32_t row) {
  yuv.y += row * yuv.y_pitch;
  yuv.u += row / 2 * yuv.chroma_pitch;
  return yuv;
}

// True if blue is the first byte, as encodings of eight bits expect.
[[nodiscard]] constexpr bool IsBlueFirst(color::Format format) {
  return format == color::Format::kB8G8R8A8Unorm || format == color::Format::kB8G8R8A8UnormSrgb ||
         format == color::Format::kB8G8R8X8Unorm;
}

}  // namespace tandem::link
