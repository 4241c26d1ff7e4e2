// The surface that crosses a narrow link: a picture in one of several encodings, in slices that are coded and decoded by
// themselves, with what each of them cost.
//
//   LinkSurfaceHeader          one page; who queues frames writes the request, the encoder and the decoder their results
//   payloads                   of slice i, that begins at row r: LinkPayloadOffset(r); of a fixed place each, so that nothing
//                              has to be known of other slices
//   reference                  the rows that the decoder still holds, LinkReferencePitch() apart; the encoder's own
//
// The drivers know such a surface as one of format kLinkFormat with the picture's extent. Everything in it may be written by
// anybody who has the pages: both sides check what they use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/pass_meter.h"
#include "base/result.h"
#include "color/blit.h"
#include "color/format.h"
#include "color/yuv.h"

namespace tandem::link {

// A FourCC, as D3DDDIFORMAT has them: "TDLK".
inline constexpr color::Format kLinkFormat = static_cast<color::Format>(0x4B4C4454);

// The values are what stands in surfaces. All but kPlain leave alpha out: it comes back as opaque.
enum class LinkEncoding : std::uint32_t {
  kPlain = 0,     // the rows as they are
  kLossless = 1,  // tile_encoder.h
  kYuv420 = 2,    // color/yuv.h: NV12; of ten bits packed_yuv10.h
  kPacked = 3,    // packed_rgb.h: the colours of the pixels and nothing between them
  kYuv420Tiles =
      4,     // yuv_tiles.h with some tiles in full chroma, or yuv_groups.h; a slice that is smaller as kYuv420 is coded so
  kBc1 = 5,  // bc1.h
};
inline constexpr std::uint32_t kLinkEncodings = 6;
// Best picture first, and of equal ones the cheaper to make.
inline constexpr std::array<LinkEncoding, kLinkEncodings> kLinkEncodingsByPicture = {
    LinkEncoding::kPlain,  LinkEncoding::kPacked,      LinkEncoding::kLossless,
    LinkEncoding::kYuv420, LinkEncoding::kYuv420Tiles, LinkEncoding::kBc1};
[[nodiscard]] std::string_view ToString(LinkEncoding encoding);  // "plain", "packed", "lossless", "420", "420-tiles", "bc1"

// Whether the colours come back to the bit; of kLossless unless the surface limits a frame's bytes (LinkSlice::lossy).
[[nodiscard]] constexpr bool IsExact(LinkEncoding encoding) {
  return encoding == LinkEncoding::kPlain || encoding == LinkEncoding::kPacked || encoding == LinkEncoding::kLossless;
}

// Whether slices leave pixels as they are that their destination has from a frame before, so that it is always the same, upright.
[[nodiscard]] constexpr bool RefersToFrames(LinkEncoding encoding) {
  return encoding == LinkEncoding::kLossless || encoding == LinkEncoding::kYuv420Tiles;
}

// Whether this build has it; a request for one that it has not becomes kLossless.
[[nodiscard]] constexpr bool IsBuilt(LinkEncoding encoding) {
  return color::kHasYuv420 || (encoding != LinkEncoding::kYuv420 && encoding != LinkEncoding::kYuv420Tiles);
}

inline constexpr std::uint32_t kLinkSurfaceMagic = 0x4B4C4454;
inline constexpr std::uint32_t kMaxLinkSlices = 64;
inline constexpr std::uint32_t kLinkUnitRows = 16;  // slices are whole multiples of it, but for the last one

// Each of the records has one writer, and is read by others when that one is known to have finished.

// One slice, as it was coded last. The encoder's.
struct LinkSlice {
  std::uint64_t frame;            // which one is in the payload
  std::uint64_t reference_frame;  // which one the reference rows are of; 0: none
  std::uint64_t encode_ns;
  std::uint64_t link_ns;    // by the driver: what the bytes took on the link; 0: no link to speak of
  std::uint32_t encoding;   // LinkEncoding, as it became
  std::uint32_t bytes;      // of the payload
  std::uint16_t unchanged;  // of kLossless and kYuv420Tiles: what was not sent of it, per mille
  std::uint16_t backoff;    // frames for which the encoder does not look for unchanged tiles
  std::uint8_t flat;        // frames for which kYuv420Tiles is kYuv420 without a try, for tiles were larger
  std::uint8_t lossy;       // of kLossless: 1 where tiles lost low bits to frame_bytes
  std::uint8_t bits;        // of each colour channel in the payload: LinkBits()
  std::uint8_t index;       // of the slice: it is nobody else's
};
static_assert(sizeof(LinkSlice) == 48);

// What became of it. The decoder's.
struct LinkHeld {
  std::uint64_t frame;  // which one its destination has; 0: none
  std::uint64_t decode_ns;
};
static_assert(sizeof(LinkHeld) == 16);

// What the whole frame's probed slice took. The encoder's.
struct LinkProbed {
  std::uint64_t bytes;  // 0: nothing was probed
  std::uint64_t ns;
};
static_assert(sizeof(LinkProbed) == 16);

// Written by the producer for each frame: number, encoding, options.

struct LinkSurfaceHeader {
  std::uint32_t magic;       // kLinkSurfaceMagic
  std::uint32_t slice_rows;  // constant for the surface's life
  std::uint64_t frame;       // number of the next one; grows, never 0
  std::uint32_t encoding;    // LinkEncoding
  std::uint32_t probe;       // 1 + a slice that is coded lossless as well, for its figures only; 0: none
  std::uint32_t dithers;     // LinkColors, constant for the surface's life
  std::uint32_t ten_bits;    // the same
  std::uint32_t yuv;         // the same: LinkYuvWord()
  std::uint32_t reserved;
  std::uint64_t frame_bytes;  // the most that a frame in kLossless has, by rows among its slices; 0: what it takes; constant
};
static_assert(sizeof(LinkSurfaceHeader) == 48);

// How colours become 4:2:0 and come back. Bilinear chroma ends at the edges of a slice, which is decoded by itself, and is of
// eight bits; ten come back by nearest.
struct LinkYuv {
  color::YuvCoding coding;
  color::ChromaFilter filter = color::ChromaFilter::kNearest;
  friend bool operator==(const LinkYuv&, const LinkYuv&) = default;
};
// "bt709,full,nearest"; "bt601" or "bt2020", "limited" and "bilinear" in their places.
[[nodiscard]] std::string LinkYuvText(const LinkYuv& yuv);
// As it stands in memory that others write: matrix, range and filter in a byte each, from the lowest on, then zero.
[[nodiscard]] constexpr std::uint32_t LinkYuvWord(const LinkYuv& yuv) {
  return static_cast<std::uint32_t>(yuv.coding.matrix) | static_cast<std::uint32_t>(yuv.coding.range) << 8 |
         static_cast<std::uint32_t>(yuv.filter) << 16;
}
// Nothing: there is no such one.
[[nodiscard]] std::optional<LinkYuv> ToLinkYuv(std::uint32_t word);

// What becomes of colours.
struct LinkColors {
  bool dithers = false;   // where more than eight bits become eight (color/dither.h)
  bool ten_bits = false;  // half floats become ten where the encoding has ten, which the display adapter must take
  LinkYuv yuv{};          // in the encodings that are 4:2:0
};

inline constexpr std::uint64_t kLinkHeaderBytes = 8192;
inline constexpr std::uint64_t kLinkProbedOffset = 64;
inline constexpr std::uint64_t kLinkSlicesOffset = 128;
inline constexpr std::uint64_t kLinkHeldOffset = kLinkSlicesOffset + kMaxLinkSlices * sizeof(LinkSlice);
static_assert(kLinkHeldOffset % alignof(LinkHeld) == 0);
static_assert(kLinkHeldOffset + kMaxLinkSlices * sizeof(LinkHeld) <= kLinkHeaderBytes);

// Of a surface for pictures of width x height pixels, 1..kMaxSurfaceExtent each.
[[nodiscard]] std::uint64_t LinkSurfaceBytes(std::uint32_t width, std::uint32_t height);
[[nodiscard]] std::uint32_t LinkReferencePitch(std::uint32_t width);
[[nodiscard]] std::uint64_t LinkPayloadOffset(std::uint32_t width, std::uint32_t first_row);

// Rows of a slice so that there are about `slices` of them, 1..kMaxLinkSlices.
[[nodiscard]] std::uint32_t LinkSliceRows(std::uint32_t height, std::uint32_t slices);
[[nodiscard]] std::uint32_t LinkSliceCount(std::uint32_t height, std::uint32_t slice_rows);

// Bytes of a whole frame where they do not depend on what it shows; of kLossless and kYuv420Tiles the most that it can be.
// `linked` is what comes out of the link.
[[nodiscard]] std::uint64_t LinkFrameBytes(LinkEncoding encoding, color::Format linked, std::uint32_t width,
                                           std::uint32_t height);

// Below which no frame_bytes goes, so that every slice keeps to its part of it.
[[nodiscard]] std::uint64_t LeastLinkFrameBytes(color::Format linked, std::uint32_t width, std::uint32_t height,
                                                std::uint32_t slice_rows);

// Whether a picture of the format can cross, in every encoding.
[[nodiscard]] bool CanCrossLink(color::Format picture);
// What it comes out as: half floats become R10G10B10A2 or B8G8R8A8 on the way, through the sRGB curve; other formats stay.
[[nodiscard]] color::Format LinkedFormat(color::Format picture, LinkColors colors);
// Whether pictures of the format come out of a link.
[[nodiscard]] bool ComesOutOfLink(color::Format linked);
// Bits of a colour channel that cross: of R10G10B10A2 all ten in the exact encodings and in kYuv420, else eight.
[[nodiscard]] std::uint32_t LinkBits(LinkEncoding encoding, color::Format linked);
// Whether it has eight bits a channel and comes out in its own format: what shaders and NV12 take.
[[nodiscard]] bool HasEightBits(color::Format picture);

// For who queues frames and reads what they cost: a mapped surface. `bytes` has LinkSurfaceBytes().
void InitializeLinkSurface(std::span<std::byte> bytes, std::uint32_t slice_rows, LinkColors colors = {},
                           std::uint64_t frame_bytes = 0);
// `probe`: 1 + a slice, 0: none.
void RequestLinkFrame(std::span<std::byte> bytes, std::uint64_t frame, LinkEncoding encoding, std::uint32_t probe = 0);
[[nodiscard]] LinkSurfaceHeader ReadLinkHeader(std::span<const std::byte> bytes);
[[nodiscard]] LinkProbed ReadLinkProbed(std::span<const std::byte> bytes);
[[nodiscard]] LinkSlice ReadLinkSlice(std::span<const std::byte> bytes, std::uint32_t slice);
[[nodiscard]] LinkHeld ReadLinkHeld(std::span<const std::byte> bytes, std::uint32_t slice);

// The other side of an encoder or decoder: rows of the picture, `pitch` bytes apart.
template <class Byte>
struct LinkPicture {
  Byte* pixels = nullptr;
  std::uint64_t pitch = 0;
  color::Format format = color::Format::kUnknown;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// A surface with the rows that are worked on: from the first row of a slice to the end of one.
struct LinkRows {
  std::span<std::byte> surface;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

struct EncodedRows {
  std::uint64_t crossing = 0;  // bytes that have to cross
  PassCount passes;            // also over rows that are kept for the next frame
};
// Codes the slices of the rows as the surface requests. `room` is grown at first use.
// kInvalidArgument with what is wrong with the surface or the rows; the payload is then of no use.
[[nodiscard]] Result<EncodedRows> EncodeLinkRows(const LinkRows& rows, const LinkPicture<const std::byte>& from, Clock& clock,
                                                 std::vector<std::byte>& room);
// Notes what the bytes of these rows took on the link, with their first slice.
void NoteLinkTime(const LinkRows& rows, std::int64_t link_ns);

// Brings the slices of the rows back; answers the passes, in which pixels that stay do not count. All of them are checked before
// the first pixel is written: kInvalidArgument, and the destination is as it was. The destination holds what this surface brought
// it last, or its slices refer to nothing. Rows, width and height are the picture's as it crossed; with a rotation it stands
// turned behind `to.pixels`, by rows of its height where that is a quarter turn. None that RefersToFrames() is turned:
// kInvalidArgument.
[[nodiscard]] Result<PassCount> DecodeLinkRows(const LinkRows& rows, const LinkPicture<std::byte>& to, Clock& clock,
                                               std::vector<std::byte>& room,
                                               color::Rotation rotation = color::Rotation::kIdentity);

}  // namespace tandem::link
