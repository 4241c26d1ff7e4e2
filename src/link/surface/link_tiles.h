// A slice's rows in lossless tiles: pictures of eight bits a channel as one tile slice, those of ten as two, of the upper eight
// bits (kBgrx8) and, from the next multiple of eight bytes on, of the lower two (kPlane8). Internal to the module.
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
  LinkPicture<const std::byte> rows;  // the slice's; of four bytes a pixel
  std::uint64_t frame = 0;
  // The same rows of the frame that the other side holds; null: there are none.
  const std::byte* reference = nullptr;
  std::uint64_t reference_pitch = 0;
  std::uint64_t reference_frame = 0;
  std::uint64_t budget_bytes = 0;  // as TileSliceJob's, LinkTilesFloor() or more
};

// Bytes that the payload must have.
[[nodiscard]] std::uint64_t LinkTilesCapacity(color::Format format, std::uint32_t width, std::uint32_t rows);

// Bytes below which no budget can go.
[[nodiscard]] std::uint64_t LinkTilesFloor(color::Format format, std::uint32_t width, std::uint32_t rows);

// What EncodeLinkTiles needs beside pixels and payload, in bytes.
[[nodiscard]] std::uint64_t LinkTilesRoomBytes(color::Format format, std::uint32_t width, std::uint32_t rows);

// `room` has LinkTilesRoomBytes(). Errors: EncodeTileSlice's.
[[nodiscard]] Result<codec::TileSliceSummary> EncodeLinkTiles(const LinkTilesJob& job, std::span<std::byte> out, std::byte* room);

struct CheckedLinkTiles {
  codec::CheckedTileSlice tiles;
  codec::CheckedTileSlice lower;  // of ten bits
};

// kInvalidArgument: broken, of another slice or frame, or it refers to another frame than the one that is held.
[[nodiscard]] Result<CheckedLinkTiles> CheckLinkTiles(const LinkPlace& place, const LinkSlice& slice, const LinkHeld& held,
                                                      color::Format format, std::uint32_t width);
// `rows` are the slice's, as they were brought last.
void DecodeLinkTiles(const CheckedLinkTiles& checked, const LinkPicture<std::byte>& rows, std::vector<std::byte>& room);

}  // namespace tandem::link
