// How the rows of a slice become a payload that is no lossless tiles, and back. Internal to the module.
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

// What is coded.
struct LinkSource {
  LinkPicture<const std::byte> picture;
  LinkColors colors;
  std::uint64_t frame = 0;
};

// What comes out of the link.
[[nodiscard]] inline color::Format LinkedFormat(const LinkSource& source) {
  return LinkedFormat(source.picture.format, source.colors);
}
// Whether that is another format, so that rows are converted on the way.
[[nodiscard]] inline bool Converts(const LinkSource& source) { return LinkedFormat(source) != source.picture.format; }

// `count` rows of the picture from `first` on in the format that they come out as; made in `room`, which may be a payload, where
// they are converted.
[[nodiscard]] LinkPicture<const std::byte> LinkedRows(const LinkSource& source, std::uint32_t first, std::uint32_t count,
                                                      std::byte* room);

// One slice, coded: `crossing` are the payload's bytes.
// `encoding` is built and is not kLossless. Notes in `slice` what it became: of kYuv420Tiles
// it may be kYuv420, or only the groups that changed, of which `kept` is told. `room` is grown at first use.
[[nodiscard]] EncodedRows EncodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const LinkSource& source,
                                          ReferenceRows& kept, LinkSlice& slice, std::vector<std::byte>& room);

// Where it goes.
struct LinkTarget {
  LinkPicture<std::byte> picture;
  LinkYuv yuv;
  color::Rotation rotation = color::Rotation::kIdentity;
};

// Of one that was checked, and that refers to no frame where it is turned. `tiles` is read of kYuv420Tiles only: the groups that
// changed or, where they refer to no frame, a picture that is all of the slice.
void DecodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const codec::CheckedYuvGroups& tiles,
                     const LinkTarget& target, std::vector<std::byte>& room);

// NV12 of a slice: Y, then the pairs, both without padding.
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

// The part of it that begins with an even row.
template <class Byte>
color::Yuv420<Byte> LinkYuvFrom(color::Yuv420<Byte> yuv, std::uint32_t row) {
  yuv.y += row * yuv.y_pitch;
  yuv.u += row / 2 * yuv.chroma_pitch;
  return yuv;
}

// Stands as the encodings of eight bits take it.
[[nodiscard]] constexpr bool IsBlueFirst(color::Format format) {
  return format == color::Format::kB8G8R8A8Unorm || format == color::Format::kB8G8R8A8UnormSrgb ||
         format == color::Format::kB8G8R8X8Unorm;
}

}  // namespace tandem::link
