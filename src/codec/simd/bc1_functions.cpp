// Compiled once for each instruction set by foreach_target.h.
#include "codec/simd/bc1_functions.h"

#include "color/simd/choose_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/bc1_functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::codec::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

constexpr EncodeBlocks Encode = EncodeBlocksReference;
constexpr DecodeBlocks Decode = DecodeBlocksReference;

#else

using D8 = hn::ScalableTag<std::uint8_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using DU32 = hn::ScalableTag<std::uint32_t>;
using V8 = hn::Vec<D8>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;

constexpr std::uint32_t kBlocksAtOnce = static_cast<std::uint32_t>(hn::MaxLanes(D32()));
constexpr std::uint32_t kPixels = 16;

HWY_INLINE V32 Set(int value) { return hn::Set(D32(), value); }

template <int kChannel>
HWY_INLINE V32 Channel(VU32 pixels) {
  return hn::BitCast(D32(), hn::And(hn::ShiftRight<8 * kChannel>(pixels), hn::Set(DU32(), 255U)));
}

// Blue, green, red.
struct Colors {
  V32 blue, green, red;
};

HWY_INLINE Colors ColorsOf(VU32 pixels) { return {Channel<0>(pixels), Channel<1>(pixels), Channel<2>(pixels)}; }

template <class Function>
HWY_INLINE Colors ForEach(Function&& function, const Colors& a, const Colors& b) {
  return {function(a.blue, b.blue), function(a.green, b.green), function(a.red, b.red)};
}

HWY_INLINE Colors Expanded(V32 code) {
  const V32 blue = hn::And(code, Set(31));
  const V32 green = hn::And(hn::ShiftRight<5>(code), Set(63));
  const V32 red = hn::ShiftRight<11>(code);
  return {hn::Or(hn::ShiftLeft<3>(blue), hn::ShiftRight<2>(blue)), hn::Or(hn::ShiftLeft<2>(green), hn::ShiftRight<4>(green)),
          hn::Or(hn::ShiftLeft<3>(red), hn::ShiftRight<2>(red))};
}

HWY_INLINE V32 CodeOf(const Colors& color) {
  const auto five = [](V32 v) { return hn::ShiftRight<11>(hn::Add(hn::Mul(v, Set(249)), Set(1014))); };
  const V32 six = hn::ShiftRight<10>(hn::Add(hn::Mul(color.green, Set(253)), Set(505)));
  return hn::Or(five(color.blue), hn::Or(hn::ShiftLeft<5>(six), hn::ShiftLeft<11>(five(color.red))));
}

// Codes at both ends of the colours, the higher one first.
struct Ends {
  V32 first, second;
  hn::Mask<D32> flat;  // all pixels have one colour
};

HWY_INLINE Ends EndsOf(const VU32 (&pixels)[kPixels]) {
  const D8 d8;
  const DU32 du;
  V8 least = hn::BitCast(d8, pixels[0]);
  V8 most = least;
  for (const VU32& pixel : pixels) {
    least = hn::Min(least, hn::BitCast(d8, pixel));
    most = hn::Max(most, hn::BitCast(d8, pixel));
  }
  Colors low = ColorsOf(hn::BitCast(du, least));
  Colors high = ColorsOf(hn::BitCast(du, most));
  const auto sub = [](V32 a, V32 b) { return hn::Sub(a, b); };
  const auto add = [](V32 a, V32 b) { return hn::Add(a, b); };
  const Colors range = ForEach(sub, high, low);
  const Colors sum = ForEach(add, high, low);
  const auto by_green = hn::AndNot(hn::Gt(range.blue, range.green), hn::Not(hn::Gt(range.red, range.green)));
  const auto by_blue = hn::Not(hn::Gt(range.red, range.blue));
  Colors with_pivot = {hn::Zero(D32()), hn::Zero(D32()), hn::Zero(D32())};
  for (const VU32& pixel : pixels) {
    const Colors color = ColorsOf(pixel);
    const Colors from_middle = ForEach(sub, ForEach(add, color, color), sum);
    const V32 pivot = hn::IfThenElse(by_green, from_middle.green, hn::IfThenElse(by_blue, from_middle.blue, from_middle.red));
    with_pivot.blue = hn::Add(with_pivot.blue, hn::Mul(from_middle.blue, pivot));
    with_pivot.green = hn::Add(with_pivot.green, hn::Mul(from_middle.green, pivot));
    with_pivot.red = hn::Add(with_pivot.red, hn::Mul(from_middle.red, pivot));
  }
  const auto settle = [](V32& below, V32& above, V32 extent, V32 with) {
    const V32 inset = hn::ShiftRight<4>(extent);
    const V32 lower = hn::Add(below, inset);
    const V32 upper = hn::Sub(above, inset);
    const auto turned = hn::Lt(with, hn::Zero(D32()));
    below = hn::IfThenElse(turned, upper, lower);
    above = hn::IfThenElse(turned, lower, upper);
  };
  settle(low.blue, high.blue, range.blue, with_pivot.blue);
  settle(low.green, high.green, range.green, with_pivot.green);
  settle(low.red, high.red, range.red, with_pivot.red);
  const V32 first = CodeOf(high);
  const V32 second = CodeOf(low);
  const V32 any_range = hn::Or(range.blue, hn::Or(range.green, range.red));
  return {hn::Max(first, second), hn::Min(first, second), hn::Eq(any_range, hn::Zero(D32()))};
}

