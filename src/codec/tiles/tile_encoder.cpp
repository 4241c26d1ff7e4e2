#include "codec/tiles/tile_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_budget.h"
#include "codec/tiles/tile_edges.h"
#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_job.h"
#include "codec/tiles/tile_samples.h"
#include "codec/tiles/tile_writer.h"

namespace tandem::codec {
namespace {

// Codes the rows of one slice without loss.
class SliceWriter {
 public:
  SliceWriter(const TileSliceJob& job, std::uint8_t* out) : job_(job), channels_(ChannelsOf(job.content)), out_(out) {}

  TileSliceSummary Write() {
    WriteRows(job_, out_, at_, summary_, [&](std::uint32_t row, std::uint8_t* entries) {
      const std::uint32_t tiles = TilesAcross(job_.frame.width);
      last_ = nullptr;
      run_.any = false;
      if (IsWhollyUnchanged(job_.first_row + row)) {
        summary_.unchanged_tiles += tiles;
        summary_.still_tiles += tiles;
        return;
      }
      for (std::uint32_t tile = 0; tile < tiles; tile += kStripTiles) {
        WriteStrip(job_.first_row + row, tile, std::min(kStripTiles, tiles - tile), entries + tile);
      }
    });
    return summary_;
  }

 private:
  // True if a tile row equals the reference's. Compares along the rows of samples, at the speed of memory, and stops at the
  // first difference.
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

  void WriteStrip(std::uint32_t row, std::uint32_t first_tile, std::uint32_t count, std::uint8_t* entries) {
    const WholeStrip samples(job_.frame, job_.content, first_tile, row, frame_edge_);
    std::optional<WholeStrip> held;
    const std::uint32_t all = (1U << count) - 1;
    std::uint32_t changed = all;
    if (job_.reference.samples != nullptr) {
      held.emplace(job_.reference, job_.content, first_tile, row, reference_edge_);
      changed &= strip_.changed(samples.data(), samples.pitch(), held->data(), held->pitch(), BytesPerSample(job_.content),
                                RowsAhead(row));
    }
    const std::uint32_t unchanged = count - static_cast<std::uint32_t>(std::popcount(changed));
    summary_.unchanged_tiles += unchanged;
    summary_.still_tiles += unchanged;
    if (changed == all && strip_.is_one_color(samples.data(), samples.pitch(), RowsAhead(row) * job_.frame.pitch, job_.content)) {
      return WriteOneColored(samples, row, count, entries);
    }
    if (strip_.encode != nullptr) return WriteAtOnce(samples, row, count, changed, entries);
    if (changed != 0) {
      strip_.split(samples.data(), samples.pitch(), RowsAhead(row) * job_.frame.pitch, job_.content, 0, planes_);
      strip_.predict(planes_, channels_, code_);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      entries[i] = (changed >> i & 1) == 0 ? kEntryUnchanged : Keep(WriteTile(strip_, planes_, code_, channels_, i, at_));
    }
  }

  // Writes a strip of one colour: every tile but the first repeats the one before.
  void WriteOneColored(const WholeStrip& samples, std::uint32_t row, std::uint32_t count, std::uint8_t* entries) {
    if (strip_.encode != nullptr) {
      WriteAtOnce(samples, row, 1, 1, entries);
    } else {
      WriteOneColor(FirstColor(samples.Tile(0, job_.content), job_.content), at_);
      entries[0] = Keep({kEntryPredicted, 1 + channels_});
    }
    std::fill_n(entries + 1, count - 1, kEntryRepeated);
    summary_.repeated_tiles += count - 1;
  }

  void WriteAtOnce(const WholeStrip& samples, std::uint32_t row, std::uint32_t count, std::uint32_t changed,
                   std::uint8_t* entries) {
    std::fill_n(entries, count, kEntryUnchanged);
    if (changed == 0) return;
    run_.at = at_;
    run_.repeated = 0;
    strip_.encode(samples.data(), samples.pitch(), RowsAhead(row) * job_.frame.pitch, job_.content, changed, entries, run_);
    summary_.repeated_tiles += run_.repeated;
    at_ = run_.at;
  }

  // Distance in rows to the tile row below; 0 if that lacks samples.
  [[nodiscard]] std::uint64_t RowsAhead(std::uint32_t row) const {
    return (row + 2) * kTileExtent <= job_.frame.height ? kTileExtent : 0;
  }

  // Returns the entry. Keeps the tile's bytes unless they repeat the last ones.
  std::uint8_t Keep(WrittenTile tile) {
    if (last_ != nullptr && last_entry_ == tile.entry && std::memcmp(last_, at_, tile.bytes) == 0) {
      ++summary_.repeated_tiles;
      return kEntryRepeated;
    }
    last_ = at_;
    last_entry_ = tile.entry;
    at_ += tile.bytes;
    return tile.entry;
  }

  const TileSliceJob& job_;
  const std::uint32_t channels_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  std::uint8_t* out_;
  std::uint8_t* at_ = nullptr;
  const std::uint8_t* last_ = nullptr;  // the last tile of the row that has bytes
  std::uint8_t last_entry_ = 0;
  TileRun run_ = {};
  TileSliceSummary summary_;
  StripPlanes planes_;
  StripCode code_;
  EdgeBuffer frame_edge_;
  EdgeBuffer reference_edge_;
};

}  // namespace

Result<TileSliceSummary> EncodeTileSlice(const TileSliceJob& job, std::span<std::byte> out) {
  if (auto refusal = RefusalOf(job, out.size())) return *std::move(refusal);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(out.data());
  TileSliceSummary summary = SliceWriter(job, bytes).Write();
  if (job.budget_bytes != 0 && summary.bytes > job.budget_bytes) summary = WriteWithinBudget(job, summary.bytes, bytes);
  WriteSliceHeader(job, summary.bytes, summary.lossy_tiles, out);
  return summary;
}

}  // namespace tandem::codec
