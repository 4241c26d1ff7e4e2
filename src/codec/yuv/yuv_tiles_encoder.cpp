#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/limits.h"
#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_edges.h"
#include "codec/yuv/yuv_tiles.h"
#include "codec/yuv/yuv_tiles_layout.h"
#include "color/yuv.h"

namespace tandem::codec {
namespace {

using Picture = color::Bgra8<const std::byte>;

std::uint32_t TilesOf(std::uint32_t width, std::uint32_t height) { return TilesAcross(width) * TilesAcross(height); }

std::uint32_t MostFullTiles(std::uint32_t width, std::uint32_t height, FullChroma full_chroma) {
  return static_cast<std::uint32_t>(std::uint64_t{TilesOf(width, height)} * full_chroma.most_per_mille / 1000);
}

// Finds the greatest chroma step of each tile.
void FindSteps(const Picture& picture, std::uint8_t* steps) {
  const StripFunctions& strip = simd::StripFunctionsHere();
  const SampleSurface<const std::byte> surface{picture.pixels, picture.pitch, picture.width, picture.height};
  StripPlanes planes;
  EdgeBuffer edge;
  const std::uint32_t tiles = TilesAcross(picture.width);
  for (std::uint32_t row = 0; row < TilesAcross(picture.height); ++row, steps += tiles) {
    for (std::uint32_t tile = 0; tile < tiles; tile += kStripTiles) {
      const WholeStrip samples(surface, TileContent::kBgrx8, tile, row, edge);
      std::uint8_t found[kStripTiles];
      strip.split(samples.data(), samples.pitch(), 0, TileContent::kBgrx8, kChromaStepDrop, planes);
      strip.chroma_steps(planes, found);
      std::copy_n(found, std::min(kStripTiles, tiles - tile), steps + tile);
    }
  }
}

// The least step that makes a tile lossless, so that at most `most` tiles are.
std::uint32_t LeastStep(const std::uint8_t* steps, std::uint32_t tiles, std::uint32_t most, std::uint32_t least) {
  std::array<std::uint32_t, 256> counts{};
  for (std::uint32_t i = 0; i < tiles; ++i) ++counts[steps[i]];
  std::uint32_t sum = 0;
  std::uint32_t step = 256;
  while (step > least && sum + counts[step - 1] <= most) sum += counts[--step];
  return step;
}

// Copies a tile of the picture to the atlas and repeats its last column and row at the picture's edge.
void CopyTile(const Picture& picture, std::uint32_t tile_x, std::uint32_t tile_y, std::byte* to, std::uint64_t to_pitch) {
  const std::uint32_t left = tile_x * kTileExtent;
  const std::uint32_t width = std::min(kTileExtent, picture.width - left);
  for (std::uint32_t y = 0; y < kTileExtent; ++y, to += to_pitch) {
    const std::uint64_t row = std::min(tile_y * kTileExtent + y, picture.height - 1);
    std::memcpy(to, picture.pixels + row * picture.pitch + 4ULL * left, 4ULL * width);
    for (std::uint32_t x = width; x < kTileExtent; ++x) std::memcpy(to + 4ULL * x, to + 4ULL * (width - 1), 4);
  }
}

// Replaces invisible luma by that of the tile before it, so that the tile repeats and needs no bytes.
void Blank(const color::Yuv420<std::byte>& planes, const Picture& picture, std::uint32_t tile_x, std::uint32_t tile_y) {
  const std::uint64_t left = std::uint64_t{tile_x} * kTileExtent;
  const std::size_t width = std::min<std::uint64_t>(kTileExtent, picture.width - left);
  for (std::uint32_t y = tile_y * kTileExtent; y < std::min(picture.height, (tile_y + 1) * kTileExtent); ++y) {
    std::byte* const row = planes.y + y * planes.y_pitch + left;
    if (tile_x == 0) {
      std::memset(row, 0, width);
    } else {
      std::memcpy(row, row - kTileExtent, width);
    }
  }
}

class Writer {
 public:
  Writer(const YuvTilesJob& job, std::span<std::byte> out, std::span<std::byte> room)
      : job_(job),
        out_(out),
        tiles_(TilesOf(job.picture.width, job.picture.height)),
        most_(MostFullTiles(job.picture.width, job.picture.height, job.full_chroma)),
        parts_(RoomFor(job.picture.width, job.picture.height, most_, room)) {}

  Result<YuvTilesSummary> Write() {
    const auto& [width, height] = std::pair(job_.picture.width, job_.picture.height);
    header_.magic = kYuvTilesMagic;
    header_.width = static_cast<std::uint16_t>(width);
    header_.height = static_cast<std::uint16_t>(height);
    header_.frame = job_.frame_number;
    at_ = FirstSliceAt(width, height);
    std::memset(out_.data(), 0, at_);
    color::EncodeYuv420(parts_.planes, job_.picture, job_.coding);
    if (most_ != 0) PickFullTiles();
    const std::uint32_t chroma_width = color::ChromaExtent(width);
    const std::uint32_t chroma_height = color::ChromaExtent(height);
    if (auto done = WriteSlice(0, TileContent::kPlane8, {parts_.planes.y, width, width, height}); !done.ok()) return done.error();
    for (const std::uint32_t slice : {1U, 2U}) {
      const std::byte* const plane = slice == 1 ? parts_.planes.u : parts_.planes.v;
      auto done = WriteSlice(slice, TileContent::kPlane8, {plane, chroma_width, chroma_width, chroma_height});
      if (!done.ok()) return done.error();
    }
    if (header_.full_tiles != 0) {
      const AtlasExtent extent = AtlasOf(header_.full_tiles);
      auto done = WriteSlice(3, TileContent::kBgrx8, {parts_.atlas, parts_.atlas_pitch, extent.width, extent.height});
      if (!done.ok()) return done.error();
    }
    header_.bytes = static_cast<std::uint32_t>(at_);
    const auto map = out_.subspan(sizeof(header_), MapBytes(width, height));
    header_.checksum = BytesChecksum(std::as_bytes(std::span(&header_, 1)), map);
    std::memcpy(out_.data(), &header_, sizeof(header_));
    return YuvTilesSummary{at_, tiles_, header_.full_tiles};
  }

