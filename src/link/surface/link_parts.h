// For who codes the slices of a link surface by other means than the processor, a shader above all: what is to be done, checked
// as link_surface.h checks it, and the records of what was done. The bits are the other's.
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
  std::uint32_t first_row = 0;  // of the picture
  std::uint32_t row_count = 0;
  std::uint64_t payload = 0;   // where it begins, in bytes of the surface; a multiple of 64
  std::uint64_t capacity = 0;  // of the payload
  std::uint64_t bytes = 0;     // of the payload, where it is decoded
  std::uint64_t frame = 0;
  std::uint64_t held = 0;    // which one the decoder has; 0: none
  std::uint64_t budget = 0;  // of kLossless, to be encoded: bytes that it may have; 0: whatever it takes
  bool probes = false;       // the slice's lossless size is wanted, too (NoteLinkProbed)
  LinkColors colors{};
};

struct LinkParts {
  std::array<LinkPart, kMaxLinkSlices> parts;
  std::uint32_t count = 0;

  [[nodiscard]] const LinkPart* begin() const { return parts.data(); }
  [[nodiscard]] const LinkPart* end() const { return parts.data() + count; }
};

// What an encoder keeps of a slice to find its unchanged tiles: which frame the rows are of that it has. Pictures that move back
// off from being compared and kept for some frames.
struct LinkReference {
  std::uint64_t frame = 0;  // 0: none
  std::uint16_t backoff = 0;

  // Whether the slice is compared with the rows that are kept.
  [[nodiscard]] bool Compares(std::uint64_t held) const { return backoff == 0 && frame != 0 && frame == held; }
  // Whether its own rows will be worth keeping, as far as that is known before.
  [[nodiscard]] bool Keeps() const { return backoff <= 1; }
  // The slice of frame `now` was coded, with so many per mille of its tiles unchanged. True: its rows are the kept ones from here
  // on.
  bool Follow(bool compared, std::uint32_t unchanged, std::uint64_t now);
};

// NV12 of a slice: where the rows begin, in bytes from the payload, and how far they are apart.
struct LinkYuvPlaces {
  std::uint64_t y_pitch = 0;
  std::uint64_t chroma = 0;
  std::uint64_t chroma_pitch = 0;
};
[[nodiscard]] LinkYuvPlaces LinkYuvPlacesOf(std::uint32_t width, std::uint32_t row_count);

// The slices of the rows as the surface requests them. kInvalidArgument as EncodeLinkRows.
[[nodiscard]] Result<LinkParts> LinkPartsToEncode(const LinkRows& rows, color::Format format, std::uint32_t width,
                                                  std::uint32_t height);

// The payload of the part is there, of a picture that has eight bits a channel where it is in tiles: of kLossless the row table
// and the rows, to which the header comes now. `reference`: the frame that unchanged tiles are of, 0: there are none. Notes it
// with the surface, which then has no rows to compare with: they are elsewhere.
struct CodedPart {
  std::uint64_t bytes = 0;      // of the payload
  std::uint32_t unchanged = 0;  // of kLossless: tiles, per mille
};
// Since `begin_ns` of the clock, of which the bytes were `link_ns` on the link. kInvalidArgument: rows that do not fit.
struct PartTimes {
  std::int64_t begin_ns = 0;
  std::int64_t link_ns = 0;
};
[[nodiscard]] Result<CodedPart> FinishEncodedPart(const LinkRows& rows, color::Format format, std::uint32_t width,
                                                  const LinkPart& part, std::uint64_t reference, const PartTimes& times,
                                                  Clock& clock);
void NoteLinkProbed(const LinkRows& rows, const LinkProbed& probed);

// The slices of the rows that are to be brought back, every one of them sound. kInvalidArgument as DecodeLinkRows. The pages may
// change afterwards: who decodes reads nothing outside the payload, whatever is in it.
[[nodiscard]] Result<LinkParts> LinkPartsToDecode(const LinkRows& rows, color::Format format, std::uint32_t width,
                                                  std::uint32_t height, color::Rotation rotation = color::Rotation::kIdentity);
// The part is in the destination.
void FinishDecodedPart(const LinkRows& rows, const LinkPart& part, std::int64_t decode_ns);

}  // namespace tandem::link
