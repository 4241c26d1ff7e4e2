// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/transpose.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/transpose.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Geometry = TransposeGeometry;

constexpr std::uint32_t kLineBytes = 64;
// Extent of a tile: source columns, which become destination rows, and cache lines of each row.
constexpr std::uint32_t kTileColumns = 64;
constexpr std::uint32_t kTileLines = 2;

template <class Pixel>
HWY_INLINE void TransposeScalar(const Geometry& g, std::uint32_t first_column, std::uint32_t end_column, std::uint32_t first_row,
                                std::uint32_t end_row) {
  for (std::uint32_t k = first_column; k < end_column; ++k) {
    std::byte* const to = g.destination + std::int64_t{k} * g.destination_stride;
    for (std::uint32_t c = first_row; c < end_row; ++c) {
      std::memcpy(to + sizeof(Pixel) * c, g.source + std::int64_t{c} * g.source_stride + sizeof(Pixel) * k, sizeof(Pixel));
    }
  }
}

template <class D, class V>
HWY_INLINE void Store(D d, V v, std::byte* to, Writes writes) {
  auto* const lanes = reinterpret_cast<hn::TFromD<D>*>(to);  // StoreU takes any alignment
  if (writes == Writes::kPastCaches) {
    hn::Stream(v, d, lanes);
  } else {
    hn::StoreU(v, d, lanes);
  }
}

#if HWY_TARGET == HWY_SCALAR
template <class Pixel>
constexpr std::uint32_t kBlock = 4;
template <class Pixel>
HWY_INLINE void TransposeBlock(const Geometry& g, Pixel /*pixel*/) {
  TransposeScalar<Pixel>(g, 0, kBlock<Pixel>, 0, kBlock<Pixel>);
}
#else
HWY_INLINE void TransposeQuad(const Geometry& g, std::uint32_t /*pixel*/) {
  const hn::CappedTag<std::uint32_t, 4> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto load = [&](std::int64_t y) {
    return hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(g.source + y * g.source_stride));
  };
  const auto store = [&](std::int64_t k, auto pixels) {
    hn::StoreU(hn::BitCast(d, pixels), d, reinterpret_cast<std::uint32_t*>(g.destination + k * g.destination_stride));
  };
  const auto row0 = load(0), row1 = load(1), row2 = load(2), row3 = load(3);
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, row0, row1));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, row2, row3));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, row0, row1));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, row2, row3));
  store(0, hn::InterleaveLower(d64, low01, low23));
  store(1, hn::InterleaveUpper(d64, low01, low23));
  store(2, hn::InterleaveLower(d64, high01, high23));
  store(3, hn::InterleaveUpper(d64, high01, high23));
}

HWY_INLINE void TransposeQuad(const Geometry& g, std::uint64_t /*pixel*/) {
  const hn::CappedTag<std::uint64_t, 2> d;
  const auto load = [&](std::int64_t y, std::int64_t x) {
    return hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(g.source + y * g.source_stride + 8 * x));
  };
  const auto store = [&](std::int64_t k, std::int64_t c, auto pixels) {
    hn::StoreU(pixels, d, reinterpret_cast<std::uint64_t*>(g.destination + k * g.destination_stride + 8 * c));
  };
  for (std::int64_t y = 0; y < 4; y += 2) {
    for (std::int64_t x = 0; x < 4; x += 2) {
      const auto row0 = load(y, x), row1 = load(y + 1, x);
      store(x, y, hn::InterleaveLower(d, row0, row1));
      store(x + 1, y, hn::InterleaveUpper(d, row0, row1));
    }
  }
}

// Extent of the blocks transposed at once: eight pixels if a vector holds as many.
template <class Pixel>
constexpr std::uint32_t kBlock = sizeof(Pixel) == 4 && hn::MaxLanes(hn::CappedTag<std::uint32_t, 8>()) == 8 ? 8 : 4;