 private:
  void PickFullTiles() {
    // The output is free until the slices are written.
    auto* const steps = reinterpret_cast<std::uint8_t*>(out_.data() + at_);
    FindSteps(job_.picture, steps);
    const std::uint32_t least = LeastStep(steps, tiles_, most_, std::max<std::uint32_t>(job_.full_chroma.least_step, 1));
    const std::uint32_t across = TilesAcross(job_.picture.width);
    // Other processes may write the output meanwhile, but the count stays within the room.
    for (std::uint32_t tile = 0; tile < tiles_ && header_.full_tiles < most_; ++tile) {
      if (steps[tile] < least) continue;
      out_[sizeof(header_) + tile / 8] |= static_cast<std::byte>(1U << tile % 8);
      CopyTile(job_.picture, tile % across, tile / across, parts_.atlas + AtlasPlace(header_.full_tiles, parts_.atlas_pitch),
               parts_.atlas_pitch);
      Blank(parts_.planes, job_.picture, tile % across, tile / across);
      ++header_.full_tiles;
    }
    // Clears the rest of the atlas's last row, which is coded in full width.
    if (header_.full_tiles <= kAtlasTiles) return;
    for (std::uint32_t i = header_.full_tiles; i % kAtlasTiles != 0; ++i) {
      std::byte* const tile = parts_.atlas + AtlasPlace(i, parts_.atlas_pitch);
      for (std::uint32_t y = 0; y < kTileExtent; ++y) std::memset(tile + y * parts_.atlas_pitch, 0, 4ULL * kTileExtent);
    }
  }

  Result<void> WriteSlice(std::uint32_t index, TileContent content, const SampleSurface<const std::byte>& surface) {
    TileSliceJob job;
    job.content = content;
    job.frame = surface;
    job.frame_number = job_.frame_number;
    job.row_count = TileRows(surface.height);
    const auto summary = EncodeTileSlice(job, out_.subspan(at_));
    if (!summary.ok()) return summary.error();
    header_.slice_bytes[index] = static_cast<std::uint32_t>(summary->bytes);
    const std::uint64_t end = AlignedTo8(at_ + summary->bytes);
    std::memset(out_.data() + at_ + summary->bytes, 0, end - at_ - summary->bytes);
    at_ = end;
    return {};
  }

  const YuvTilesJob& job_;
  const std::span<std::byte> out_;
  const std::uint32_t tiles_;
  const std::uint32_t most_;
  const YuvTilesRoom<std::byte> parts_;
  YuvTilesHeader header_{};
  std::uint64_t at_ = 0;
};

}  // namespace

std::uint64_t YuvTilesCapacity(std::uint32_t width, std::uint32_t height, FullChroma full_chroma) {
  const std::uint32_t chroma_width = color::ChromaExtent(width);
  const std::uint32_t chroma_rows = TileRows(color::ChromaExtent(height));
  std::uint64_t bytes = FirstSliceAt(width, height) +
                        AlignedTo8(TileSliceCapacity(TileContent::kPlane8, width, TileRows(height))) +
                        2 * AlignedTo8(TileSliceCapacity(TileContent::kPlane8, chroma_width, chroma_rows));
  const std::uint32_t full_tiles = MostFullTiles(width, height, full_chroma);
  if (full_tiles != 0) {
    const AtlasExtent extent = AtlasOf(full_tiles);
    bytes += AlignedTo8(TileSliceCapacity(TileContent::kBgrx8, extent.width, TileRows(extent.height)));
  }
  return bytes;
}

std::uint64_t YuvTilesRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma) {
  return RoomBytes(width, height, MostFullTiles(width, height, full_chroma));
}

Result<YuvTilesSummary> EncodeYuvTiles(const YuvTilesJob& job, std::span<std::byte> out, std::span<std::byte> room) {
  const auto& [width, height] = std::pair(job.picture.width, job.picture.height);
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A picture of {} x {} pixels cannot be coded; 1 to {} are allowed.", width, height,
                kMaxSurfaceExtent);
  }
  if (job.frame_number == 0) return Fail(ErrorKind::kInvalidArgument, "Frames are numbered from 1 on.");
  if (job.full_chroma.most_per_mille > 1000) {
    return Fail(ErrorKind::kInvalidArgument, "{} of 1000 tiles cannot come without loss.", job.full_chroma.most_per_mille);
  }
  const std::uint64_t needed = YuvTilesCapacity(width, height, job.full_chroma);
  if (out.size() < needed)
    return Fail(ErrorKind::kInvalidArgument, "The output has {} bytes; {} are needed.", out.size(), needed);
  return Writer(job, out, room).Write();
}

}  // namespace tandem::codec
