// Compiled once for each instruction set by foreach_target.h.
#include "codec/simd/checksum_blocks.h"

#include <cstring>

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/checksum_blocks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef TANDEM_CODEC_CHECKSUM_FACTOR
#define TANDEM_CODEC_CHECKSUM_FACTOR
namespace tandem::codec::simd {
// Both factors are odd and have no common divisor.
inline constexpr std::uint32_t kLowerFactor = 0xFFFFDA61;
inline constexpr std::uint32_t kUpperFactor = 0x9E3779B1;
}  // namespace tandem::codec::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void AddBlocks(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes) {
#if HWY_TARGET == HWY_SCALAR
  AddChecksumBlocksReference(bytes, blocks, lanes);
#else
  const hn::CappedTag<std::uint64_t, kChecksumLanes> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kChecksumLanes / kLanes;
  const auto lower_factor = hn::Set(d32, kLowerFactor);
  const auto upper_factor = hn::Set(d32, kUpperFactor);
  hn::Vec<decltype(d)> sums[kVectors];
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kVectors; ++i) sums[i] = hn::LoadU(d, lanes.data() + i * kLanes);
  const auto* at = reinterpret_cast<const std::uint64_t*>(bytes);
  for (; blocks > 0; --blocks, at += kChecksumLanes) {
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kVectors; ++i) {
      const auto mixed = hn::Xor(sums[i], hn::LoadU(d, at + i * kLanes));
      const auto upper = hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(mixed)), upper_factor);
      sums[i] = hn::Add(hn::MulEven(hn::BitCast(d32, mixed), lower_factor), upper);
    }
  }
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kVectors; ++i) hn::StoreU(sums[i], d, lanes.data() + i * kLanes);
#endif
}

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::codec::simd {
HWY_EXPORT(AddBlocks);

void AddChecksumBlocks(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes) {
  color::simd::ChooseTarget();
  HWY_DYNAMIC_DISPATCH(AddBlocks)(bytes, blocks, lanes);
}

void AddChecksumBlocksReference(const std::byte* bytes, std::size_t blocks, ChecksumLanes& lanes) {
  for (; blocks > 0; --blocks) {
    for (std::uint64_t& lane : lanes) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, sizeof(word));
      const std::uint64_t mixed = lane ^ word;
      lane = (mixed & 0xFFFFFFFF) * kLowerFactor + (mixed >> 32) * kUpperFactor;
      bytes += sizeof(word);
    }
  }
}

}  // namespace tandem::codec::simd
#endif  // HWY_ONCE
