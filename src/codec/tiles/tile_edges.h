// Strips that extend beyond their surface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_samples.h"
#include "codec/tiles/tile_strip.h"

namespace tandem::codec {

struct EdgeBuffer {
  alignas(64) std::byte bytes[kTileExtent * kStripWidth * 4];
};

// Samples of a strip that lie within the surface.
struct StripExtent {
  std::uint32_t width, height;
  [[nodiscard]] bool IsWhole() const { return width == kStripWidth && height == kTileExtent; }
};

template <class Byte>
[[nodiscard]] StripExtent ExtentWithin(const SampleSurface<Byte>& surface, std::uint32_t first_tile, std::uint32_t row) {
  return {std::min(kStripWidth, surface.width - first_tile * kTileExtent),
          std::min(kTileExtent, surface.height - row * kTileExtent)};
}

template <class Byte>
[[nodiscard]] Byte* StripPlace(const SampleSurface<Byte>& surface, TileContent content, std::uint32_t first_tile,
                               std::uint32_t row) {
  return surface.samples + std::uint64_t{row} * kTileExtent * surface.pitch +
         std::uint64_t{first_tile} * kTileExtent * BytesPerSample(content);
}

// A strip as 64 x 8 samples: in the surface, or in the buffer with its last column and row repeated.
class WholeStrip {
 public:
  WholeStrip(const SampleSurface<const std::byte>& surface, TileContent content, std::uint32_t first_tile, std::uint32_t row,
             EdgeBuffer& buffer)
      : data_(StripPlace(surface, content, first_tile, row)), pitch_(surface.pitch) {
    const StripExtent extent = ExtentWithin(surface, first_tile, row);
    if (extent.IsWhole()) return;
    const std::size_t sample = BytesPerSample(content);
    const std::size_t pitch = kStripWidth * sample;
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      std::byte* const to = buffer.bytes + y * pitch;
      std::memcpy(to, data_ + std::min(y, extent.height - 1) * surface.pitch, extent.width * sample);
      for (std::uint32_t x = extent.width; x < kStripWidth; ++x)
        std::memcpy(to + x * sample, to + (extent.width - 1) * sample, sample);
    }
    data_ = buffer.bytes;
    pitch_ = pitch;
    is_copy_ = true;
  }

  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t pitch() const { return pitch_; }
  // True if the strip stands in the buffer, until that is filled again.
  [[nodiscard]] bool IsCopy() const { return is_copy_; }
  [[nodiscard]] TilePlace Tile(std::uint32_t index, TileContent content) const {
    return {data_ + std::size_t{kTileExtent} * BytesPerSample(content) * index, pitch_};
  }

 private:
  const std::byte* data_;
  std::uint64_t pitch_;
  bool is_copy_ = false;
};

}  // namespace tandem::codec