HWY_INLINE V32 IndicesOf(const VU32 (&pixels)[kPixels], const Ends& ends) {
  const Colors a = Expanded(ends.first);
  const Colors b = Expanded(ends.second);
  const auto sub = [](V32 x, V32 y) { return hn::Sub(x, y); };
  const Colors axis = ForEach(sub, a, b);
  const auto dot = [&](const Colors& x) {
    return hn::Add(hn::Mul(x.blue, axis.blue), hn::Add(hn::Mul(x.green, axis.green), hn::Mul(x.red, axis.red)));
  };
  // Compares six times the projection with one, three and five times the squared length.
  const V32 length = dot(axis);
  const V32 length3 = hn::Mul(length, Set(3));
  const V32 length5 = hn::Mul(length, Set(5));
  V32 indices = hn::Zero(D32());
  for (std::uint32_t i = 0; i < kPixels; ++i) {
    const V32 along = hn::Mul(dot(ForEach(sub, ColorsOf(pixels[i]), b)), Set(6));
    const V32 low = hn::IfThenElse(hn::Lt(along, length3), Set(1), hn::Zero(D32()));
    const auto between = hn::AndNot(hn::Lt(along, length), hn::Lt(along, length5));
    const V32 index = hn::Or(low, hn::IfThenElse(between, Set(2), hn::Zero(D32())));
    indices = hn::Or(indices, hn::ShiftLeftSame(index, static_cast<int>(2 * i)));
  }
  return hn::IfThenElse(hn::Eq(ends.first, ends.second), hn::Zero(D32()), indices);
}

void StoreFlat(VU32 colors, hn::Mask<D32> flat, std::byte* blocks) {
  HWY_ALIGN std::uint32_t color[kBlocksAtOnce];
  HWY_ALIGN std::int32_t is_flat[kBlocksAtOnce];
  hn::Store(colors, DU32(), color);
  hn::Store(hn::VecFromMask(D32(), flat), D32(), is_flat);
  for (std::uint32_t i = 0; i < kBlocksAtOnce; ++i) {
    if (is_flat[i] == 0) continue;
    const std::uint64_t block = FlatBlock(color[i]);
    std::memcpy(blocks + std::uint64_t{i} * kBlockBytes, &block, sizeof(block));
  }
}

void Encode(const std::byte* pixels, std::uint64_t pitch, std::uint32_t count, std::byte* blocks) {
  const DU32 du;
  std::uint32_t block = 0;
  for (; block + kBlocksAtOnce <= count; block += kBlocksAtOnce) {
    VU32 loaded[kPixels];
    for (std::uint32_t y = 0; y < kBlockExtent; ++y) {
      const auto* const row = reinterpret_cast<const std::uint32_t*>(pixels + y * pitch) + kBlockExtent * block;
      hn::LoadInterleaved4(du, row, loaded[4 * y], loaded[4 * y + 1], loaded[4 * y + 2], loaded[4 * y + 3]);
    }
    const Ends ends = EndsOf(loaded);
    const VU32 codes = hn::BitCast(du, hn::Or(ends.first, hn::ShiftLeft<16>(ends.second)));
    const VU32 indices = hn::BitCast(du, IndicesOf(loaded, ends));
    hn::StoreInterleaved2(codes, indices, du, reinterpret_cast<std::uint32_t*>(blocks) + 2 * block);
    if (!hn::AllFalse(D32(), ends.flat)) StoreFlat(loaded[0], ends.flat, blocks + std::uint64_t{block} * kBlockBytes);
  }
  EncodeBlocksReference(pixels + std::uint64_t{block} * BlockPixels::kPitch, pitch, count - block,
                        blocks + std::uint64_t{block} * kBlockBytes);
}

