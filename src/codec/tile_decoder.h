// Undoes tile_encoder.h. A slice comes from outside: it is checked as a whole before the first sample is written.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/limits.h"
#include "base/result.h"
#include "codec/tile_encoder.h"
#include "codec/tile_format.h"

namespace tandem::codec {

// A slice that was sound. Decoding it reads and writes only what belongs to it, even when its bytes have changed since: then the
// picture is wrong, nothing else.
struct CheckedTileSlice {
  TileSliceHeader header;
  std::span<const std::byte> bytes;
};

// Checks sizes, entries, tiles and the checksum. kInvalidArgument with what is wrong.
[[nodiscard]] Result<CheckedTileSlice> CheckTileSlice(std::span<const std::byte> bytes);

// Writes the samples of the slice's rows. `frame` has the header's size and content; `reference` the samples of the header's
// reference frame: it may be `frame` itself, and is not read when the header names none. Cannot fail, allocates nothing; slices
// of one frame may be decoded on several threads at once.
void DecodeTileSlice(const CheckedTileSlice& slice, const SampleSurface<std::byte>& frame,
                     const SampleSurface<const std::byte>& reference);

// Which frames and slices may follow each other: keeps out what comes twice, too late or out of order. One thread.
class TileSequence {
 public:
  TileSequence(TileContent content, std::uint32_t width, std::uint32_t height);

  // Whether the slice may be decoded now; it counts as decoded from then on. Its frame is the one under way or, when none is, a
  // newer one than that which is held; it refers to the held one or to none; none of its rows was there before. kInvalidArgument
  // otherwise, and nothing has changed.
  [[nodiscard]] Result<void> Admit(const TileSliceHeader& header);

  // All rows of the frame under way are there: it is the held one from now on.
  [[nodiscard]] bool FinishIfComplete();

  // Gives the frame under way up. When it was decoded over the reference, nothing is held any more.
  enum class Held : std::uint8_t { kIntact, kOverwritten };
  void Abandon(Held held);

  [[nodiscard]] std::uint64_t held_frame() const { return held_; }  // 0: none
  [[nodiscard]] std::uint64_t frame_under_way() const { return under_way_; }

 private:
  const TileContent content_;
  const std::uint32_t width_;
  const std::uint32_t height_;
  std::uint64_t held_ = 0;
  std::uint64_t newest_ = 0;
  std::uint64_t under_way_ = 0;
  std::uint64_t reference_ = 0;  // of the frame under way
  std::uint32_t rows_there_ = 0;
  std::bitset<kMaxSurfaceExtent / kTileExtent> rows_;
};

}  // namespace tandem::codec
