#include "codec/tile_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "codec/simd/strip_functions.h"
#include "codec/tile_edges.h"
#include "codec/tile_format.h"
#include "codec/tile_job.h"
#include "codec/tile_levels.h"
#include "codec/tile_writer.h"

namespace tandem::codec {
namespace {

// Which levels the tiles of a pass have. Both the same: every tile that one. Otherwise the finer one as long as the bytes, in
// proportion to those of the coarser, keep to the budget.
struct Pass {
  std::uint32_t fine = kLossless;
  std::uint32_t coarse = kLossless;
  std::uint64_t coarse_bytes = 0;  // at the coarser level, of all tiles that get better at the finer one
};

// Codes the rows of one slice, in as many passes as it takes.
class SliceWriter {
 public:
  SliceWriter(const TileSliceJob& job, std::uint8_t* out)
      : job_(job), channels_(ChannelsOf(job.content)), out_(out), at_(out), levels_(job.content) {}

  TileSliceSummary Write(const Pass& pass) {
    const std::uint32_t tiles = TilesAcross(job_.frame.width);
    at_ = out_ + sizeof(TileSliceHeader) + 4 * std::uint64_t{job_.row_count};
    summary_ = {};
    summary_.tiles = tiles * job_.row_count;
    tiles_left_ = summary_.tiles;
    coarse_bytes_ = 0;
    tile_bytes_ = 0;
    for (std::uint32_t row = 0; row < job_.row_count; ++row) {
      std::uint8_t* const entries = at_;
      const std::uint32_t unchanged_before = summary_.unchanged_tiles;
      at_ += tiles;
      entries_left_ = std::uint64_t{tiles} * (job_.row_count - row - 1);
      last_ = nullptr;
      run_.any = false;
      const bool unchanged = IsWhollyUnchanged(job_.first_row + row);
      if (unchanged) {
        summary_.unchanged_tiles += tiles;
        summary_.still_tiles += tiles;
        tiles_left_ -= tiles;
      }
      for (std::uint32_t tile = 0; tile < tiles && !unchanged; tile += kStripTiles) {
        WriteStrip(job_.first_row + row, tile, std::min(kStripTiles, tiles - tile), pass, entries + tile);
      }
      if (summary_.unchanged_tiles - unchanged_before == tiles) at_ = entries;
      const auto bytes = static_cast<std::uint32_t>(at_ - entries);
      std::memcpy(out_ + sizeof(TileSliceHeader) + 4 * std::size_t{row}, &bytes, sizeof(bytes));
    }
    summary_.bytes = static_cast<std::uint64_t>(at_ - out_);
    return summary_;
  }

  // Of the tiles of the last pass at its coarser level, before repeated ones are found: those that get better at a finer one.
  [[nodiscard]] std::uint64_t coarse_bytes() const { return coarse_bytes_; }

 private:
  // Whether a tile row is the reference's. Looks along the rows of samples, which is as fast as memory can be read, and ends with
  // the first one that is not the same.
  [[nodiscard]] bool IsWhollyUnchanged(std::uint32_t row) const {
    if (job_.reference.samples == nullptr) return false;
    const std::uint64_t end = std::min<std::uint64_t>((row + 1ULL) * kTileExtent, job_.frame.height);
    const std::size_t row_bytes = std::size_t{job_.frame.width} * BytesPerSample(job_.content);
    for (std::uint64_t y = std::uint64_t{row} * kTileExtent; y < end; ++y) {
      const std::byte* const held = job_.reference.samples + y * job_.reference.pitch;
      if (std::memcmp(job_.frame.samples + y * job_.frame.pitch, held, row_bytes) != 0) return false;
    }
    return true;
  }

