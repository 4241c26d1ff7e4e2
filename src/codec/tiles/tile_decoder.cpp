#include "codec/tiles/tile_decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_edges.h"
#include "color/copy.h"
#include "color/simd/stores.h"

namespace tandem::codec {
namespace {

// Reads a checked slice in pages that others may change: whatever it contains by now, accesses stay within slice and frame.
class SliceReader {
 public:
  SliceReader(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
              const SampleSurface<const std::byte>& reference)
      : content_(static_cast<TileContent>(slice.header.content)),
        channels_(slice.header.content),
        frame_(frame),
        reference_(reference),
        end_(reinterpret_cast<const std::uint8_t*>(slice.bytes.data()) + slice.bytes.size()),
        past_caches_(GoesPastCaches()) {}

  // `row_bytes` null: the whole row is unchanged.
  void ReadRow(std::uint32_t row, const std::byte* row_bytes) {
    const std::uint32_t tiles = TilesAcross(frame_.width);
    const auto* const entries = reinterpret_cast<const std::uint8_t*>(row_bytes);
    at_ = entries == nullptr ? nullptr : entries + tiles;
    last_ = {};
    for (std::uint32_t tile = 0; tile < tiles; tile += kStripTiles) {
      const std::uint32_t count = std::min(kStripTiles, tiles - tile);
      if (entries == nullptr) {
        KeepTiles(row, tile, (1U << count) - 1);
      } else {
        ReadStrip(row, tile, count, entries + tile);
      }
    }
  }

 private:
  // True for pixel frames too large for caches, which no code reads soon.
  [[nodiscard]] bool GoesPastCaches() const {
    constexpr std::uint64_t kLine = 64;
    return content_ != TileContent::kPlane8 && frame_.pitch * frame_.height >= color::kStreamingThresholdBytes &&
           (std::bit_cast<std::uintptr_t>(frame_.samples) | frame_.pitch) % kLine == 0;
  }

  void ReadStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t count, const std::uint8_t* entries) {
    CodedTile tiles[kStripTiles];
    std::uint32_t unchanged = 0;
    const std::uint8_t* at = at_;
    CodedTile last = last_;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint8_t entry = entries[i];
      if (TileBytes(entry, channels_) > static_cast<std::size_t>(end_ - at)) entry = kEntryUnchanged;
      if (entry > kEntryRepeated) {
        last = {at, entry};
        at += TileBytes(entry, channels_);
      }
      if (entry == kEntryUnchanged) {
        unchanged |= 1U << i;
      } else {
        tiles[i] = last;
      }
    }
    at_ = at;
    last_ = last;
    const std::uint32_t all = (1U << count) - 1;
    if (unchanged != all) {
      if (end_ - at < std::ptrdiff_t{kTileReadBytes}) CopyLastTiles(tiles);
      WriteStrip(row, first_tile, all & ~unchanged, tiles);
    }
    if (unchanged != 0) KeepTiles(row, first_tile, unchanged);
  }

  // Copies tiles near the slice's end, so that reads may run past them.
  void CopyLastTiles(CodedTile (&tiles)[kStripTiles]) {
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      if (tiles[i].bytes == nullptr) continue;
      const auto left = static_cast<std::size_t>(end_ - tiles[i].bytes);
      std::memcpy(last_tiles_[i], tiles[i].bytes, std::min<std::size_t>(left, kTileReadBytes));
      tiles[i].bytes = last_tiles_[i];
    }
  }

  // Decodes the tiles in `which` to the frame.
  void WriteStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t which, const CodedTile (&tiles)[kStripTiles]) {
    if (which == (1U << kStripTiles) - 1 && ExtentWithin(frame_, first_tile, row).IsWhole()) {
      strip_.decode(tiles, content_, StripPlace(frame_, content_, first_tile, row), frame_.pitch, past_caches_);
      return;
    }
    const std::uint64_t pitch = std::uint64_t{kStripWidth} * BytesPerSample(content_);
    strip_.decode(tiles, content_, edge_.bytes, pitch, false);
    CopyTiles(row, first_tile, which, edge_.bytes, pitch);
  }

  void KeepTiles(std::uint32_t row, std::uint32_t first_tile, std::uint32_t tiles) {
    if (reference_.samples == frame_.samples || reference_.samples == nullptr) return;
    CopyTiles(row, first_tile, tiles, StripPlace(reference_, content_, first_tile, row), reference_.pitch);
  }

  void CopyTiles(std::uint32_t row, std::uint32_t first_tile, std::uint32_t tiles, const std::byte* from, std::uint64_t pitch) {
    const StripExtent extent = ExtentWithin(frame_, first_tile, row);
    const std::size_t sample = BytesPerSample(content_);
    std::byte* const to = StripPlace(frame_, content_, first_tile, row);
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      if ((tiles >> i & 1) == 0) continue;
      const std::size_t x = std::size_t{i} * kTileExtent;
      const std::size_t bytes = std::min<std::size_t>(kTileExtent, extent.width - x) * sample;
      for (std::uint32_t y = 0; y < extent.height; ++y) {
        std::memcpy(to + y * frame_.pitch + x * sample, from + y * pitch + x * sample, bytes);
      }
    }
  }

  const TileContent content_;
  const std::uint32_t channels_;
  const SampleSurface<std::byte>& frame_;
  const SampleSurface<const std::byte>& reference_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  const std::uint8_t* const end_;
  const bool past_caches_;
  const std::uint8_t* at_ = nullptr;
  CodedTile last_;  // the last tile of the row that has bytes
  EdgeBuffer edge_;
  std::uint8_t last_tiles_[kStripTiles][kTileReadBytes] = {};
};

}  // namespace

void DecodeTileSlice(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
                     const SampleSurface<const std::byte>& reference) {
  const TileSliceHeader& header = slice.header;
  TANDEM_CHECK(frame.width == header.width && frame.height == header.height);
  TANDEM_CHECK(header.reference == 0 || (reference.width == header.width && reference.height == header.height));
  SliceReader reader(slice, frame, reference);
  const std::byte* const table = slice.bytes.data() + sizeof(header);
  std::uint64_t at = sizeof(header) + 4 * std::uint64_t{header.row_count};
  for (std::uint32_t row = 0; row < header.row_count; ++row) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, table + 4 * std::size_t{row}, sizeof(bytes));
    // Both passed the check, but other processes may have changed the pages since.
    const bool has_entries = bytes != 0 && at + TilesAcross(frame.width) <= slice.bytes.size();
    reader.ReadRow(header.first_row + row, has_entries ? slice.bytes.data() + at : nullptr);
    at += bytes;
  }
  color::simd::FenceStreams();
}

}  // namespace tandem::codec
