// Size of each tile at the levels that a budget may bring it to. Internal to the module.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_edges.h"
#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_samples.h"

namespace tandem::codec {

// Sizes of a slice with all its tiles at one level. Tiles are numbered row by row. The figures stand in the job's budget_room.
class SliceLevels {
 public:
  // `lossless`: the slice as written without loss; read by the constructor only.
  SliceLevels(const TileSliceJob& job, const std::uint8_t* lossless);

  struct Total {
    std::uint64_t bytes = 0;         // whole slice
    std::uint64_t better_bytes = 0;  // all tiles that improve at the next finer level, repeated ones too
  };
  // Measures level 1..kCoarsestDrop. The functions below know measured levels, kNothingDropped and kMean.
  [[nodiscard]] Total Measure(std::uint32_t level);

  // Estimates, from few tiles, the finest level of 1..kMean at which a slice of `bytes` takes at most `most`.
  [[nodiscard]] std::uint32_t Guess(std::uint64_t bytes, std::uint64_t most);

  // Total::better_bytes of kMean. Precondition: kCoarsestDrop was measured.
  [[nodiscard]] std::uint64_t BetterBytesOfMeans() const;

  // Lossless entry of the tile; a repeated tile has that of the tile it repeats. kEntryUnchanged: the reference's tile.
  [[nodiscard]] std::uint8_t EntryOf(std::size_t tile) const { return entries_[tile]; }

  // Bit t: tile first + t of `count` differs from the reference.
  [[nodiscard]] std::uint32_t Changed(std::size_t first, std::uint32_t count) const {
    std::uint32_t changed = 0;
    for (std::uint32_t i = 0; i < count; ++i) changed |= (entries_[first + i] != kEntryUnchanged ? 1U : 0U) << i;
    return changed;
  }

  // Bytes of a changed tile at the level, if it is neither held nor repeated.
  [[nodiscard]] std::uint32_t BytesAt(std::size_t tile, std::uint32_t level) const {
    if (level == kMean) return std::min(BytesAt(tile, kNothingDropped), MeanBytes());
    return bytes_less_one_[level][tile] + 1U;
  }

  // True if the tile is lossless at the level.
  [[nodiscard]] bool IsLossless(std::size_t tile, std::uint32_t level) const {
    return BytesAt(tile, level) == BytesAt(tile, kNothingDropped);
  }

  // True if the decoder has at least the bits of the tile that the level keeps; always false for kNothingDropped.
  [[nodiscard]] bool IsHeld(std::size_t tile, std::uint32_t level) const {
    return level != kNothingDropped && differing_[tile] >> kDroppedBits[level] == 0;
  }

  [[nodiscard]] std::uint32_t MeanBytes() const { return 1 + ChannelsOf(job_.content); }

  // True if a tile at level 0..kCoarsestDrop repeats the last one; otherwise the tile becomes the last one. `x`: its column in
  // the row.
  [[nodiscard]] bool IsRepeated(std::size_t tile, std::uint32_t x, const TilePlace& place, std::uint32_t level,
                                LastTile& last) const {
    const std::uint32_t out_level = IsLossless(tile, level) ? kNothingDropped : level;
    if (out_level == kNothingDropped && entries_[tile] == kEntryPredicted)
      return last.IsRepeated(FirstColor(place, job_.content));
    const bool is_known = out_level == kNothingDropped || x % kStripTiles != 0;
    const std::uint32_t bytes = BytesAt(tile, level);
    return last.IsRepeated(place, out_level, bytes, is_known ? std::optional((same_[tile] >> out_level & 1) != 0) : std::nullopt,
                           x);
  }

 private:
  void ReadEntries(const std::uint8_t* lossless);
  void CompareWithReference(std::uint32_t row);
  // Masks of a strip's tiles; bit t: tile t.
  struct StripKinds {
    std::uint32_t lossy = 0;  // loses bits at the level
    std::uint32_t same = 0;   // equals tile t - 1 if both lose bits or neither does; bit 0 is undefined
  };
  StripKinds MeasureStrip(const WholeStrip& samples, std::size_t first, std::uint32_t count, std::uint32_t changed,
                          std::uint32_t level);
  [[nodiscard]] bool IsAnyHeld(std::size_t first, std::uint32_t count, std::uint32_t level) const;

  const TileSliceJob& job_;
  const std::uint32_t across_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  std::uint8_t* entries_;
  std::uint8_t* same_;                               // bit l: at level l equal to the tile on its left
  std::uint8_t* differing_;                          // bits in which samples differ from the reference's
  std::array<std::uint8_t*, kMean> bytes_less_one_;  // bytes at each level minus one, of 1..256
  EdgeBuffer edge_;
  EdgeBuffer reference_edge_;
};

}  // namespace tandem::codec
