// Converts samples to planes and back. Included once for each instruction set.
#if defined(TANDEM_CODEC_SIMD_STRIP_PIXELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_CODEC_SIMD_STRIP_PIXELS_INL_H_
#undef TANDEM_CODEC_SIMD_STRIP_PIXELS_INL_H_
#else
#define TANDEM_CODEC_SIMD_STRIP_PIXELS_INL_H_
#endif

#include <cstring>

#include "codec/simd/strip_words-inl.h"
#include "color/simd/pairs-inl.h"
#include "hwy/cache_control.h"

TANDEM_STRIP_BEFORE_NAMESPACE();
namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

using color::simd::HWY_NAMESPACE::FromBlocks;
using color::simd::HWY_NAMESPACE::Reorder;
using color::simd::HWY_NAMESPACE::ToBlocks;
using color::simd::HWY_NAMESPACE::TransposeBytes;

void Split(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content, std::uint32_t drop,
           StripPlanes& planes) {
  const D8 d;
  const auto order = FromBlocks();
  const auto dropped = [drop](V8 v) { return drop == 0 ? v : ShiftBytesRight(v, drop); };
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    const auto* const row = reinterpret_cast<const std::uint8_t*>(samples + y * pitch);
    if (ahead != 0) {
      for (std::size_t i = 0; i < std::size_t{kStripWidth} * BytesPerSample(content); i += 64) hwy::Prefetch(row + ahead + i);
    }
    for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
      if (content == TileContent::kPlane8) {
        hn::Store(dropped(hn::LoadU(d, row + x)), d, planes.at[0][y] + x);
        continue;
      }
      // Sorts each block of four pixels by blue, green, red and alpha, then joins the blocks of one channel.
      const auto block = [&](std::size_t i) {
        return hn::BitCast(D32(), TransposeBytes(hn::LoadU(d, row + 4 * x + i * kVectorBytes)));
      };
      const auto b0 = block(0);
      const auto b1 = block(1);
      const auto b2 = block(2);
      const auto b3 = block(3);
      const auto lower01 = hn::BitCast(D64(), hn::InterleaveLower(b0, b1));
      const auto lower23 = hn::BitCast(D64(), hn::InterleaveLower(b2, b3));
      const auto upper01 = hn::BitCast(D64(), hn::InterleaveUpper(D32(), b0, b1));
      const auto upper23 = hn::BitCast(D64(), hn::InterleaveUpper(D32(), b2, b3));
      const V8 blue = dropped(Reorder(Bytes(hn::InterleaveLower(lower01, lower23)), order));
      const V8 green = dropped(Reorder(Bytes(hn::InterleaveUpper(D64(), lower01, lower23)), order));
      const V8 red = dropped(Reorder(Bytes(hn::InterleaveLower(upper01, upper23)), order));
      hn::Store(green, d, planes.at[0][y] + x);
      hn::Store(hn::Sub(blue, green), d, planes.at[1][y] + x);
      hn::Store(hn::Sub(red, green), d, planes.at[2][y] + x);
      if (content != TileContent::kBgra8) continue;
      hn::Store(dropped(Reorder(Bytes(hn::InterleaveUpper(D64(), upper01, upper23)), order)), d, planes.at[3][y] + x);
    }
  }
}

bool IsOneColor(const std::byte* samples, std::uint64_t pitch, std::uint64_t ahead, TileContent content) {
  const D8 d;
  const hn::RebindToUnsigned<D32> d32;
  const std::size_t row_bytes = std::size_t{kStripWidth} * BytesPerSample(content);
  V8 first = hn::Set(d, std::to_integer<std::uint8_t>(samples[0]));
  V8 meaning = hn::Set(d, std::uint8_t{255});
  if (content != TileContent::kPlane8) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, samples, sizeof(pixel));
    first = hn::BitCast(d, hn::Set(d32, pixel));
    if (content == TileContent::kBgrx8) meaning = hn::BitCast(d, hn::Set(d32, std::uint32_t{0x00FFFFFF}));
  }
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    const auto* const row = reinterpret_cast<const std::uint8_t*>(samples + y * pitch);
    V8 others = hn::Zero(d);
    for (std::size_t x = 0; x < row_bytes; x += kVectorBytes) others = hn::Or(others, hn::Xor(hn::LoadU(d, row + x), first));
    if (!hn::AllFalse(d, hn::Ne(hn::And(others, meaning), hn::Zero(d)))) return false;
    if (ahead == 0) continue;
    for (std::size_t x = 0; x < row_bytes; x += 64) hwy::Prefetch(row + ahead + x);
  }
  return true;
}

#if HWY_TARGET != HWY_AVX3_DL

HWY_INLINE void StoreSamples(V8 v, std::uint8_t* to, bool past_caches) {
  if (past_caches) {
    hn::Stream(v, D8(), to);
  } else {
    hn::StoreU(v, D8(), to);
  }
}

