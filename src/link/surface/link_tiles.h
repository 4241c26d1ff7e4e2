// Codes a slice's rows in lossless tiles. Pictures of eight bits a channel are one tile slice. Those of ten bits are two: the
// upper eight bits (kBgrx8), then, aligned to eight bytes, the lower two (kPlane8). Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"
#include "color/format.h"
#include "link/surface/link_rows.h"

namespace tandem::link {

struct LinkTilesJob {
  LinkPicture<const std::byte> rows;  // rows of the slice; four bytes a pixel
  std::uint64_t frame = 0;
  // The slice's rows in the frame that the decoder holds; null: none.
  const std::byte* reference = nullptr;
  std::uint64_t reference_pitch = 0;
  std::uint64_t reference_frame = 0;
  std::uint64_t budget_bytes = 0;  // TileSliceJob::budget_bytes; LinkTilesFloor() or more
};

// Size needed for the payload.
[[nodiscard]] std::uint64_t LinkTilesCapacity(color::Format format, std::uint32_t width, std::uint32_t rows);

// Least budget in bytes.
[[nodiscard]] std::uint64_t LinkTilesFloor(color::Format format, std::uint32_t width, std::uint32_t rows);

// Size of the room that EncodeLinkTiles needs, in bytes.
[[nodiscard]] std::uint64_t LinkTilesRoomBytes(color::Format format, std::uint32_t width, std::uint32_t rows);

// `room`: LinkTilesRoomBytes(). Errors: EncodeTileSlice's.
[[nodiscard]] Result<codec::TileSliceSummary> EncodeLinkTiles(const LinkTilesJob& job, std::span<std::byte> out, std::byte* room);

struct CheckedLinkTiles {
  codec::CheckedTileSlice tiles;
  codec::CheckedTileSlice lower;  // pictures of ten bits only
};

// kInvalidArgument: the payload is broken, belongs to another slice or frame, or references a frame that the decoder does not
// hold.
[[nodiscard]] Result<CheckedLinkTiles> CheckLinkTiles(const LinkPlace& place, const LinkSlice& slice, const LinkHeld& held,
                                                      color::Format format, std::uint32_t width);
// `rows`: the slice's rows as they were last decoded.
void DecodeLinkTiles(const CheckedLinkTiles& checked, const LinkPicture<std::byte>& rows, std::vector<std::byte>& room);

}  // namespace tandem::link
