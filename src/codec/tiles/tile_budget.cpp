#include "codec/tiles/tile_budget.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_edges.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_levels.h"
#include "codec/tiles/tile_samples.h"
#include "codec/tiles/tile_writer.h"

namespace tandem::codec {
namespace {

// Writes all tiles at the coarse level, at which they fit, and as many as possible at the next finer one. These are spread
// evenly: a tile gets the finer level while the bytes, in proportion to those of the coarse level, keep to the budget.
class LossyWriter {
 public:
  LossyWriter(const TileSliceJob& job, const SliceLevels& levels, std::uint32_t coarse, std::uint64_t better_bytes,
              std::uint8_t* out)
      : job_(job),
        levels_(levels),
        coarse_(coarse),
        better_bytes_(better_bytes),
        out_(out),
        tiles_left_(TilesAcross(job.frame.width) * job.row_count),
        share_(job.budget_bytes - sizeof(TileSliceHeader) - 4 * std::uint64_t{job.row_count} - tiles_left_),
        last_(job.content) {}

  TileSliceSummary Write() {
    const std::uint32_t tiles = TilesAcross(job_.frame.width);
    WriteRows(job_, out_, at_, summary_, [&](std::uint32_t row, std::uint8_t* entries) {
      entries_left_ = std::uint64_t{tiles} * (job_.row_count - row - 1);
      last_.Forget();
      for (std::uint32_t tile = 0; tile < tiles; tile += kStripTiles) {
        WriteStrip(row, tile, std::min(kStripTiles, tiles - tile), entries + tile);
      }
    });
    return summary_;
  }

 private:
  // A strip and the decoder's copy of it.
  struct Strip {
    WholeStrip samples;
    std::optional<WholeStrip> held;
    std::uint32_t first_tile;  // tile of its row
    std::size_t first;         // tile of the slice
    bool has_means = false;
  };

  void WriteStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t count, std::uint8_t* entries) {
    const std::size_t first = std::size_t{TilesAcross(job_.frame.width)} * row + first_tile;
    const std::uint32_t changed = levels_.Changed(first, count);
    if (changed == 0) {
      std::fill_n(entries, count, kEntryUnchanged);
      summary_.unchanged_tiles += count;
      summary_.still_tiles += count;
      tiles_left_ -= count;
      return;
    }
    Strip strip{WholeStrip(job_.frame, job_.content, first_tile, job_.first_row + row, frame_edge_), {}, first_tile, first};
    if (job_.reference.samples != nullptr) {
      strip.held.emplace(job_.reference, job_.content, first_tile, job_.first_row + row, reference_edge_);
    }
    std::uint8_t* const begin = at_;
    LeveledTile tiles[kStripTiles];
    for (std::uint32_t i = 0; i < count; ++i) {
      --tiles_left_;
      if ((changed >> i & 1) != 0) tiles[i] = Choose(strip, i);
      if (tiles[i].entry == kEntryUnchanged) ++summary_.unchanged_tiles;
      if ((changed >> i & 1) == 0) ++summary_.still_tiles;
      entries[i] = tiles[i].entry;
    }
    if (strip.samples.IsCopy()) last_.KeepSamples();
    if (at_ != begin) WriteTiles(strip, tiles, begin);
  }

  // Chooses the form of a changed tile. It is left unchanged if the decoder holds it as well, so that others improve.
  LeveledTile Choose(Strip& strip, std::uint32_t index) {
    const std::size_t tile = strip.first + index;
    const bool is_mean_held = levels_.IsHeld(tile, kCoarsestDrop) || IsMeanHeld(strip, index);
    if (is_mean_held) ++summary_.still_tiles;
    const std::uint32_t level = LevelOf(tile);
    if (level == kMean ? is_mean_held : levels_.IsHeld(tile, level)) {
      ++summary_.lossy_tiles;
      return {};
    }
    LeveledTile chosen{levels_.EntryOf(tile), kNothingDropped, 0};
    const std::uint32_t bytes = levels_.BytesAt(tile, level);
    if (!levels_.IsLossless(tile, level)) {
      ++summary_.lossy_tiles;
      chosen.entry = PredictedEntry(bytes, ChannelsOf(job_.content));
      chosen.level = static_cast<std::uint8_t>(level);
    }
    if (chosen.level == kMean) chosen.color = MeanOf(strip, index);
    const TilePlace place = strip.samples.Tile(index, job_.content);
    if (chosen.level == kMean ? last_.IsRepeated(chosen.color)
                              : levels_.IsRepeated(tile, strip.first_tile + index, place, chosen.level, last_)) {
      ++summary_.repeated_tiles;
      return {kEntryRepeated, kNothingDropped, 0};
    }
    at_ += bytes;
    tile_bytes_ += bytes;
    return chosen;
  }

