#include "codec/tile_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "codec/simd/strip_functions.h"
#include "codec/tile_edges.h"
#include "codec/tile_reader.h"

namespace tandem::codec {
namespace {

class SliceReader {
 public:
  SliceReader(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
              const SampleSurface<const std::byte>& reference)
      : content_(static_cast<TileContent>(slice.header.content)),
        channels_(slice.header.content),
        frame_(frame),
        reference_(reference),
        end_(reinterpret_cast<const std::uint8_t*>(slice.bytes.data()) + slice.bytes.size()) {}

  // `entries` is null where the whole row is unchanged.
  void ReadRow(std::uint32_t row, const std::uint8_t* entries) {
    const std::uint32_t tiles = TilesAcross(frame_.width);
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
  struct Tile {
    const std::uint8_t* bytes = nullptr;
    std::uint8_t entry = kEntryUnchanged;
  };

  void ReadStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t count, const std::uint8_t* entries) {
    Tile tiles[kStripTiles];
    const std::uint8_t* predicted[kStripTiles] = {};
    std::uint32_t drops[kStripTiles] = {};
    std::uint32_t unchanged = 0;
    bool predicted_only = count == kStripTiles;
    const std::uint8_t* at = at_;
    Tile last = last_;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint8_t entry = entries[i];
      if (entry > kEntryRepeated) {
        last = {at, entry};
        at += TileBytes(entry, channels_);
      }
      tiles[i] = entry == kEntryUnchanged ? Tile{} : last;
      if (tiles[i].entry >= kEntryPredicted) {
        predicted[i] = WithSlack(tiles[i], i);
        drops[i] = kDroppedBits[tiles[i].bytes[0] >> 6];
        predicted_only = predicted_only && drops[i] == 0;
      } else {
        predicted_only = false;
        if (tiles[i].entry == kEntryUnchanged) unchanged |= 1U << i;
      }
    }
    at_ = at;
    last_ = last;
    const std::uint32_t all = (1U << count) - 1;
    if (unchanged != all) {
      strip_.read(predicted, channels_, code_);
      strip_.restore(code_, channels_, planes_);
      if (!predicted_only) ReadOthers(tiles, drops);
      WriteStrip(row, first_tile, all & ~unchanged);
    }
    if (unchanged != 0) KeepTiles(row, first_tile, unchanged);
  }

  // The bytes of the strip's tile `index`, where as many as are read behind them may be read.
  const std::uint8_t* WithSlack(Tile tile, std::uint32_t index) {
    const std::uint32_t bytes = TileBytes(tile.entry, channels_);
    if (static_cast<std::size_t>(end_ - tile.bytes) >= bytes + kTileReadSlack) return tile.bytes;
    std::memcpy(last_tiles_[index], tile.bytes, bytes);
    return last_tiles_[index];
  }

  void ReadOthers(const Tile (&tiles)[kStripTiles], const std::uint32_t (&drops)[kStripTiles]) {
    for (std::uint32_t i = 0; i < kStripTiles; ++i) {
      if (drops[i] != 0) UndoDrop(drops[i], channels_, i, planes_);
      const std::uint8_t entry = tiles[i].entry;
      if (entry == kEntryRaw) ReadRaw(tiles[i].bytes, channels_, i, planes_);
      if (entry >= kEntryPalette && entry < kEntryPredicted) ReadPalette(tiles[i].bytes, entry, channels_, i, planes_);
    }
  }

  // The planes to those tiles of the frame.
  void WriteStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t tiles) {
    std::byte* const place = StripPlace(frame_, content_, first_tile, row);
    if (tiles == (1U << kStripTiles) - 1 && ExtentWithin(frame_, first_tile, row).IsWhole()) {
      strip_.join(planes_, content_, place, frame_.pitch);
      return;
    }
    const std::uint64_t pitch = std::uint64_t{kStripWidth} * BytesPerSample(content_);
    strip_.join(planes_, content_, edge_.bytes, pitch);
    CopyTiles(row, first_tile, tiles, edge_.bytes, pitch);
  }

  void KeepTiles(std::uint32_t row, std::uint32_t first_tile, std::uint32_t tiles) {
    if (reference_.samples == frame_.samples) return;
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
  const std::uint8_t* at_ = nullptr;
  Tile last_;  // the last tile of the row that has bytes
  StripCode code_;
  StripPlanes planes_;
  EdgeBuffer edge_;
  std::uint8_t last_tiles_[kStripTiles][kTileSamples * kMaxChannels + kTileReadSlack] = {};
};

}  // namespace

void DecodeTileSlice(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
                     const SampleSurface<const std::byte>& reference) {
  const TileSliceHeader& header = slice.header;
  TANDEM_CHECK(frame.width == header.width && frame.height == header.height);
  TANDEM_CHECK(header.reference == 0 || (reference.width == header.width && reference.height == header.height));
  SliceReader reader(slice, frame, reference);
  const std::byte* const table = slice.bytes.data() + sizeof(header);
  const auto* at = reinterpret_cast<const std::uint8_t*>(table + 4 * std::size_t{header.row_count});
  for (std::uint32_t row = 0; row < header.row_count; ++row) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, table + 4 * std::size_t{row}, sizeof(bytes));
    reader.ReadRow(header.first_row + row, bytes == 0 ? nullptr : at);
    at += bytes;
  }
}

}  // namespace tandem::codec
