// Compiled once for each instruction set by foreach_target.h.
#include "color/simd/stream_rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/simd/stream_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::color::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Head up to the destination's vector alignment, whole lines past the caches, then the tail. The caller fences.
void StreamRun(std::byte* destination, const std::byte* source, std::uint64_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::uint64_t lanes = hn::Lanes(d);
  const std::uint64_t misaligned = reinterpret_cast<std::uintptr_t>(destination) % lanes;
  const std::uint64_t head = misaligned == 0 ? 0 : lanes - misaligned;
  if (bytes < head + 4 * lanes) {
    std::memcpy(destination, source, bytes);
    return;
  }
  std::memcpy(destination, source, head);
  auto* to = reinterpret_cast<std::uint8_t*>(destination) + head;
  const auto* from = reinterpret_cast<const std::uint8_t*>(source) + head;
  bytes -= head;
  for (; bytes >= 4 * lanes; bytes -= 4 * lanes, to += 4 * lanes, from += 4 * lanes) {
    const auto v0 = hn::LoadU(d, from);
    const auto v1 = hn::LoadU(d, from + lanes);
    const auto v2 = hn::LoadU(d, from + 2 * lanes);
    const auto v3 = hn::LoadU(d, from + 3 * lanes);
    hn::Stream(v0, d, to);
    hn::Stream(v1, d, to + lanes);
    hn::Stream(v2, d, to + 2 * lanes);
    hn::Stream(v3, d, to + 3 * lanes);
  }
  std::memcpy(to, from, bytes);
}

void StreamRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
                std::uint64_t row_bytes, std::uint64_t rows) {
  for (std::uint64_t row = 0; row < rows; ++row) {
    StreamRun(destination + row * destination_pitch, source + row * source_pitch, row_bytes);
  }
  hwy::FlushStream();
}

}  // namespace tandem::color::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::color::simd {
HWY_EXPORT(StreamRows);

void StreamRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
                std::uint64_t row_bytes, std::uint64_t rows) {
  HWY_DYNAMIC_DISPATCH(StreamRows)(destination, destination_pitch, source, source_pitch, row_bytes, rows);
}

}  // namespace tandem::color::simd
#endif  // HWY_ONCE
