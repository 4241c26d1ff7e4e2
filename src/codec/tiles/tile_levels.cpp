#include "codec/tiles/tile_levels.h"

#include <bit>
#include <cstring>

#include "codec/tiles/tile_samples.h"

namespace tandem::codec {
namespace {

constexpr std::size_t kFiguresPerTile = 3 + kMean;

// Smooth tiles have few bytes and show every lost bit. Up to this size they lose none, except that without room they lose all.
constexpr std::uint32_t kCheapTileBytes = 24;

}  // namespace

std::uint64_t TileBudgetRoomBytes(std::uint32_t width, std::uint32_t row_count) {
  return std::uint64_t{kFiguresPerTile} * TilesAcross(width) * row_count;
}

SliceLevels::SliceLevels(const TileSliceJob& job, const std::uint8_t* lossless)
    : job_(job), across_(TilesAcross(job.frame.width)) {
  const std::size_t tiles = std::size_t{across_} * job.row_count;
  auto* const room = reinterpret_cast<std::uint8_t*>(job.budget_room.data());
  entries_ = room;
  same_ = room + tiles;
  differing_ = room + 2 * tiles;
  for (std::uint32_t i = 0; i < kMean; ++i) bytes_less_one_[i] = room + (3 + i) * tiles;
  ReadEntries(lossless);
  std::memset(differing_, 0xFF, tiles);
  if (job.reference.samples == nullptr) return;
  for (std::uint32_t row = 0; row < job.row_count; ++row) CompareWithReference(row);
}

void SliceLevels::ReadEntries(const std::uint8_t* lossless) {
  const std::uint32_t channels = ChannelsOf(job_.content);
  const std::uint8_t* at = lossless + sizeof(TileSliceHeader) + 4 * std::size_t{job_.row_count};
  for (std::uint32_t row = 0; row < job_.row_count; ++row) {
    std::uint8_t* const entries = entries_ + std::size_t{across_} * row;
    std::uint8_t* const same = same_ + std::size_t{across_} * row;
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, lossless + sizeof(TileSliceHeader) + 4 * std::size_t{row}, sizeof(bytes));
    std::uint8_t* const less_one = bytes_less_one_[kNothingDropped] + std::size_t{across_} * row;
    std::uint8_t last = kEntryUnchanged;
    for (std::uint32_t x = 0; x < across_; ++x) {
      entries[x] = bytes == 0 ? kEntryUnchanged : at[x];
      same[x] = entries[x] == kEntryRepeated ? 1 : 0;
      if (entries[x] == kEntryRepeated) entries[x] = last;
      if (entries[x] != kEntryUnchanged) last = entries[x];
      less_one[x] = static_cast<std::uint8_t>(TileBytes(entries[x], channels) - 1);
    }
    at += bytes;
  }
}

void SliceLevels::CompareWithReference(std::uint32_t row) {
  for (std::uint32_t x = 0; x < across_; x += kStripTiles) {
    const std::uint32_t count = std::min(kStripTiles, across_ - x);
    const std::size_t first = std::size_t{across_} * row + x;
    if (Changed(first, count) == 0) continue;
    const WholeStrip samples(job_.frame, job_.content, x, job_.first_row + row, edge_);
    const WholeStrip held(job_.reference, job_.content, x, job_.first_row + row, reference_edge_);
    std::uint8_t bits[kStripTiles];
    strip_.differing(samples.data(), samples.pitch(), held.data(), held.pitch(), job_.content, bits);
    std::copy_n(bits, count, differing_ + first);
  }
}

SliceLevels::StripKinds SliceLevels::MeasureStrip(const WholeStrip& samples, std::size_t first, std::uint32_t count,
                                                  std::uint32_t changed, std::uint32_t level) {
  alignas(64) std::uint64_t bytes[kStripTiles];
  const std::uint32_t drop = kDroppedBits[level];
  const std::uint32_t same_dropped = strip_.sizes(samples.data(), samples.pitch(), job_.content, drop, changed, bytes);
  const std::uint64_t most = MeanBytes() + kMaxPredictedExtra;
  const std::uint8_t* const lossless = bytes_less_one_[kNothingDropped] + first;
  std::uint8_t* const less_one = bytes_less_one_[level] + first;
  std::uint8_t* const same = same_ + first;
  StripKinds kinds;
  std::uint32_t same_lossless = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t whole = lossless[i] + std::uint64_t{1};
    const bool is_lossy = whole > kCheapTileBytes && bytes[i] < whole && bytes[i] <= most;
    less_one[i] = static_cast<std::uint8_t>((is_lossy ? bytes[i] : whole) - 1);
    same_lossless |= (same[i] & 1U) << i;
    same[i] |= static_cast<std::uint8_t>((same_dropped >> i & 1) << level);
    kinds.lossy |= (is_lossy ? 1U : 0U) << i;
  }
  kinds.same = (kinds.lossy & same_dropped) | (~kinds.lossy & same_lossless);
  return kinds;
}

