// For engines that code a link surface's slices without the processor, such as shaders: the checked slices to code, and the
// records of coded ones. Checks are those of link_surface.h; the engine makes the payload's bits.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "color/blit.h"
#include "color/format.h"
#include "link/surface/link_surface.h"

namespace tandem::link {

// One slice.
struct LinkPart {
  LinkEncoding encoding = LinkEncoding::kPlain;
  std::uint32_t index = 0;
  std::uint32_t first_row = 0;  // row of the picture
  std::uint32_t row_count = 0;
  std::uint64_t payload = 0;   // offset of the payload in the surface, bytes; a multiple of 64
  std::uint64_t capacity = 0;  // bytes set aside for the payload
  std::uint64_t bytes = 0;     // bytes of the payload; set when decoding only
  std::uint64_t frame = 0;
  std::uint64_t held = 0;    // frame that the decoder holds; 0: none
  std::uint64_t budget = 0;  // most bytes the slice may take; kLossless encoding only; 0: no limit
  bool probes = false;       // the slice's lossless size is wanted, too (NoteLinkProbed)
  LinkColors colors{};
};

struct LinkParts {
  std::array<LinkPart, kMaxLinkSlices> parts;
  std::uint32_t count = 0;

  [[nodiscard]] const LinkPart* begin() const { return parts.data(); }
  [[nodiscard]] const LinkPart* end() const { return parts.data() + count; }
};

// State of the rows that an encoder keeps of a slice to find its unchanged tiles. Moving pictures back off: they are neither
// compared nor kept for some frames.
struct LinkReference {
  std::uint64_t frame = 0;  // frame of the kept rows; 0: none
  std::uint16_t backoff = 0;

  // True if the slice is compared with the kept rows. `held`: the frame that the decoder holds.
  [[nodiscard]] bool Compares(std::uint64_t held) const { return backoff == 0 && frame != 0 && frame == held; }
  // True if the slice's own rows will probably be worth keeping.
  [[nodiscard]] bool Keeps() const { return backoff <= 1; }
  // Records that the slice of frame `now` was coded with `unchanged` per mille of its tiles unchanged. Returns true if its rows
  // become the kept ones.
  bool Follow(bool compared, std::uint32_t unchanged, std::uint64_t now);
};

// Layout of a slice's NV12 planes: offset of the chroma rows from the payload and distance of rows, in bytes.
struct LinkYuvPlaces {
  std::uint64_t y_pitch = 0;
  std::uint64_t chroma = 0;
  std::uint64_t chroma_pitch = 0;
};
[[nodiscard]] LinkYuvPlaces LinkYuvPlacesOf(std::uint32_t width, std::uint32_t row_count);

// Returns the slices of `rows` as the surface requests them. Errors as EncodeLinkRows: kInvalidArgument.
[[nodiscard]] Result<LinkParts> LinkPartsToEncode(const LinkRows& rows, color::Format format, std::uint32_t width,
                                                  std::uint32_t height);

struct CodedPart {
  std::uint64_t bytes = 0;      // payload
  std::uint32_t unchanged = 0;  // unchanged tiles per mille; kLossless only
};
// Encoding began at `begin_ns` of the clock; the bytes then took `link_ns` of that time on the link.
struct PartTimes {
  std::int64_t begin_ns = 0;
  std::int64_t link_ns = 0;
};
// Records an encoded part with the surface. Precondition: its payload is written. A kLossless payload holds row table and rows
// of eight bits a channel; this call adds the header. `reference`: frame of the unchanged tiles, 0: none. The surface's own
// reference rows become invalid, because the engine keeps them elsewhere. kInvalidArgument: the rows do not fit.
[[nodiscard]] Result<CodedPart> FinishEncodedPart(const LinkRows& rows, color::Format format, std::uint32_t width,
                                                  const LinkPart& part, std::uint64_t reference, const PartTimes& times,
                                                  Clock& clock);
void NoteLinkProbed(const LinkRows& rows, const LinkProbed& probed);

// Returns the slices of `rows` to decode, all of them checked. Errors as DecodeLinkRows: kInvalidArgument. Others may change
// the pages afterwards, so a decoder must read nothing outside the payload, whatever that contains.
[[nodiscard]] Result<LinkParts> LinkPartsToDecode(const LinkRows& rows, color::Format format, std::uint32_t width,
                                                  std::uint32_t height, color::Rotation rotation = color::Rotation::kIdentity);
// Records that the part is decoded into its destination.
void FinishDecodedPart(const LinkRows& rows, const LinkPart& part, std::int64_t decode_ns);

}  // namespace tandem::link