void Join(const StripPlanes& planes, TileContent content, std::byte* samples, std::uint64_t pitch, bool past_caches) {
  const D8 d;
  const hn::RebindToUnsigned<D16> d16;
  const auto order = ToBlocks();
  const auto store = [past_caches](V8 v, std::uint8_t* to) { StoreSamples(v, to, past_caches); };
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    auto* const row = reinterpret_cast<std::uint8_t*>(samples + y * pitch);
    for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
      const V8 first = hn::Load(d, planes.at[0][y] + x);
      if (content == TileContent::kPlane8) {
        store(first, row + x);
        continue;
      }
      const V8 green = Reorder(first, order);
      const V8 blue = hn::Add(Reorder(hn::Load(d, planes.at[1][y] + x), order), green);
      const V8 red = hn::Add(Reorder(hn::Load(d, planes.at[2][y] + x), order), green);
      const V8 alpha =
          content == TileContent::kBgra8 ? Reorder(hn::Load(d, planes.at[3][y] + x), order) : hn::Set(d, std::uint8_t{255});
      const auto lower_bg = hn::BitCast(d16, hn::InterleaveLower(d, blue, green));
      const auto lower_ra = hn::BitCast(d16, hn::InterleaveLower(d, red, alpha));
      const auto upper_bg = hn::BitCast(d16, hn::InterleaveUpper(d, blue, green));
      const auto upper_ra = hn::BitCast(d16, hn::InterleaveUpper(d, red, alpha));
      store(hn::BitCast(d, hn::InterleaveLower(d16, lower_bg, lower_ra)), row + 4 * x);
      store(hn::BitCast(d, hn::InterleaveUpper(d16, lower_bg, lower_ra)), row + 4 * x + kVectorBytes);
      store(hn::BitCast(d, hn::InterleaveLower(d16, upper_bg, upper_ra)), row + 4 * x + 2 * kVectorBytes);
      store(hn::BitCast(d, hn::InterleaveUpper(d16, upper_bg, upper_ra)), row + 4 * x + 3 * kVectorBytes);
    }
  }
}

#endif  // HWY_TARGET != HWY_AVX3_DL

void ChromaSteps(const StripPlanes& planes, std::uint8_t (&steps)[kStripTiles]) {
  const D8 d;
  const hn::RebindToSigned<D8> ds;
  const hn::RebindToUnsigned<D16> d16;
  const auto step = [&](V8 a, V8 b) { return hn::BitCast(d, hn::Abs(hn::BitCast(ds, hn::Sub(a, b)))); };
  const auto neighbours = [&](V8 v) {
    const auto pairs = hn::BitCast(d16, v);
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(pairs), hn::ShiftRight<8>(pairs)));
  };
  for (std::size_t x = 0; x < kStripWidth; x += kVectorBytes) {
    V8 most = hn::Zero(d);
    for (const std::uint32_t channel : {1U, 2U}) {
      for (std::uint32_t y = 0; y < kTileExtent; y += 2) {
        const V8 upper = hn::Load(d, planes.at[channel][y] + x);
        const V8 lower = hn::Load(d, planes.at[channel][y + 1] + x);
        const V8 across = hn::Max(step(upper, neighbours(upper)), step(lower, neighbours(lower)));
        most = hn::Max(most, hn::Max(across, step(upper, lower)));
      }
    }
    most = hn::Max(most, Bytes(hn::ShiftRight<32>(Words(most))));
    most = hn::Max(most, Bytes(hn::ShiftRight<16>(Words(most))));
    most = hn::Max(most, Bytes(hn::ShiftRight<8>(Words(most))));
    HWY_ALIGN std::uint8_t bytes[kVectorBytes];
    hn::Store(most, d, bytes);
    for (std::size_t i = 0; i < kVectorTiles; ++i) steps[x / kTileExtent + i] = bytes[kTileExtent * i];
  }
}

// Words of each row's differences, or-ed over the rows; a tile has `sample_bytes` words.
HWY_INLINE void StoreDifferences(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch,
                                 std::uint32_t sample_bytes, std::uint64_t rows_ahead, std::uint64_t* differences) {
  const D8 d;
  const std::uint64_t ahead_a = rows_ahead * a_pitch;
  const std::uint64_t ahead_b = rows_ahead * b_pitch;
  const std::size_t row_bytes = std::size_t{kStripWidth} * sample_bytes;
  for (std::size_t x = 0; x < row_bytes; x += kVectorBytes) {
    V8 any = hn::Zero(d);
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(a + y * a_pitch) + x + ahead_a);
      hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(b + y * b_pitch) + x + ahead_b);
      const V8 of_a = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(a + y * a_pitch) + x);
      const V8 of_b = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(b + y * b_pitch) + x);
      any = hn::Or(any, hn::Xor(of_a, of_b));
    }
    hn::Store(Words(any), D64(), differences + x / 8);
  }
}

std::uint32_t Changed(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch,
                      std::uint32_t sample_bytes, std::uint64_t rows_ahead) {
  HWY_ALIGN std::uint64_t differences[4 * kStripTiles];
  StoreDifferences(a, a_pitch, b, b_pitch, sample_bytes, rows_ahead, differences);
  std::uint32_t changed = 0;
  for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < sample_bytes; ++i) any |= differences[tile * sample_bytes + i];
    changed |= any != 0 ? 1U << tile : 0U;
  }
  return changed;
}

void Differing(const std::byte* a, std::uint64_t a_pitch, const std::byte* b, std::uint64_t b_pitch, TileContent content,
               std::uint8_t (&bits)[kStripTiles]) {
  HWY_ALIGN std::uint64_t differences[4 * kStripTiles];
  const std::uint32_t words = BytesPerSample(content);
  StoreDifferences(a, a_pitch, b, b_pitch, words, 0, differences);
  for (std::uint32_t tile = 0; tile < kStripTiles; ++tile) {
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < words; ++i) any |= differences[tile * words + i];
    if (content == TileContent::kBgrx8) any &= 0x00FFFFFF00FFFFFFULL;
    any |= any >> 32;
    any |= any >> 16;
    bits[tile] = static_cast<std::uint8_t>(any | any >> 8);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace tandem::codec::simd::TANDEM_STRIP_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
