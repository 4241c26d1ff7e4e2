// Compiled once for each instruction set by foreach_target.h.
#include "codec/simd/packed_groups.h"

#include <cstdint>
#include <cstring>

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/packed_groups.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void Pack(std::byte* to, const std::byte* from, std::size_t groups) {
  for (std::size_t pixel = 0; pixel < 4 * groups; ++pixel) std::memcpy(to + 3 * pixel, from + 4 * pixel, 3);
}

void Unpack(std::byte* to, const std::byte* from, std::size_t groups) {
  for (std::size_t pixel = 0; pixel < 4 * groups; ++pixel) {
    std::memcpy(to + 4 * pixel, from + 3 * pixel, 3);
    to[4 * pixel + 3] = std::byte{255};
  }
}

#else

using D = hn::CappedTag<std::uint8_t, 16>;

HWY_INLINE auto Load(const std::byte* from) { return hn::LoadU(D(), reinterpret_cast<const std::uint8_t*>(from)); }
HWY_INLINE void Store(hn::Vec<D> v, std::byte* to) { hn::StoreU(v, D(), reinterpret_cast<std::uint8_t*>(to)); }

// 128 writes a zero byte.
void Pack(std::byte* to, const std::byte* from, std::size_t groups) {
  alignas(16) constexpr std::uint8_t kFrom[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 128, 128, 128, 128};
  const auto places = hn::Load(D(), kFrom);
  for (std::size_t i = 0; i < groups; ++i) Store(hn::TableLookupBytesOr0(Load(from + 16 * i), places), to + 12 * i);
}

void Unpack(std::byte* to, const std::byte* from, std::size_t groups) {
  alignas(16) constexpr std::uint8_t kFrom[16] = {0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11, 128};
  const auto places = hn::Load(D(), kFrom);
  const auto opaque = hn::BitCast(D(), hn::Set(hn::Repartition<std::uint32_t, D>(), 0xFF000000U));
  for (std::size_t i = 0; i < groups; ++i) {
    Store(hn::Or(hn::TableLookupBytesOr0(Load(from + 12 * i), places), opaque), to + 16 * i);
  }
}

#endif  // HWY_SCALAR

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::codec::simd {
HWY_EXPORT(Pack);
HWY_EXPORT(Unpack);

GroupsFunction PackGroups24() {
  color::simd::ChooseTarget();
  return HWY_DYNAMIC_DISPATCH(Pack);
}

GroupsFunction UnpackGroups24() {
  color::simd::ChooseTarget();
  return HWY_DYNAMIC_DISPATCH(Unpack);
}

}  // namespace tandem::codec::simd
#endif  // HWY_ONCE