bool SliceLevels::IsAnyHeld(std::size_t first, std::uint32_t count, std::uint32_t level) const {
  if (job_.reference.samples == nullptr) return false;
  bool any = false;
  for (std::uint32_t i = 0; i < count; ++i) any = any || IsHeld(first + i, level);
  return any;
}

std::uint32_t SliceLevels::Guess(std::uint64_t bytes, std::uint64_t most) {
  constexpr std::uint32_t kEachStrip = 23;  // visits all columns for most widths
  constexpr std::uint32_t kFewStrips = 64;
  const std::uint32_t strips = (across_ + kStripTiles - 1) / kStripTiles;
  if (strips * job_.row_count < kFewStrips) return 1;
  std::array<std::uint64_t, kMean> seen{};
  for (std::uint32_t strip = 0; strip < strips * job_.row_count; strip += kEachStrip) {
    const std::uint32_t row = strip / strips;
    const std::uint32_t x = strip % strips * kStripTiles;
    const std::size_t first = std::size_t{across_} * row + x;
    const std::uint32_t count = std::min(kStripTiles, across_ - x);
    const std::uint32_t changed = Changed(first, count);
    if (changed == 0) continue;
    const WholeStrip samples(job_.frame, job_.content, x, job_.first_row + row, edge_);
    for (std::uint32_t level = 1; level <= kCoarsestDrop; ++level) MeasureStrip(samples, first, count, changed, level);
    for (std::uint32_t left = changed; left != 0; left &= left - 1) {
      const std::size_t tile = first + static_cast<std::uint32_t>(std::countr_zero(left));
      if ((same_[tile] & 1) != 0) continue;
      for (std::uint32_t level = kNothingDropped; level < kMean; ++level)
        seen[level] += IsHeld(tile, level) ? 0 : BytesAt(tile, level);
    }
  }
  std::uint32_t level = 1;
  while (level < kMean && bytes * seen[level] > most * seen[kNothingDropped]) ++level;
  return level;
}

SliceLevels::Total SliceLevels::Measure(std::uint32_t level) {
  Total total{sizeof(TileSliceHeader) + 4 * std::uint64_t{job_.row_count}, 0};
  for (std::uint32_t row = 0; row < job_.row_count; ++row) {
    LastTile last(job_.content);
    bool sends = false;
    std::uint64_t row_bytes = across_;
    for (std::uint32_t x = 0; x < across_; x += kStripTiles) {
      const std::size_t first = std::size_t{across_} * row + x;
      const std::uint32_t count = std::min(kStripTiles, across_ - x);
      const std::uint32_t changed = Changed(first, count);
      if (changed == 0) continue;
      const WholeStrip samples(job_.frame, job_.content, x, job_.first_row + row, edge_);
      const StripKinds kinds = MeasureStrip(samples, first, count, changed, level);
      const auto is_repeated = [&](std::uint32_t i) {
        return IsRepeated(first + i, x + i, samples.Tile(i, job_.content), level, last);
      };
      if (changed == (1U << count) - 1 && !IsAnyHeld(first, count, level)) {
        // Each tile follows the one on its left.
        const std::uint32_t first_repeated = is_repeated(0) ? 1 : 0;
        const std::uint32_t repeated = (~(kinds.lossy ^ kinds.lossy << 1) & kinds.same & ~1U) | first_repeated;
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint64_t bytes = BytesAt(first + i, level);
          total.better_bytes += bytes;
          row_bytes += (repeated >> i & 1) != 0 ? 0 : bytes;
        }
        sends = true;
        last.Forget();
        static_cast<void>(is_repeated(count - 1));
      } else {
        for (std::uint32_t left = changed; left != 0; left &= left - 1) {
          const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
          const std::uint32_t bytes = BytesAt(first + i, level);
          if (!IsHeld(first + i, level - 1)) total.better_bytes += bytes;
          if (IsHeld(first + i, level)) continue;
          sends = true;
          if (!is_repeated(i)) row_bytes += bytes;
        }
      }
      if (samples.IsCopy()) last.KeepSamples();
    }
    total.bytes += sends ? row_bytes : 0;
  }
  return total;
}

// Tiles that the decoder holds as well get no share of the bytes left.
std::uint64_t SliceLevels::BetterBytesOfMeans() const {
  std::uint64_t bytes = 0;
  for (std::size_t tile = 0; tile < std::size_t{across_} * job_.row_count; ++tile) {
    if (entries_[tile] != kEntryUnchanged && !IsHeld(tile, kCoarsestDrop)) bytes += BytesAt(tile, kMean);
  }
  return bytes;
}

}  // namespace tandem::codec