template <class Pixel>
HWY_INLINE void TransposeBlock(const Geometry& g, Pixel pixel) {
  if constexpr (kBlock<Pixel> == 8) {
    const hn::CappedTag<std::uint32_t, 8> d;
    const hn::Repartition<std::uint64_t, decltype(d)> d64;
    using V = hn::Vec<decltype(d)>;
    // Quarter i contains columns i and i + 4 of four rows in its halves.
    struct Quarters {
      V quarter[4];
    };
    const auto turn = [&](std::int64_t y) {
      const auto load = [&](std::int64_t row) {
        return hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(g.source + row * g.source_stride));
      };
      const V row0 = load(y), row1 = load(y + 1), row2 = load(y + 2), row3 = load(y + 3);
      const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, row0, row1));
      const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, row2, row3));
      const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, row0, row1));
      const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, row2, row3));
      return Quarters{
          {hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)),
           hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23))}};
    };
    const Quarters upper = turn(0), lower = turn(4);
    const auto store = [&](std::int64_t k, V pixels) {
      hn::StoreU(pixels, d, reinterpret_cast<std::uint32_t*>(g.destination + k * g.destination_stride));
    };
    for (std::int64_t i = 0; i < 4; ++i) {
      store(i, hn::ConcatLowerLower(d, lower.quarter[i], upper.quarter[i]));
      store(i + 4, hn::ConcatUpperUpper(d, lower.quarter[i], upper.quarter[i]));
    }
  } else {
    TransposeQuad(g, pixel);
  }
}
#endif  // HWY_SCALAR

// Transposes rows that fill no destination cache line, in blocks as far as possible, then pixel by pixel.
template <class Pixel>
void TransposeEdge(const Geometry& g, std::uint32_t columns, std::uint32_t first_row, std::uint32_t end_row) {
  constexpr std::uint32_t kExtent = kBlock<Pixel>;
  const std::uint32_t blocks_end = columns / kExtent * kExtent;
  std::uint32_t row = first_row;
  for (; row + kExtent <= end_row; row += kExtent) {
    for (std::uint32_t x = 0; x < blocks_end; x += kExtent) {
      TransposeBlock(
          {g.destination + std::int64_t{x} * g.destination_stride + std::int64_t{row} * std::int64_t{sizeof(Pixel)},
           g.destination_stride, g.source + std::int64_t{row} * g.source_stride + std::int64_t{x} * std::int64_t{sizeof(Pixel)},
           g.source_stride},
          Pixel{});
    }
    TransposeScalar<Pixel>(g, blocks_end, columns, row, row + kExtent);
  }
  TransposeScalar<Pixel>(g, 0, columns, row, end_row);
}

// Transposes a tile in the cache and writes it in bursts of whole cache lines; no line is written in pieces.
template <class Pixel>
void TransposeTile(const Geometry& g, std::uint32_t column, std::uint32_t row, std::uint32_t lines, Writes writes) {
  const hn::CappedTag<std::uint8_t, kLineBytes> d;
  HWY_ALIGN std::byte turned[kTileColumns * kTileLines * kLineBytes];
  const std::int64_t turned_stride = kTileLines * kLineBytes;
  const std::uint32_t rows = lines * kLineBytes / static_cast<std::uint32_t>(sizeof(Pixel));
  const std::byte* const from =
      g.source + std::int64_t{row} * g.source_stride + std::int64_t{column} * std::int64_t{sizeof(Pixel)};
  for (std::uint32_t y = 0; y < rows; y += kBlock<Pixel>) {
    // Prefetches the next tile of these rows, because the run is too short for the hardware to predict.
    for (std::uint32_t ahead = 0; ahead < kBlock<Pixel>; ++ahead) {
      const std::byte* const next = from + std::int64_t{y + ahead} * g.source_stride + kTileColumns * sizeof(Pixel);
      for (std::uint32_t i = 0; i < kTileColumns * sizeof(Pixel); i += kLineBytes) hwy::Prefetch(next + i);
    }
    for (std::uint32_t x = 0; x < kTileColumns; x += kBlock<Pixel>) {
      TransposeBlock({turned + x * turned_stride + y * sizeof(Pixel), turned_stride,
                      from + std::int64_t{y} * g.source_stride + x * sizeof(Pixel), g.source_stride},
                     Pixel{});
    }
  }
  for (std::uint32_t x = 0; x < kTileColumns; ++x) {
    std::byte* const to =
        g.destination + std::int64_t{column + x} * g.destination_stride + std::int64_t{row} * std::int64_t{sizeof(Pixel)};
    const std::byte* const line = turned + x * turned_stride;
    for (std::uint32_t i = 0; i < lines * kLineBytes; i += static_cast<std::uint32_t>(hn::Lanes(d))) {
      Store(d, hn::Load(d, reinterpret_cast<const std::uint8_t*>(line + i)), to + i, writes);
    }
  }
}

