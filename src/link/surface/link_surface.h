// The surface that crosses a narrow link: a picture in one of several encodings. Its slices are coded and decoded independently
// and record their cost.
//
//   LinkSurfaceHeader          one page; the producer writes the request, encoder and decoder write their results
//   payloads                   that of a slice that begins at row r: LinkPayloadOffset(r), independent of other slices
//   reference                  the rows that the decoder still holds, LinkReferencePitch() apart; used by the encoder only
//
// Drivers know the surface by format kLinkFormat and the picture's extent. Every process with the pages may write to them, so
// both sides check all that they use.
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

// FourCC "TDLK", in the form of D3DDDIFORMAT.
inline constexpr color::Format kLinkFormat = static_cast<color::Format>(0x4B4C4454);

// Surfaces contain these values. Every encoding but kPlain omits alpha, which comes back opaque.
enum class LinkEncoding : std::uint32_t {
  kPlain = 0,        // rows as they are
  kLossless = 1,     // tile_encoder.h
  kYuv420 = 2,       // color/yuv.h: NV12; packed_yuv10.h for ten bits
  kPacked = 3,       // packed_rgb.h: colours without padding
  kYuv420Tiles = 4,  // yuv_tiles.h with some tiles in full chroma, or yuv_groups.h; kYuv420 for slices that are smaller so
  kBc1 = 5,          // bc1.h
};
inline constexpr std::uint32_t kLinkEncodings = 6;
// Best picture first; the cheaper encoding first among equal pictures.
inline constexpr std::array<LinkEncoding, kLinkEncodings> kLinkEncodingsByPicture = {
    LinkEncoding::kPlain,  LinkEncoding::kPacked,      LinkEncoding::kLossless,
    LinkEncoding::kYuv420, LinkEncoding::kYuv420Tiles, LinkEncoding::kBc1};
[[nodiscard]] std::string_view ToString(LinkEncoding encoding);  // "plain", "packed", "lossless", "420", "420-tiles", "bc1"

// True if colours come back bit-exact. kLossless is exact only where LinkSlice::lossy is 0.
[[nodiscard]] constexpr bool IsExact(LinkEncoding encoding) {
  return encoding == LinkEncoding::kPlain || encoding == LinkEncoding::kPacked || encoding == LinkEncoding::kLossless;
}

// True if slices reference the previous frame, so they must always be decoded into the same, unrotated picture.
[[nodiscard]] constexpr bool RefersToFrames(LinkEncoding encoding) {
  return encoding == LinkEncoding::kLossless || encoding == LinkEncoding::kYuv420Tiles;
}

// True if `encoding` is in this build; a request for another one becomes kLossless.
[[nodiscard]] constexpr bool IsBuilt(LinkEncoding encoding) {
  return color::kHasYuv420 || (encoding != LinkEncoding::kYuv420 && encoding != LinkEncoding::kYuv420Tiles);
}

inline constexpr std::uint32_t kLinkSurfaceMagic = 0x4B4C4454;
inline constexpr std::uint32_t kMaxLinkSlices = 64;
inline constexpr std::uint32_t kLinkUnitRows = 16;  // slices have a multiple of it, except the last one

// Each record has one writer; others read it only after that writer has finished.

// Record of a slice's last encoding. Writer: the encoder.
struct LinkSlice {
  std::uint64_t frame;            // frame in the payload
  std::uint64_t reference_frame;  // frame of the reference rows; 0: none
  std::uint64_t encode_ns;
  std::uint64_t link_ns;    // time of the bytes on the link, noted by the driver; 0: unknown
  std::uint32_t encoding;   // LinkEncoding of the payload
  std::uint32_t bytes;      // payload
  std::uint16_t unchanged;  // per mille not sent; kLossless and kYuv420Tiles only
  std::uint16_t backoff;    // frames left in which the encoder does not look for unchanged tiles
  std::uint8_t flat;        // frames left in which kYuv420Tiles becomes kYuv420 untried, because tiles were larger
  std::uint8_t lossy;       // kLossless only: 1 where tiles lost low bits to frame_bytes
  std::uint8_t bits;        // bits of a colour channel in the payload: LinkBits()
  std::uint8_t index;       // number of the slice, so that no other slice's record passes for it
};
static_assert(sizeof(LinkSlice) == 48);

