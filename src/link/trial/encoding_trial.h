// Tries an encoding on the processor: its size, times and decoded picture.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "color/yuv.h"

namespace tandem::link {

enum class Encoding : std::uint8_t {
  kPacked,            // three bytes a pixel
  kTiles,             // lossless tiles
  kTilesHalf,         // tiles with a budget of half the lossless bytes
  kYuv420,            // NV12, nearest
  kYuv420Smooth,      // NV12, bilinear
  kYuv420Tiles,       // three planes, each in lossless tiles, nearest
  kYuv420FullChroma,  // kYuv420Tiles with up to an eighth of the tiles lossless
  kBlocks,            // BC1
};
inline constexpr Encoding kEncodings[] = {Encoding::kPacked,           Encoding::kTiles,        Encoding::kTilesHalf,
                                          Encoding::kYuv420,           Encoding::kYuv420Smooth, Encoding::kYuv420Tiles,
                                          Encoding::kYuv420FullChroma, Encoding::kBlocks};

// True if the encoding is in this build (TANDEM_YUV420).
[[nodiscard]] constexpr bool IsBuilt(Encoding encoding) {
  return color::kHasYuv420 || encoding < Encoding::kYuv420 || encoding == Encoding::kBlocks;
}

// ToString(LinkEncoding) for encodings that links use, else "tiles, half the bytes" and so on. Static storage.
[[nodiscard]] std::string_view ToString(Encoding encoding);

struct EncodingTrial {
  std::uint64_t bytes = 0;
  std::int64_t encode_ns = 0;  // the fastest of several
  std::int64_t decode_ns = 0;
  std::vector<std::byte> decoded;  // B8G8R8A8, rows without padding
};

// Precondition: IsBuilt(encoding).
[[nodiscard]] EncodingTrial TryEncoding(Encoding encoding, const color::Bgra8<const std::byte>& picture, Clock& clock);

}  // namespace tandem::link
