#include "codec/tile_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/limits.h"
#include "codec/simd/strip_functions.h"
#include "codec/tile_edges.h"
#include "codec/tile_format.h"
#include "codec/tile_writer.h"

namespace tandem::codec {
namespace {

constexpr std::uint32_t kNoCap = ~0U;
constexpr std::uint32_t kLargestTile = kTileSamples * kMaxChannels;

// How many tiles have how many bytes.
using Histogram = std::array<std::uint32_t, kLargestTile + 1>;

// Codes the rows of one slice; with a cap, no tile has more bytes than that.
class SliceWriter {
 public:
  SliceWriter(const TileSliceJob& job, std::uint8_t* out) : job_(job), out_(out), at_(out) {
    std::memset(sizes_.data(), 0, sizeof(sizes_));
  }

  TileSliceSummary Write(std::uint32_t cap) {
    const std::uint32_t tiles = TilesAcross(job_.frame.width);
    at_ = out_ + sizeof(TileSliceHeader) + 4 * std::uint64_t{job_.row_count};
    summary_ = {};
    summary_.tiles = tiles * job_.row_count;
    for (std::uint32_t row = 0; row < job_.row_count; ++row) {
      std::uint8_t* const entries = at_;
      const std::uint32_t unchanged_before = summary_.unchanged_tiles;
      at_ += tiles;
      last_ = nullptr;
      for (std::uint32_t tile = 0; tile < tiles; tile += kStripTiles) {
        WriteStrip(job_.first_row + row, tile, std::min(kStripTiles, tiles - tile), cap, entries + tile);
      }
      if (summary_.unchanged_tiles - unchanged_before == tiles) at_ = entries;
      const auto bytes = static_cast<std::uint32_t>(at_ - entries);
      std::memcpy(out_ + sizeof(TileSliceHeader) + 4 * std::size_t{row}, &bytes, sizeof(bytes));
    }
    summary_.bytes = static_cast<std::uint64_t>(at_ - out_);
    return summary_;
  }

  // Of the tiles that Write() coded, which have bytes of their own.
  [[nodiscard]] const Histogram& sizes() const { return sizes_; }

 private:
  void WriteStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t count, std::uint32_t cap, std::uint8_t* entries) {
    const std::uint32_t channels = ChannelsOf(job_.content);
    const WholeStrip samples(job_.frame, job_.content, first_tile, row, frame_edge_);
    std::uint32_t changed = (1U << count) - 1;
    if (job_.reference.samples != nullptr) {
      const WholeStrip held(job_.reference, job_.content, first_tile, row, reference_edge_);
      changed &= strip_.changed(samples.data(), samples.pitch(), held.data(), held.pitch(), BytesPerSample(job_.content),
                                RowsAhead(row));
    }
    if (changed != 0) {
      strip_.split(samples.data(), samples.pitch(), RowsAhead(row) * job_.frame.pitch, job_.content, 0, planes_);
      strip_.predict(planes_, channels, code_);
    }
    dropped_ = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if ((changed >> i & 1) == 0) {
        entries[i] = kEntryUnchanged;
        ++summary_.unchanged_tiles;
        continue;
      }
      WrittenTile tile = WriteTile(planes_, code_, channels, i, at_);
      if (tile.bytes > cap) tile = WriteLossy(samples, i, cap);
      entries[i] = Keep(tile);
    }
  }

  // From a tile row to the one below, while that has all its samples.
  [[nodiscard]] std::uint64_t RowsAhead(std::uint32_t row) const {
    return (row + 2) * kTileExtent <= job_.frame.height ? kTileExtent : 0;
  }

  // The entry, with the tile's bytes kept unless the last ones are the same.
  std::uint8_t Keep(WrittenTile tile) {
    if (last_ != nullptr && last_entry_ == tile.entry && std::memcmp(last_, at_, tile.bytes) == 0) {
      ++summary_.repeated_tiles;
      return kEntryRepeated;
    }
    ++sizes_[tile.bytes];
    last_ = at_;
    last_entry_ = tile.entry;
    at_ += tile.bytes;
    return tile.entry;
  }

