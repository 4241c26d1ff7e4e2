// Reads samples of single tiles in place. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "codec/tiles/tile_format.h"

namespace tandem::codec {

// A tile in its surface, or in a strip that was made whole.
struct TilePlace {
  const std::byte* samples = nullptr;
  std::uint64_t pitch = 0;
};

// The word of 8 bytes from byte `x` of row `y` on; bytes without meaning are 0.
[[nodiscard]] inline std::uint64_t WordAt(const TilePlace& tile, TileContent content, std::uint32_t y, std::size_t x) {
  std::uint64_t word = 0;
  std::memcpy(&word, tile.samples + y * tile.pitch + x, sizeof(word));
  return content == TileContent::kBgrx8 ? word & 0x00FFFFFF00FFFFFFULL : word;
}

// The first sample, a byte for each channel in the form of planes.
[[nodiscard]] inline std::uint32_t FirstColor(const TilePlace& tile, TileContent content) {
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(tile.samples[i]); };
  if (content == TileContent::kPlane8) return byte(0);
  const std::uint32_t color = byte(1) | ((byte(0) - byte(1)) & 0xFF) << 8 | ((byte(2) - byte(1)) & 0xFF) << 16;
  return content == TileContent::kBgra8 ? color | byte(3) << 24 : color;
}

[[nodiscard]] inline bool IsOneColor(const TilePlace& tile, TileContent content) {
  const std::uint64_t first = WordAt(tile, content, 0, 0);
  const std::uint64_t all = content == TileContent::kPlane8 ? (first & 0xFF) * kEveryByte : (first & 0xFFFFFFFF) * 0x100000001ULL;
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    for (std::size_t x = 0; x < std::size_t{kTileExtent} * BytesPerSample(content); x += 8) {
      if (WordAt(tile, content, y, x) != all) return false;
    }
  }
  return true;
}

// The bits in which samples differ, or-ed. Stops at the first difference that no level drops, so later bits may be missing.
[[nodiscard]] inline std::uint32_t DifferingBits(const TilePlace& a, const TilePlace& b, TileContent content) {
  constexpr std::uint64_t kNeverDropped = (0xFFU << kDroppedBits[kCoarsestDrop] & 0xFFU) * kEveryByte;
  std::uint64_t bits = 0;
  for (std::uint32_t y = 0; y < kTileExtent && (bits & kNeverDropped) == 0; ++y) {
    for (std::size_t x = 0; x < std::size_t{kTileExtent} * BytesPerSample(content); x += 8) {
      bits |= WordAt(a, content, y, x) ^ WordAt(b, content, y, x);
    }
  }
  bits |= bits >> 32;
  bits |= bits >> 16;
  return static_cast<std::uint8_t>(bits | bits >> 8);
}

// The last tile of a row that has bytes.
class LastTile {
 public:
  explicit LastTile(TileContent content) : content_(content) {}

  // True if the tile at `level` kNothingDropped..kCoarsestDrop, in `bytes`, decodes like the last one. Otherwise it becomes the
  // last one, and its samples must stay in place until KeepSamples(). `x`: its column in the row. `same_as_before`: it equals
  // the tile on its left at that level; empty: unknown.
  [[nodiscard]] bool IsRepeated(const TilePlace& tile, std::uint32_t level, std::uint32_t bytes,
                                std::optional<bool> same_as_before, std::uint32_t x) {
    const bool same = level_ == level && bytes_ == bytes && (x == x_ + 1 && same_as_before ? *same_as_before : IsLike(tile));
    tile_ = tile;
    level_ = level;
    bytes_ = bytes;
    x_ = x;
    return same;
  }

  // For a tile that decodes to one colour; otherwise as above.
  [[nodiscard]] bool IsRepeated(std::uint32_t color) {
    if (level_ == kMean && color_ == color) return true;
    level_ = kMean;
    color_ = color;
    return false;
  }

  // Begins another row.
  void Forget() { level_ = kNone; }

  void KeepSamples() {
    if (level_ >= kMean || tile_.samples == kept_) return;
    const std::size_t row_bytes = std::size_t{kTileExtent} * BytesPerSample(content_);
    for (std::uint32_t y = 0; y < kTileExtent; ++y)
      std::memcpy(kept_ + y * row_bytes, tile_.samples + y * tile_.pitch, row_bytes);
    tile_ = {kept_, row_bytes};
  }

 private:
  static constexpr std::uint32_t kNone = kMean + 1;

  [[nodiscard]] bool IsLike(const TilePlace& tile) const {
    return DifferingBits(tile, tile_, content_) >> kDroppedBits[level_] == 0;
  }

  const TileContent content_;
  std::uint32_t level_ = kNone;  // kMean: one colour, lossless or not
  std::uint32_t bytes_ = 0;
  std::uint32_t color_ = 0;
  std::uint32_t x_ = 0;
  TilePlace tile_;
  std::byte kept_[kTileSamples * 4];
};

}  // namespace tandem::codec
