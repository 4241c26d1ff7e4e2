#include "codec/tiles/tile_job.h"

#include <cstring>

#include "base/limits.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {

std::optional<Error> RefusalOf(const TileSliceJob& job, std::size_t capacity) {
  const auto& frame = job.frame;
  if (frame.width == 0 || frame.height == 0 || frame.width > kMaxSurfaceExtent || frame.height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A frame of {} x {} samples cannot be coded; 1 to {} are allowed.", frame.width,
                frame.height, kMaxSurfaceExtent);
  }
  if (job.row_count == 0 || job.first_row >= TileRows(frame.height) || job.row_count > TileRows(frame.height) - job.first_row) {
    return Fail(ErrorKind::kInvalidArgument, "The slice of {} tile rows from {} on is not within the frame's {}.", job.row_count,
                job.first_row, TileRows(frame.height));
  }
  if (job.frame_number == 0) return Fail(ErrorKind::kInvalidArgument, "Frames are numbered from 1 on.");
  const bool refers = job.reference.samples != nullptr;
  if (refers && (job.reference.width != frame.width || job.reference.height != frame.height)) {
    return Fail(ErrorKind::kInvalidArgument, "The reference has {} x {} samples, the frame {} x {}.", job.reference.width,
                job.reference.height, frame.width, frame.height);
  }
  if (refers != (job.reference_number != 0) || job.reference_number >= job.frame_number) {
    return Fail(ErrorKind::kInvalidArgument, "Frame {} cannot refer to frame {}.", job.frame_number, job.reference_number);
  }
  const std::uint64_t needed = TileSliceCapacity(job.content, frame.width, job.row_count);
  if (capacity < needed)
    return Fail(ErrorKind::kInvalidArgument, "The slice's buffer has {} bytes; {} are needed.", capacity, needed);
  const std::uint64_t floor = TileSliceFloor(job.content, frame.width, job.row_count);
  if (job.budget_bytes != 0 && job.budget_bytes < floor) {
    return Fail(ErrorKind::kLimit, "A budget of {} bytes is below the {} that the slice takes at the least.", job.budget_bytes,
                floor);
  }
  const std::uint64_t room = job.budget_bytes != 0 ? TileBudgetRoomBytes(frame.width, job.row_count) : 0;
  if (job.budget_room.size() < room) {
    return Fail(ErrorKind::kInvalidArgument, "A budget's room has {} bytes; {} are needed.", job.budget_room.size(), room);
  }
  return std::nullopt;
}

void WriteSliceHeader(const TileSliceJob& job, std::uint64_t bytes, std::uint32_t lossy_tiles, std::span<std::byte> out) {
  TileSliceHeader header{};
  header.magic = kTileSliceMagic;
  header.width = static_cast<std::uint16_t>(job.frame.width);
  header.height = static_cast<std::uint16_t>(job.frame.height);
  header.first_row = static_cast<std::uint16_t>(job.first_row);
  header.row_count = static_cast<std::uint16_t>(job.row_count);
  header.content = static_cast<std::uint8_t>(job.content);
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.lossy_tiles = lossy_tiles;
  header.frame = job.frame_number;
  header.reference = job.reference_number;
  header.checksum = TileSliceChecksum(header, out.data() + sizeof(header), bytes - sizeof(header));
  std::memcpy(out.data(), &header, sizeof(header));
}

std::uint32_t TileRows(std::uint32_t height) { return TilesAcross(height); }

std::uint64_t TileSliceCapacity(TileContent content, std::uint32_t width, std::uint32_t row_count) {
  const std::uint64_t tile = 1 + kTileSamples * ChannelsOf(content);
  return sizeof(TileSliceHeader) + row_count * (4 + tile * TilesAcross(width)) + kTileWriteSlack;
}

std::uint64_t TileSliceFloor(TileContent content, std::uint32_t width, std::uint32_t row_count) {
  const std::uint64_t tile = 2 + ChannelsOf(content);
  return sizeof(TileSliceHeader) + row_count * (4 + tile * TilesAcross(width));
}

Result<std::uint64_t> SealTileSlice(const TileSliceJob& job, std::span<std::byte> out) {
  if (auto refusal = RefusalOf(job, out.size())) return *std::move(refusal);
  std::uint64_t bytes = sizeof(TileSliceHeader) + 4 * std::uint64_t{job.row_count};
  for (std::uint32_t row = 0; row < job.row_count; ++row) {
    std::uint32_t row_bytes = 0;
    std::memcpy(&row_bytes, out.data() + sizeof(TileSliceHeader) + 4 * std::size_t{row}, sizeof(row_bytes));
    bytes += row_bytes;
  }
  if (bytes > out.size()) {
    return Fail(ErrorKind::kInvalidArgument, "A slice's rows end at byte {}, its buffer has {}.", bytes, out.size());
  }
  WriteSliceHeader(job, bytes, 0, out);
  return bytes;
}

}  // namespace tandem::codec