// Record of a slice's last decoding. Writer: the decoder.
struct LinkHeld {
  std::uint64_t frame;  // frame in the destination; 0: none
  std::uint64_t decode_ns;
};
static_assert(sizeof(LinkHeld) == 16);

// Lossless cost of the frame's probed slice. Writer: the encoder.
struct LinkProbed {
  std::uint64_t bytes;  // 0: no slice was probed
  std::uint64_t ns;
};
static_assert(sizeof(LinkProbed) == 16);

// Written by the producer for each frame: number, encoding, options.

struct LinkSurfaceHeader {
  std::uint32_t magic;       // kLinkSurfaceMagic
  std::uint32_t slice_rows;  // constant for the surface's life
  std::uint64_t frame;       // number of the next frame; grows, never 0
  std::uint32_t encoding;    // LinkEncoding
  std::uint32_t probe;       // 1 + the slice to code lossless as well, for its figures only; 0: none
  std::uint32_t dithers;     // LinkColors, constant for the surface's life
  std::uint32_t ten_bits;    // LinkColors, constant for the surface's life
  std::uint32_t yuv;         // LinkYuvWord(), constant for the surface's life
  std::uint32_t reserved;
  std::uint64_t frame_bytes;  // most bytes of a kLossless frame, shared by rows; 0: no limit; constant as well
};
static_assert(sizeof(LinkSurfaceHeader) == 48);

// Conversion of colours to 4:2:0 and back. Bilinear chroma ends at a slice's edges, because slices are decoded independently.
// It applies to eight bits; ten bits come back by nearest.
struct LinkYuv {
  color::YuvCoding coding;
  color::ChromaFilter filter = color::ChromaFilter::kNearest;
  friend bool operator==(const LinkYuv&, const LinkYuv&) = default;
};
// "bt709,full,nearest"; "bt601" or "bt2020", "limited" and "bilinear" in their places.
[[nodiscard]] std::string LinkYuvText(const LinkYuv& yuv);
// The surface's form: matrix, range and filter in one byte each, lowest first, then zero.
[[nodiscard]] constexpr std::uint32_t LinkYuvWord(const LinkYuv& yuv) {
  return static_cast<std::uint32_t>(yuv.coding.matrix) | static_cast<std::uint32_t>(yuv.coding.range) << 8 |
         static_cast<std::uint32_t>(yuv.filter) << 16;
}
// Empty: the word is not valid.
[[nodiscard]] std::optional<LinkYuv> ToLinkYuv(std::uint32_t word);

// Conversion of colours on the link.
struct LinkColors {
  bool dithers = false;   // dithers when channels of more than eight bits become eight (color/dither.h)
  bool ten_bits = false;  // half floats become ten bits where the encoding has ten; the display adapter must accept that format
  LinkYuv yuv{};          // used by the 4:2:0 encodings
};

inline constexpr std::uint64_t kLinkHeaderBytes = 8192;
inline constexpr std::uint64_t kLinkProbedOffset = 64;
inline constexpr std::uint64_t kLinkSlicesOffset = 128;
inline constexpr std::uint64_t kLinkHeldOffset = kLinkSlicesOffset + kMaxLinkSlices * sizeof(LinkSlice);
static_assert(kLinkHeldOffset % alignof(LinkHeld) == 0);
static_assert(kLinkHeldOffset + kMaxLinkSlices * sizeof(LinkHeld) <= kLinkHeaderBytes);

// Size of a surface for pictures of width x height pixels, 1..kMaxSurfaceExtent each.
[[nodiscard]] std::uint64_t LinkSurfaceBytes(std::uint32_t width, std::uint32_t height);
[[nodiscard]] std::uint32_t LinkReferencePitch(std::uint32_t width);
[[nodiscard]] std::uint64_t LinkPayloadOffset(std::uint32_t width, std::uint32_t first_row);

// Rows of a slice so that a frame has about `slices` slices, 1..kMaxLinkSlices.
[[nodiscard]] std::uint32_t LinkSliceRows(std::uint32_t height, std::uint32_t slices);
[[nodiscard]] std::uint32_t LinkSliceCount(std::uint32_t height, std::uint32_t slice_rows);