HWY_INLINE VU32 PixelsOf(const Colors& color) {
  const V32 pixels = hn::Or(hn::Or(color.blue, hn::ShiftLeft<8>(color.green)), hn::ShiftLeft<16>(color.red));
  return hn::Or(hn::BitCast(DU32(), pixels), hn::Set(DU32(), 0xFF000000U));
}

void Decode(const std::byte* blocks, std::uint32_t count, std::byte* pixels, std::uint64_t pitch) {
  const D32 d;
  const DU32 du;
  std::uint32_t block = 0;
  for (; block + kBlocksAtOnce <= count; block += kBlocksAtOnce) {
    VU32 codes;
    VU32 indices;
    hn::LoadInterleaved2(du, reinterpret_cast<const std::uint32_t*>(blocks) + 2 * block, codes, indices);
    const V32 first = hn::BitCast(d, hn::And(codes, hn::Set(du, 0xFFFFU)));
    const V32 second = hn::BitCast(d, hn::ShiftRight<16>(codes));
    const Colors a = Expanded(first);
    const Colors b = Expanded(second);
    // Divides sums up to 766 by three: 43691 / 2^17.
    const auto third = [](V32 x, V32 y) {
      return hn::ShiftRight<17>(hn::Mul(hn::Add(hn::Add(x, x), hn::Add(y, Set(1))), Set(43691)));
    };
    const auto half = [](V32 x, V32 y) { return hn::ShiftRight<1>(hn::Add(hn::Add(x, y), Set(1))); };
    const auto four = hn::RebindMask(du, hn::Gt(first, second));
    const VU32 color0 = PixelsOf(a);
    const VU32 color1 = PixelsOf(b);
    const VU32 color2 = hn::IfThenElse(four, PixelsOf(ForEach(third, a, b)), PixelsOf(ForEach(half, a, b)));
    const VU32 color3 = hn::IfThenElse(four, PixelsOf(ForEach(third, b, a)), hn::Set(du, 0xFF000000U));
    for (std::uint32_t y = 0; y < kBlockExtent; ++y) {
      VU32 row[kBlockExtent];
      for (VU32& pixel : row) {
        const auto odd = hn::TestBit(indices, hn::Set(du, 1U));
        const auto upper = hn::TestBit(indices, hn::Set(du, 2U));
        pixel = hn::IfThenElse(upper, hn::IfThenElse(odd, color3, color2), hn::IfThenElse(odd, color1, color0));
        indices = hn::ShiftRight<2>(indices);
      }
      hn::StoreInterleaved4(row[0], row[1], row[2], row[3], du,
                            reinterpret_cast<std::uint32_t*>(pixels + y * pitch) + kBlockExtent * block);
    }
  }
  DecodeBlocksReference(blocks + std::uint64_t{block} * kBlockBytes, count - block,
                        pixels + std::uint64_t{block} * BlockPixels::kPitch, pitch);
}

#endif  // HWY_TARGET == HWY_SCALAR

EncodeBlocks Encoder() { return Encode; }
DecodeBlocks Decoder() { return Decode; }

}  // namespace tandem::codec::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::codec::simd {
HWY_EXPORT(Encoder);
HWY_EXPORT(Decoder);

EncodeBlocks EncodeBlocksHere() {
  color::simd::ChooseTarget();
  return HWY_DYNAMIC_DISPATCH(Encoder)();
}

DecodeBlocks DecodeBlocksHere() {
  color::simd::ChooseTarget();
  return HWY_DYNAMIC_DISPATCH(Decoder)();
}

}  // namespace tandem::codec::simd

namespace tandem::codec {

void EncodeBc1(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from) {
  EncodePicture(blocks, block_pitch, from, simd::EncodeBlocksHere());
}

void DecodeBc1(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch) {
  DecodePicture(to, blocks, block_pitch, simd::DecodeBlocksHere());
}

}  // namespace tandem::codec
#endif  // HWY_ONCE