  void WriteStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t count, const Pass& pass, std::uint8_t* entries) {
    const WholeStrip samples(job_.frame, job_.content, first_tile, row, frame_edge_);
    std::optional<WholeStrip> held;
    std::uint32_t changed = (1U << count) - 1;
    if (job_.reference.samples != nullptr) {
      held.emplace(job_.reference, job_.content, first_tile, row, reference_edge_);
      changed &= strip_.changed(samples.data(), samples.pitch(), held->data(), held->pitch(), BytesPerSample(job_.content),
                                RowsAhead(row));
    }
    const std::uint32_t unchanged = count - static_cast<std::uint32_t>(std::popcount(changed));
    summary_.unchanged_tiles += unchanged;
    summary_.still_tiles += unchanged;
    if (pass.coarse == kLossless && strip_.encode != nullptr) return WriteAtOnce(samples, row, count, changed, entries);
    if (changed != 0) {
      strip_.split(samples.data(), samples.pitch(), RowsAhead(row) * job_.frame.pitch, job_.content, 0, planes_);
      strip_.predict(planes_, channels_, code_);
    }
    levels_.Begin(samples, planes_, held ? &*held : nullptr);
    for (std::uint32_t i = 0; i < count; ++i) {
      --tiles_left_;
      if ((changed >> i & 1) == 0) {
        entries[i] = kEntryUnchanged;
        continue;
      }
      WrittenTile tile = WriteTile(strip_, planes_, code_, channels_, i, at_);
      if (pass.coarse != kLossless) tile = WriteWithin(pass, i, tile);
      entries[i] = Keep(tile);
    }
  }

  void WriteAtOnce(const WholeStrip& samples, std::uint32_t row, std::uint32_t count, std::uint32_t changed,
                   std::uint8_t* entries) {
    tiles_left_ -= count;
    std::fill_n(entries, count, kEntryUnchanged);
    if (changed == 0) return;
    run_.at = at_;
    run_.repeated = 0;
    strip_.encode(samples.data(), samples.pitch(), RowsAhead(row) * job_.frame.pitch, job_.content, changed, entries, run_);
    summary_.repeated_tiles += run_.repeated;
    at_ = run_.at;
  }

  // From a tile row to the one below, while that has all its samples.
  [[nodiscard]] std::uint64_t RowsAhead(std::uint32_t row) const {
    return (row + 2) * kTileExtent <= job_.frame.height ? kTileExtent : 0;
  }

  // The entry, with the tile's bytes kept unless the last ones are the same.
  std::uint8_t Keep(WrittenTile tile) {
    if (tile.entry == kEntryUnchanged) {
      ++summary_.unchanged_tiles;
      return tile.entry;
    }
    if (last_ != nullptr && last_entry_ == tile.entry && std::memcmp(last_, at_, tile.bytes) == 0) {
      ++summary_.repeated_tiles;
      return kEntryRepeated;
    }
    last_ = at_;
    last_entry_ = tile.entry;
    at_ += tile.bytes;
    tile_bytes_ += tile.bytes;
    return tile.entry;
  }

  // The tile that was written without loss, or instead of it what the pass has room for: unchanged where the other side holds as
  // much of it, so that others get better.
  WrittenTile WriteWithin(const Pass& pass, std::uint32_t index, WrittenTile lossless) {
    constexpr WrittenTile kStays{kEntryUnchanged, 0};
    const std::uint32_t coarse = BytesAt(index, pass.coarse, lossless);
    if (levels_.IsHeld(index, kMean)) ++summary_.still_tiles;
    // What is held so already has no share in the bytes that are left.
    const bool gets_better = !levels_.IsHeld(index, pass.coarse - 1);
    if (gets_better) coarse_bytes_ += coarse;
    std::uint32_t level = pass.coarse;
    if (pass.fine != pass.coarse && gets_better) {
      const std::uint32_t fine = BytesAt(index, pass.fine, lossless);
      const std::uint64_t fixed = sizeof(TileSliceHeader) + 4 * std::uint64_t{job_.row_count} + summary_.tiles;
      const std::uint64_t due = (job_.budget_bytes - fixed) * coarse_bytes_ / std::max<std::uint64_t>(pass.coarse_bytes, 1);
      const std::uint64_t reserved = entries_left_ + std::uint64_t{tiles_left_} * MeanBytes();
      const std::uint64_t room = job_.budget_bytes - reserved - static_cast<std::uint64_t>(at_ - out_);
      if (tile_bytes_ + fine <= due && fine <= room) {
        level = pass.fine;
      } else if (coarse > room) {
        level = kMean;
      }
    }
    if (levels_.IsHeld(index, level)) {
      ++summary_.lossy_tiles;
      return kStays;
    }
    if (BytesAt(index, level, lossless) == lossless.bytes) return lossless;
    ++summary_.lossy_tiles;
    if (level == kMean) return WriteMean(planes_, channels_, index, at_);
    const std::uint32_t bytes = LossyBytes(index, level);
    strip_.write(levels_.CodeAt(level), channels_, index, level, at_);
    return {PredictedEntry(bytes, channels_), bytes};
  }