  // With as few bits dropped as the cap asks for; at the worst in one colour.
  WrittenTile WriteLossy(const WholeStrip& samples, std::uint32_t index, std::uint32_t cap) {
    const std::uint32_t channels = ChannelsOf(job_.content);
    ++summary_.lossy_tiles;
    for (std::uint32_t drop = 1; drop < std::size(kDroppedBits); ++drop) {
      if ((dropped_ >> drop & 1) == 0) {
        strip_.split(samples.data(), samples.pitch(), 0, job_.content, kDroppedBits[drop], dropped_planes_);
        strip_.predict(dropped_planes_, channels, dropped_codes_[drop - 1]);
        dropped_ |= 1U << drop;
      }
      const std::uint32_t bytes = PredictedBytes(dropped_codes_[drop - 1], channels, index);
      if (bytes > cap || bytes > 1 + channels + kMaxPredictedExtra) continue;
      WritePredicted(dropped_codes_[drop - 1], channels, index, drop, at_);
      return {PredictedEntry(bytes, channels), bytes};
    }
    return WriteMean(planes_, channels, index, at_);
  }

  const TileSliceJob& job_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  std::uint8_t* out_;
  std::uint8_t* at_;
  const std::uint8_t* last_ = nullptr;  // the last tile of the row that has bytes
  std::uint8_t last_entry_ = 0;
  std::uint32_t dropped_ = 0;  // bit d: dropped_codes_[d - 1] is of the strip at hand
  TileSliceSummary summary_;
  Histogram sizes_;
  StripPlanes planes_;
  StripPlanes dropped_planes_;
  StripCode code_;
  std::array<StripCode, std::size(kDroppedBits) - 1> dropped_codes_;
  EdgeBuffer frame_edge_;
  EdgeBuffer reference_edge_;
};

// The largest cap with which the tiles lose `excess` bytes.
std::uint32_t CapFor(const Histogram& sizes, std::uint64_t excess) {
  std::uint32_t cap = kLargestTile;
  std::uint64_t above = 0;  // tiles that are larger than the cap
  std::uint64_t saved = 0;
  while (saved < excess && cap > 0) {
    above += sizes[cap];
    saved += above;
    --cap;
  }
  return cap;
}

std::optional<Error> Refusal(const TileSliceJob& job, std::size_t capacity) {
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
  return std::nullopt;
}

}  // namespace

std::uint32_t TileRows(std::uint32_t height) { return TilesAcross(height); }

std::uint64_t TileSliceCapacity(TileContent content, std::uint32_t width, std::uint32_t row_count) {
  const std::uint64_t tile = 1 + kTileSamples * ChannelsOf(content);
  return sizeof(TileSliceHeader) + row_count * (4 + tile * TilesAcross(width)) + kTileWriteSlack;
}

std::uint64_t TileSliceFloor(TileContent content, std::uint32_t width, std::uint32_t row_count) {
  const std::uint64_t tile = 2 + ChannelsOf(content);
  return sizeof(TileSliceHeader) + row_count * (4 + tile * TilesAcross(width));
}

Result<TileSliceSummary> EncodeTileSlice(const TileSliceJob& job, std::span<std::byte> out) {
  if (auto refusal = Refusal(job, out.size())) return *std::move(refusal);
  SliceWriter writer(job, reinterpret_cast<std::uint8_t*>(out.data()));
  TileSliceSummary summary = writer.Write(kNoCap);
  if (job.budget_bytes != 0 && summary.bytes > job.budget_bytes) {
    summary = writer.Write(CapFor(writer.sizes(), summary.bytes - job.budget_bytes));
  }
  TileSliceHeader header{};
  header.magic = kTileSliceMagic;
  header.width = static_cast<std::uint16_t>(job.frame.width);
  header.height = static_cast<std::uint16_t>(job.frame.height);
  header.first_row = static_cast<std::uint16_t>(job.first_row);
  header.row_count = static_cast<std::uint16_t>(job.row_count);
  header.content = static_cast<std::uint8_t>(job.content);
  header.bytes = static_cast<std::uint32_t>(summary.bytes);
  header.lossy_tiles = summary.lossy_tiles;
  header.frame = job.frame_number;
  header.reference = job.reference_number;
  header.checksum = TileSliceChecksum(header, out.data() + sizeof(header), summary.bytes - sizeof(header));
  std::memcpy(out.data(), &header, sizeof(header));
  return summary;
}

}  // namespace tandem::codec
