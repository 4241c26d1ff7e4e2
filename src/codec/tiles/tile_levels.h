// What each tile of a slice takes at the levels that a budget may bring it to. Internal to the module.
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

// Of a slice, with all its tiles at one level. Tiles are numbered row by row. Keeps its figures in the job's budget_room.
class SliceLevels {
 public:
  // `lossless`: the slice as it was written without loss, read here only.
  SliceLevels(const TileSliceJob& job, const std::uint8_t* lossless);

  struct Total {
    std::uint64_t bytes = 0;         // of the whole slice
    std::uint64_t better_bytes = 0;  // of all tiles that get better at the next finer level, repeated ones too
  };
  // Measures 1..kCoarsestDrop. What follows is known of levels that were measured, of kNothingDropped and of kMean.
  [[nodiscard]] Total Measure(std::uint32_t level);

  // The finest level of 1..kMean at which a slice of so many bytes seems to take `most` or less, by few of its tiles.
  [[nodiscard]] std::uint32_t Guess(std::uint64_t bytes, std::uint64_t most);

  // Total::better_bytes of kMean; kCoarsestDrop must have been measured.
  [[nodiscard]] std::uint64_t BetterBytesOfMeans() const;

  // The entry without loss; of repeated tiles that of the tile they repeat. kEntryUnchanged: of the reference.
  [[nodiscard]] std::uint8_t EntryOf(std::size_t tile) const { return entries_[tile]; }

  // Bits t: tile first + t of `count` is not the reference's.
  [[nodiscard]] std::uint32_t Changed(std::size_t first, std::uint32_t count) const {
    std::uint32_t changed = 0;
    for (std::uint32_t i = 0; i < count; ++i) changed |= (entries_[first + i] != kEntryUnchanged ? 1U : 0U) << i;
    return changed;
  }

  // What a tile that changed takes, as long as it is not held and not repeated.
  [[nodiscard]] std::uint32_t BytesAt(std::size_t tile, std::uint32_t level) const {
    if (level == kMean) return std::min(BytesAt(tile, kNothingDropped), MeanBytes());
    return bytes_less_one_[level][tile] + 1U;
  }

  // Whether it comes out as it does without loss.
  [[nodiscard]] bool IsLossless(std::size_t tile, std::uint32_t level) const {
    return BytesAt(tile, level) == BytesAt(tile, kNothingDropped);
  }

  // Whether the other side has as much of a tile as a level of dropped bits keeps, or more; never of kNothingDropped.
  [[nodiscard]] bool IsHeld(std::size_t tile, std::uint32_t level) const {
    return level != kNothingDropped && differing_[tile] >> kDroppedBits[level] == 0;
  }

  [[nodiscard]] std::uint32_t MeanBytes() const { return 1 + ChannelsOf(job_.content); }

  // Whether a tile, the one at column `x` of its row, comes out at 0..kCoarsestDrop as the last one did, or else is the last one
  // from now on.
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
  // Bits t: of a strip's tiles.
  struct StripKinds {
    std::uint32_t lossy = 0;  // loses bits at the level
    std::uint32_t same = 0;   // comes out as tile t - 1 if that loses bits or not as this one does; of bit 0 nothing is known
  };
  StripKinds MeasureStrip(const WholeStrip& samples, std::size_t first, std::uint32_t count, std::uint32_t changed,
                          std::uint32_t level);
  [[nodiscard]] bool IsAnyHeld(std::size_t first, std::uint32_t count, std::uint32_t level) const;

  const TileSliceJob& job_;
  const std::uint32_t across_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  std::uint8_t* entries_;
  std::uint8_t* same_;                               // bit l: at level l the same as the tile on its left
  std::uint8_t* differing_;                          // the bits in which samples differ from the reference's
  std::array<std::uint8_t*, kMean> bytes_less_one_;  // at each level, of 1..256
  EdgeBuffer edge_;
  EdgeBuffer reference_edge_;
};

}  // namespace tandem::codec
