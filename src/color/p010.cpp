#include "color/p010.h"

#include <algorithm>
#include <cstring>

#include "color/p010_rows.h"
#include "color/simd/p010_rows.h"

namespace tandem::color {
namespace {

template <class Encode>
void EncodeRows(const P010<std::byte>& to, const Rgb10<const std::byte>& from, YuvCoding coding, Encode&& encode) {
  const P010Weights& weights = P010WeightsOf(coding);
  for (std::uint64_t top = 0; top < from.height; top += 2) {
    const std::uint64_t bottom = std::min<std::uint64_t>(top + 1, from.height - 1);
    encode({from.pixels + top * from.pitch, from.pixels + bottom * from.pitch, to.y + top * to.y_pitch,
            to.y + bottom * to.y_pitch, to.uv + top / 2 * to.uv_pitch, from.width},
           weights);
  }
}

template <class Decode>
void DecodeRows(const Rgb10<std::byte>& to, const P010<const std::byte>& from, const P010Weights& weights, Decode&& decode) {
  for (std::uint64_t y = 0; y < to.height; ++y) {
    decode({from.y + y * from.y_pitch, from.uv + y / 2 * from.uv_pitch, to.pixels + y * to.pitch, to.width}, weights);
  }
}

std::int64_t SampleAt(const std::byte* from) {
  std::uint16_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word >> kP010Unused;
}

// The farther of the two chroma samples around `at`; the nearer one again without a filter.
std::uint32_t Further(std::uint32_t at, std::uint32_t count, ChromaFilter filter) {
  const std::uint32_t nearer = at / 2;
  if (filter == ChromaFilter::kNearest) return nearer;
  return at % 2 != 0 ? std::min(nearer + 1, count - 1) : nearer - (nearer != 0 ? 1 : 0);
}

// Decodes every range and filter; sums are times 16.
void DecodeSums(const Rgb10<std::byte>& to, const P010<const std::byte>& from, const P010Weights& w, ChromaFilter filter) {
  constexpr int kShift = kP010LumaShift + 4;
  const std::uint32_t across = ChromaExtent(to.width);
  const std::uint32_t down = ChromaExtent(to.height);
  for (std::uint32_t y = 0; y < to.height; ++y) {
    const std::byte* const near_row = from.uv + y / 2 * from.uv_pitch;
    const std::byte* const far_row = from.uv + Further(y, down, filter) * from.uv_pitch;
    for (std::uint32_t x = 0; x < to.width; ++x) {
      const std::uint64_t nearer = 4ULL * (x / 2);
      const std::uint64_t further = 4ULL * Further(x, across, filter);
      const auto chroma = [&](std::uint64_t channel) {
        const auto column = [&](std::uint64_t at) {
          return 3 * SampleAt(near_row + at + channel) + SampleAt(far_row + at + channel);
        };
        return 3 * column(nearer) + column(further) - 16 * kP010Middle;
      };
      const std::int64_t u = chroma(0);
      const std::int64_t v = chroma(2);
      const std::int64_t luma = 16 * (SampleAt(from.y + y * from.y_pitch + 2ULL * x) - w.luma_offset) * w.from_luma;
      const auto channel = [&](std::int64_t term) {
        const std::int64_t rounded = (luma + term + (std::int64_t{1} << (kShift - 1))) >> kShift;
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(rounded, 0, kP010Samples));
      };
      const std::uint32_t pixel =
          channel(v * w.red_v) | channel(u * w.green_u + v * w.green_v) << 10 | channel(u * w.blue_u) << 20 | 3U << 30;
      std::memcpy(to.pixels + y * to.pitch + 4ULL * x, &pixel, sizeof(pixel));
    }
  }
}

bool DecodesByTerms(YuvRange range, ChromaFilter filter) { return range == YuvRange::kFull && filter == ChromaFilter::kNearest; }

}  // namespace

void EncodeP010(const P010<std::byte>& to, const Rgb10<const std::byte>& from, YuvCoding coding) {
  EncodeRows(to, from, coding, simd::EncodeP010Rows);
}

void EncodeP010Reference(const P010<std::byte>& to, const Rgb10<const std::byte>& from, YuvCoding coding) {
  EncodeRows(to, from, coding, EncodeP010RowsReference);
}

void DecodeP010(const Rgb10<std::byte>& to, const P010<const std::byte>& from, YuvCoding coding, ChromaFilter filter) {
  const P010Weights& weights = P010WeightsOf(coding);
  if (!DecodesByTerms(coding.range, filter)) return DecodeSums(to, from, weights, filter);
  DecodeRows(to, from, weights, simd::DecodeP010Row);
}

void DecodeP010Reference(const Rgb10<std::byte>& to, const P010<const std::byte>& from, YuvCoding coding, ChromaFilter filter) {
  const P010Weights& weights = P010WeightsOf(coding);
  if (!DecodesByTerms(coding.range, filter)) return DecodeSums(to, from, weights, filter);
  DecodeRows(to, from, weights, DecodeP010RowReference);
}

}  // namespace tandem::color