// Bytes of a frame where its content does not matter; the largest size for kLossless and kYuv420Tiles. `linked`: the format
// that comes out of the link.
[[nodiscard]] std::uint64_t LinkFrameBytes(LinkEncoding encoding, color::Format linked, std::uint32_t width,
                                           std::uint32_t height);

// Least frame_bytes with which every slice can keep to its share.
[[nodiscard]] std::uint64_t LeastLinkFrameBytes(color::Format linked, std::uint32_t width, std::uint32_t height,
                                                std::uint32_t slice_rows);

// True if pictures of the format can cross, in every encoding.
[[nodiscard]] bool CanCrossLink(color::Format picture);
// Format that comes out of the link: half floats become R10G10B10A2 or B8G8R8A8 through the sRGB curve; others stay.
[[nodiscard]] color::Format LinkedFormat(color::Format picture, LinkColors colors);
// True if `linked` can come out of a link.
[[nodiscard]] bool ComesOutOfLink(color::Format linked);
// Bits of a colour channel that cross: ten for R10G10B10A2 in the exact encodings and kYuv420, else eight.
[[nodiscard]] std::uint32_t LinkBits(LinkEncoding encoding, color::Format linked);
// True if the format has eight bits a channel and comes out unchanged, as shaders and NV12 need.
[[nodiscard]] bool HasEightBits(color::Format picture);

// For the producer, which queues frames and reads their cost. `bytes`: the mapped surface of LinkSurfaceBytes().
void InitializeLinkSurface(std::span<std::byte> bytes, std::uint32_t slice_rows, LinkColors colors = {},
                           std::uint64_t frame_bytes = 0);
// `probe`: 1 + the slice to probe; 0: none.
void RequestLinkFrame(std::span<std::byte> bytes, std::uint64_t frame, LinkEncoding encoding, std::uint32_t probe = 0);
[[nodiscard]] LinkSurfaceHeader ReadLinkHeader(std::span<const std::byte> bytes);
[[nodiscard]] LinkProbed ReadLinkProbed(std::span<const std::byte> bytes);
[[nodiscard]] LinkSlice ReadLinkSlice(std::span<const std::byte> bytes, std::uint32_t slice);
[[nodiscard]] LinkHeld ReadLinkHeld(std::span<const std::byte> bytes, std::uint32_t slice);

// The picture of an encoder or decoder; rows are `pitch` bytes apart.
template <class Byte>
struct LinkPicture {
  Byte* pixels = nullptr;
  std::uint64_t pitch = 0;
  color::Format format = color::Format::kUnknown;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// A surface and the rows to work on, which are whole slices.
struct LinkRows {
  std::span<std::byte> surface;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

struct EncodedRows {
  std::uint64_t crossing = 0;  // bytes to transfer
  PassCount passes;            // includes rows kept for the next frame
};
// Encodes the slices of `rows` as the surface requests. `room` is grown at first use. kInvalidArgument says how the surface or
// the rows are wrong; the payload is then useless.
[[nodiscard]] Result<EncodedRows> EncodeLinkRows(const LinkRows& rows, const LinkPicture<const std::byte>& from, Clock& clock,
                                                 std::vector<std::byte>& room);
// Notes the time of these rows' bytes on the link in the record of their first slice.
void NoteLinkTime(const LinkRows& rows, std::int64_t link_ns);

// Decodes the slices of `rows` and returns the passes, without pixels that stay unchanged. All slices are checked before the
// first pixel is written; kInvalidArgument leaves the destination as it was. Precondition: the destination contains this
// surface's last decoded frame, or no slice references a frame. Rows, width and height are the picture's as it crossed. A
// rotated picture stands turned behind `to.pixels`; a quarter turn swaps its extent. A slice that RefersToFrames() is never
// rotated: kInvalidArgument.
[[nodiscard]] Result<PassCount> DecodeLinkRows(const LinkRows& rows, const LinkPicture<std::byte>& to, Clock& clock,
                                               std::vector<std::byte>& room,
                                               color::Rotation rotation = color::Rotation::kIdentity);

}  // namespace tandem::link