template <class Pixel>
void TransposeOf(const Geometry& g, std::uint32_t columns, std::uint32_t rows, Writes writes) {
  constexpr std::uint32_t kLinePixels = kLineBytes / sizeof(Pixel);
  // Destination rows start at equal places within a cache line if the stride is aligned to lines.
  const auto address = reinterpret_cast<std::uintptr_t>(g.destination);
  if (g.destination_stride % kLineBytes != 0 || address % sizeof(Pixel) != 0) writes = Writes::kCached;
  const auto into_line = static_cast<std::uint32_t>(address % kLineBytes / sizeof(Pixel));
  const std::uint32_t head = HWY_MIN((kLinePixels - into_line) % kLinePixels, rows);
  const std::uint32_t lines = (rows - head) / kLinePixels;
  const std::uint32_t lines_end = head + lines * kLinePixels;
  const std::uint32_t tiles_end = columns / kTileColumns * kTileColumns;
  TransposeEdge<Pixel>(g, columns, 0, head);
  for (std::uint32_t line = 0; line < lines; line += kTileLines) {
    for (std::uint32_t column = 0; column < tiles_end; column += kTileColumns) {
      TransposeTile<Pixel>(g, column, head + line * kLinePixels, HWY_MIN(kTileLines, lines - line), writes);
    }
  }
  TransposeScalar<Pixel>(g, tiles_end, columns, head, lines_end);
  TransposeEdge<Pixel>(g, columns, lines_end, rows);
  if (writes == Writes::kPastCaches) hwy::FlushStream();
}

void Transpose(const Geometry& g, std::uint32_t columns, std::uint32_t rows, std::uint32_t pixel_bytes, Writes writes) {
  if (pixel_bytes == 4) {
    TransposeOf<std::uint32_t>(g, columns, rows, writes);
  } else {
    TransposeOf<std::uint64_t>(g, columns, rows, writes);
  }
}

template <class Pixel>
void ReverseRow(std::byte* destination, const std::byte* source, std::uint32_t width, Writes writes) {
  const hn::CappedTag<Pixel, kLineBytes / sizeof(Pixel)> d;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto scalar = [&](std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t x = first; x < end; ++x) {
      std::memcpy(destination + sizeof(Pixel) * x, source + sizeof(Pixel) * (width - 1 - x), sizeof(Pixel));
    }
  };
  const auto address = reinterpret_cast<std::uintptr_t>(destination);
  if (address % sizeof(Pixel) != 0) writes = Writes::kCached;
  const auto into_line = static_cast<std::uint32_t>(address % kLineBytes / sizeof(Pixel));
  std::uint32_t x = HWY_MIN((kLineBytes / static_cast<std::uint32_t>(sizeof(Pixel)) - into_line) %
                                (kLineBytes / static_cast<std::uint32_t>(sizeof(Pixel))),
                            width);
  scalar(0, x);
  for (; x + lanes <= width; x += lanes) {
    const auto* from = reinterpret_cast<const Pixel*>(source + sizeof(Pixel) * (width - x - lanes));
    Store(d, hn::Reverse(d, hn::LoadU(d, from)), destination + sizeof(Pixel) * x, writes);
  }
  scalar(x, width);
}

void Reverse(const Geometry& g, std::uint32_t width, std::uint32_t rows, std::uint32_t pixel_bytes, Writes writes) {
  for (std::uint32_t y = 0; y < rows; ++y) {
    std::byte* const to = g.destination + std::int64_t{y} * g.destination_stride;
    const std::byte* const from = g.source + std::int64_t{y} * g.source_stride;
    if (pixel_bytes == 4) {
      ReverseRow<std::uint32_t>(to, from, width, writes);
    } else {
      ReverseRow<std::uint64_t>(to, from, width, writes);
    }
  }
  if (writes == Writes::kPastCaches) hwy::FlushStream();
}

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(Transpose);
HWY_EXPORT(Reverse);

void TransposePixels(const TransposeGeometry& geometry, std::uint32_t source_columns, std::uint32_t source_rows,
                     std::uint32_t pixel_bytes, Writes writes) {
  HWY_DYNAMIC_DISPATCH(Transpose)(geometry, source_columns, source_rows, pixel_bytes, writes);
}

void ReversePixels(const TransposeGeometry& geometry, std::uint32_t width, std::uint32_t rows, std::uint32_t pixel_bytes,
                   Writes writes) {
  HWY_DYNAMIC_DISPATCH(Reverse)(geometry, width, rows, pixel_bytes, writes);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