  [[nodiscard]] std::uint32_t MeanBytes() const { return 1 + channels_; }

  // What the tile takes at a level, or without loss where that is hardly more: smooth tiles have few bytes and show every lost
  // bit.
  std::uint32_t BytesAt(std::uint32_t index, std::uint32_t level, WrittenTile lossless) {
    constexpr std::uint32_t kCheapTileBytes = 24;
    if (level != kMean && lossless.bytes <= kCheapTileBytes) return lossless.bytes;
    return std::min(lossless.bytes, LossyBytes(index, level));
  }

  // What the tile takes at a level; more than any tile has where it cannot be written.
  std::uint32_t LossyBytes(std::uint32_t index, std::uint32_t level) {
    constexpr std::uint32_t kNone = ~0U;
    if (level == kLossless) return kNone;
    if (level == kMean) return MeanBytes();
    const auto bytes = static_cast<std::uint32_t>(levels_.CodeAt(level).bytes[index]);
    return bytes <= 1 + channels_ + kMaxPredictedExtra ? bytes : kNone;
  }

  const TileSliceJob& job_;
  const std::uint32_t channels_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  std::uint8_t* out_;
  std::uint8_t* at_;
  const std::uint8_t* last_ = nullptr;  // the last tile of the row that has bytes
  std::uint8_t last_entry_ = 0;
  TileRun run_ = {};
  std::uint32_t tiles_left_ = 0;
  std::uint64_t entries_left_ = 0;  // of the rows below
  std::uint64_t coarse_bytes_ = 0;
  std::uint64_t tile_bytes_ = 0;
  TileSliceSummary summary_;
  StripPlanes planes_;
  StripCode code_;
  StripLevels levels_;
  EdgeBuffer frame_edge_;
  EdgeBuffer reference_edge_;
};

// The finest coarse level that fits everywhere, then as much of the next finer one as fits too.
TileSliceSummary WriteWithinBudget(SliceWriter& writer, std::uint64_t budget_bytes) {
  TileSliceSummary summary = writer.Write({});
  if (budget_bytes == 0 || summary.bytes <= budget_bytes) return summary;
  for (std::uint32_t level = kLossless + 1; level <= kMean; ++level) {
    summary = writer.Write({level, level, 0});
    if (summary.bytes <= budget_bytes) return writer.Write({level - 1, level, writer.coarse_bytes()});
  }
  return summary;
}

}  // namespace

Result<TileSliceSummary> EncodeTileSlice(const TileSliceJob& job, std::span<std::byte> out) {
  if (auto refusal = RefusalOf(job, out.size())) return *std::move(refusal);
  SliceWriter writer(job, reinterpret_cast<std::uint8_t*>(out.data()));
  const TileSliceSummary summary = WriteWithinBudget(writer, job.budget_bytes);
  WriteSliceHeader(job, summary.bytes, summary.lossy_tiles, out);
  return summary;
}

}  // namespace tandem::codec
