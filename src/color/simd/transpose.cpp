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
// Source columns and lines of the destination in one tile: few enough pages for the TLB, enough bytes in each page.
constexpr std::uint32_t kTileColumns = 64;
constexpr std::uint32_t kTileLines = 4;

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
HWY_INLINE void TransposeLine(const Geometry& g, std::uint32_t column, std::uint32_t row, Pixel /*pixel*/, Writes /*writes*/) {
  TransposeScalar<Pixel>(g, column, column + 4, row, row + kLineBytes / sizeof(Pixel));
}
#else
// Four columns of the source, 16 rows of each, become a line of four rows of the destination.
HWY_INLINE void TransposeLine(const Geometry& g, std::uint32_t column, std::uint32_t row, std::uint32_t /*pixel*/,
                              Writes writes) {
  const hn::CappedTag<std::uint32_t, 4> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  std::byte* const to = g.destination + std::int64_t{column} * g.destination_stride + 4 * std::int64_t{row};
  for (std::uint32_t i = 0; i < 16; i += 4) {
    const std::byte* const from = g.source + std::int64_t{row + i} * g.source_stride + 4 * std::int64_t{column};
    const auto load = [&](std::int64_t y) {
      return hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(from + y * g.source_stride));
    };
    const auto row0 = load(0), row1 = load(1), row2 = load(2), row3 = load(3);
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, row0, row1));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, row2, row3));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, row0, row1));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, row2, row3));
    std::byte* const at = to + 4 * i;
    Store(d, hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), at, writes);
    Store(d, hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), at + g.destination_stride, writes);
    Store(d, hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), at + 2 * g.destination_stride, writes);
    Store(d, hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), at + 3 * g.destination_stride, writes);
  }
}

// The same for pixels of 8 bytes: 8 rows fill a line.
HWY_INLINE void TransposeLine(const Geometry& g, std::uint32_t column, std::uint32_t row, std::uint64_t /*pixel*/,
                              Writes writes) {
  const hn::CappedTag<std::uint64_t, 2> d;
  for (std::uint32_t half = 0; half < 4; half += 2) {
    std::byte* const to = g.destination + std::int64_t{column + half} * g.destination_stride + 8 * std::int64_t{row};
    for (std::uint32_t i = 0; i < 8; i += 2) {
      const std::byte* const from = g.source + std::int64_t{row + i} * g.source_stride + 8 * std::int64_t{column + half};
      const auto row0 = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(from));
      const auto row1 = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(from + g.source_stride));
      Store(d, hn::InterleaveLower(d, row0, row1), to + 8 * i, writes);
      Store(d, hn::InterleaveUpper(d, row0, row1), to + 8 * i + g.destination_stride, writes);
    }
  }
}
#endif  // HWY_SCALAR

template <class Pixel>
void TransposeOf(const Geometry& g, std::uint32_t columns, std::uint32_t rows, Writes writes) {
  constexpr std::uint32_t kLinePixels = kLineBytes / sizeof(Pixel);
  // Rows of the destination begin at the same place in a line when they are aligned to lines at all.
  const bool aligned =
      g.destination_stride % kLineBytes == 0 && reinterpret_cast<std::uintptr_t>(g.destination) % sizeof(Pixel) == 0;
  if (!aligned) writes = Writes::kCached;
  const auto into_line = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(g.destination) % kLineBytes / sizeof(Pixel));
  const std::uint32_t head = HWY_MIN((kLinePixels - into_line) % kLinePixels, rows);
  const std::uint32_t lines_end = head + (rows - head) / kLinePixels * kLinePixels;
  const std::uint32_t quads_end = columns / 4 * 4;
  TransposeScalar<Pixel>(g, 0, columns, 0, head);
  for (std::uint32_t tile_row = head; tile_row < lines_end; tile_row += kTileLines * kLinePixels) {
    const std::uint32_t row_end = HWY_MIN(tile_row + kTileLines * kLinePixels, lines_end);
    for (std::uint32_t tile_column = 0; tile_column < quads_end; tile_column += kTileColumns) {
      const std::uint32_t column_end = HWY_MIN(tile_column + kTileColumns, quads_end);
      for (std::uint32_t row = tile_row; row < row_end; row += kLinePixels) {
        for (std::uint32_t column = tile_column; column < column_end; column += 4) TransposeLine(g, column, row, Pixel{}, writes);
      }
    }
  }
  TransposeScalar<Pixel>(g, quads_end, columns, head, lines_end);
  TransposeScalar<Pixel>(g, 0, columns, lines_end, rows);
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