  std::uint32_t LevelOf(std::size_t tile) {
    const std::uint32_t fine = coarse_ - 1;
    // A tile that the decoder holds as well gets no share of the bytes left.
    if (levels_.IsHeld(tile, fine)) return coarse_;
    const std::uint32_t coarse_bytes = levels_.BytesAt(tile, coarse_);
    const std::uint32_t fine_bytes = levels_.BytesAt(tile, fine);
    passed_bytes_ += coarse_bytes;
    const std::uint64_t reserved = entries_left_ + std::uint64_t{tiles_left_} * levels_.MeanBytes();
    const std::uint64_t room = job_.budget_bytes - reserved - static_cast<std::uint64_t>(at_ - out_);
    if ((tile_bytes_ + fine_bytes) * better_bytes_ <= share_ * passed_bytes_ && fine_bytes <= room) return fine;
    return coarse_bytes <= room ? coarse_ : kMean;
  }

  // The cheap test for one colour comes first, because it rules out most tiles before the mean is made.
  [[nodiscard]] bool IsMeanHeld(Strip& strip, std::uint32_t index) {
    if (!strip.held) return false;
    const TilePlace held = strip.held->Tile(index, job_.content);
    return IsOneColor(held, job_.content) && FirstColor(held, job_.content) == MeanOf(strip, index);
  }

  std::uint32_t MeanOf(Strip& strip, std::uint32_t index) {
    if (!strip.has_means) {
      functions_.split(strip.samples.data(), strip.samples.pitch(), 0, job_.content, 0, planes_);
      functions_.means(planes_, ChannelsOf(job_.content), means_);
      strip.has_means = true;
    }
    return means_[index];
  }

  // Splits each tile that has bytes without the bits that its level drops.
  void SplitTiles(const WholeStrip& samples, const LeveledTile (&tiles)[kStripTiles]) {
    for (std::uint32_t level = kNothingDropped; level <= kCoarsestDrop; ++level) {
      const auto is_here = [level](const LeveledTile& tile) { return tile.entry > kEntryRepeated && tile.level == level; };
      if (std::ranges::none_of(tiles, is_here)) continue;
      functions_.split(samples.data(), samples.pitch(), 0, job_.content, kDroppedBits[level], level_planes_);
      for (std::uint32_t i = 0; i < kStripTiles; ++i) {
        if (!is_here(tiles[i])) continue;
        const std::size_t x = std::size_t{kTileExtent} * i;
        for (std::uint32_t c = 0; c < ChannelsOf(job_.content); ++c) {
          for (std::uint32_t y = 0; y < kTileExtent; ++y)
            std::memcpy(planes_.at[c][y] + x, level_planes_.at[c][y] + x, kTileExtent);
        }
      }
    }
  }

  void WriteTiles(const Strip& strip, const LeveledTile (&tiles)[kStripTiles], std::uint8_t* out) {
    const WholeStrip& samples = strip.samples;
    if (functions_.encode_levels != nullptr) {
      return functions_.encode_levels(samples.data(), samples.pitch(), job_.content, tiles, out);
    }
    SplitTiles(samples, tiles);
    const std::uint32_t channels = ChannelsOf(job_.content);
    functions_.predict(planes_, channels, code_);
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      const auto& [entry, level, color] = tiles[i];
      if (entry <= kEntryRepeated) continue;
      if (level == kMean) {
        WriteOneColor(color, out);
      } else if (level == kNothingDropped) {
        static_cast<void>(WriteTile(functions_, planes_, code_, channels, i, out));
      } else {
        functions_.write(code_, channels, i, level, out);
      }
      out += TileBytes(entry, channels);
    }
  }

  const TileSliceJob& job_;
  const SliceLevels& levels_;
  const StripFunctions& functions_ = simd::StripFunctionsHere();
  const std::uint32_t coarse_;
  const std::uint64_t better_bytes_;  // Total::better_bytes of the coarse level
  std::uint8_t* const out_;
  std::uint8_t* at_ = nullptr;
  std::uint32_t tiles_left_;
  const std::uint64_t share_;       // budget for the bytes of all tiles
  std::uint64_t entries_left_ = 0;  // entries of the rows below
  std::uint64_t passed_bytes_ = 0;  // part of better_bytes_ that belongs to tiles already chosen
  std::uint64_t tile_bytes_ = 0;
  LastTile last_;
  TileSliceSummary summary_;
  StripPlanes planes_ = {};
  StripPlanes level_planes_;
  StripCode code_;
  std::uint32_t means_[kStripTiles];
  EdgeBuffer frame_edge_;
  EdgeBuffer reference_edge_;
};

}  // namespace

TileSliceSummary WriteWithinBudget(const TileSliceJob& job, std::uint64_t bytes, std::uint8_t* out) {
  SliceLevels levels(job, out);
  std::array<std::optional<SliceLevels::Total>, kMean> totals;
  const auto fits = [&](std::uint32_t level) {
    if (level == kMean) return true;
    if (!totals[level]) totals[level] = levels.Measure(level);
    return totals[level]->bytes <= job.budget_bytes;
  };
  // Searches the finest level that fits, from the estimate on.
  std::uint32_t level = levels.Guess(bytes, job.budget_bytes);
  while (level > 1 && fits(level - 1)) --level;
  while (!fits(level)) ++level;
  const std::uint64_t better_bytes = level == kMean ? levels.BetterBytesOfMeans() : totals[level]->better_bytes;
  return LossyWriter(job, levels, level, better_bytes, out).Write();
}

}  // namespace tandem::codec
