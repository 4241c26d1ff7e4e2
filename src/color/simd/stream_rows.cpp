// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/stream_rows.h"

#include <cstring>

#include "color/simd/stores.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/stream_rows.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint64_t kBurstBytes = 256;  // bytes written to a row before the next row's turn
constexpr std::uint64_t kRowsTogether = 4;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kLineBytes = 64;

// Writes kBurstBytes past the caches. Precondition: the destination is aligned to a cache line.
HWY_INLINE void StreamBurst(std::byte* destination, const std::byte* source) {
  const hn::CappedTag<std::uint8_t, kLineBytes> d;
  auto* to = reinterpret_cast<std::uint8_t*>(destination);
  const auto* from = reinterpret_cast<const std::uint8_t*>(source);
  for (std::uint64_t i = 0; i < kBurstBytes; i += hn::Lanes(d)) hn::Stream(hn::LoadU(d, from + i), d, to + i);
}

// Copies rows whose destinations are aligned to cache lines. Rows take turns, because memory serves several pages faster than
// one.
void StreamAlignedRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source,
                       std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  const std::uint64_t bursts_end = row_bytes / kBurstBytes * kBurstBytes;
  for (std::uint64_t first = 0; first < rows; first += kRowsTogether) {
    const std::uint64_t together = HWY_MIN(kRowsTogether, rows - first);
    std::byte* to = destination + first * destination_pitch;
    const std::byte* from = source + first * source_pitch;
    for (std::uint64_t x = 0; x < bursts_end; x += kBurstBytes) {
      for (std::uint64_t row = 0; row < together; ++row)
        StreamBurst(to + row * destination_pitch + x, from + row * source_pitch + x);
    }
    if (bursts_end == row_bytes) continue;
    for (std::uint64_t row = 0; row < together; ++row) {
      std::memcpy(to + row * destination_pitch + bursts_end, from + row * source_pitch + bursts_end, row_bytes - bursts_end);
    }
  }
}

// Copies one run of any alignment as rows of one page each.
void StreamRun(std::byte* destination, const std::byte* source, std::uint64_t bytes) {
  const std::uint64_t misaligned = reinterpret_cast<std::uintptr_t>(destination) % kLineBytes;
  const std::uint64_t head = HWY_MIN(misaligned == 0 ? 0 : kLineBytes - misaligned, bytes);
  std::memcpy(destination, source, head);
  const std::uint64_t pages = (bytes - head) / kPageBytes;
  StreamAlignedRows(destination + head, kPageBytes, source + head, kPageBytes, kPageBytes, pages);
  const std::uint64_t done = head + pages * kPageBytes;
  StreamAlignedRows(destination + done, 0, source + done, 0, bytes - done, 1);
}

void StreamRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
                std::uint64_t row_bytes, std::uint64_t rows) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(destination) % kLineBytes == 0 && destination_pitch % kLineBytes == 0;
  if (aligned && rows > 1) {
    StreamAlignedRows(destination, destination_pitch, source, source_pitch, row_bytes, rows);
  } else {
    for (std::uint64_t row = 0; row < rows; ++row) {
      StreamRun(destination + row * destination_pitch, source + row * source_pitch, row_bytes);
    }
  }
  hwy::FlushStream();
}

// Pixels of 4 or 8 bytes straddle a cache line only if they are not aligned to their size. Such rows are written through the
// caches.
void StreamFillRun(std::byte* destination, std::uint64_t pixel, std::uint32_t pixel_bytes, std::uint64_t width) {
  const hn::CappedTag<std::uint64_t, kLineBytes / sizeof(std::uint64_t)> d;
  const auto fill = [&](std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t x = first; x < end; ++x) std::memcpy(destination + x * pixel_bytes, &pixel, pixel_bytes);
  };
  const std::uint64_t misaligned = reinterpret_cast<std::uintptr_t>(destination) % kLineBytes;
  if (misaligned % pixel_bytes != 0) return fill(0, width);
  const std::uint64_t head = HWY_MIN((kLineBytes - misaligned) % kLineBytes / pixel_bytes, width);
  const std::uint64_t lines_end = head + (width - head) / (kLineBytes / pixel_bytes) * (kLineBytes / pixel_bytes);
  fill(0, head);
  const auto vector = hn::Set(d, pixel);
  for (std::uint64_t byte = head * pixel_bytes; byte < lines_end * pixel_bytes; byte += hn::Lanes(d) * sizeof(pixel)) {
    hn::Stream(vector, d, reinterpret_cast<std::uint64_t*>(destination + byte));
  }
  fill(lines_end, width);
}

// Fills rows that begin at cache lines and consist of whole bursts. Rows take turns, as in copies.
void StreamFillBursts(std::byte* destination, std::uint64_t pitch, std::uint64_t pixel, std::uint64_t row_bytes,
                      std::uint64_t rows) {
  const hn::CappedTag<std::uint64_t, kLineBytes / sizeof(std::uint64_t)> d;
  const auto vector = hn::Set(d, pixel);
  for (std::uint64_t first = 0; first < rows; first += kRowsTogether) {
    const std::uint64_t end = HWY_MIN(first + kRowsTogether, rows);
    for (std::uint64_t x = 0; x < row_bytes; x += kBurstBytes) {
      for (std::uint64_t row = first; row < end; ++row) {
        auto* const to = reinterpret_cast<std::uint64_t*>(destination + row * pitch + x);
        for (std::uint64_t i = 0; i < kBurstBytes / sizeof(pixel); i += hn::Lanes(d)) hn::Stream(vector, d, to + i);
      }
    }
  }
}

void StreamFillRows(std::byte* destination, std::uint64_t destination_pitch, std::uint64_t pixel, std::uint32_t pixel_bytes,
                    std::uint64_t width, std::uint64_t rows) {
  // One run becomes rows of a page each, and a rest.
  std::uint64_t row_bytes = width * pixel_bytes;
  if (destination_pitch == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(destination) % kLineBytes == 0;
  std::uint64_t done = 0;  // bytes done in each row
  if (aligned && rows == 1) {
    done = row_bytes / kPageBytes * kPageBytes;
    StreamFillBursts(destination, kPageBytes, pixel, kPageBytes, done / kPageBytes);
  } else if (aligned && destination_pitch % kLineBytes == 0) {
    done = row_bytes / kBurstBytes * kBurstBytes;
    StreamFillBursts(destination, destination_pitch, pixel, done, rows);
  }
  for (std::uint64_t row = 0; row < rows && done < row_bytes; ++row) {
    StreamFillRun(destination + row * destination_pitch + done, pixel, pixel_bytes, (row_bytes - done) / pixel_bytes);
  }
  hwy::FlushStream();
}

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(StreamRows);
HWY_EXPORT(StreamFillRows);

void StreamRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
                std::uint64_t row_bytes, std::uint64_t rows) {
  HWY_DYNAMIC_DISPATCH(StreamRows)(destination, destination_pitch, source, source_pitch, row_bytes, rows);
}

void FenceStreams() { hwy::FlushStream(); }

void StreamFillRows(std::byte* destination, std::uint64_t destination_pitch, std::uint64_t pixel, std::uint32_t pixel_bytes,
                    std::uint64_t width, std::uint64_t rows) {
  HWY_DYNAMIC_DISPATCH(StreamFillRows)(destination, destination_pitch, pixel, pixel_bytes, width, rows);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
