// Sizes, offsets, bit fields and values against the numbers of the published headers, one test for each kind.
#include <cstddef>
#include <cstring>

#include <gtest/gtest.h>

#include <d3dkmthk.h>
#include <d3dumddi.h>
#include <dispmprt.h>

namespace {

// Offset is the first bit, Length the member's number of bits.
struct Bits {
  std::size_t offset;
  std::size_t length;
  bool operator==(const Bits&) const = default;
};

void PrintTo(const Bits& bits, std::ostream* out) { *out << "bit " << bits.offset << ", " << bits.length << " wide"; }

template <typename Set, typename Fill>
Bits BitsOf(Fill fill) {
  Set set;
  std::memset(&set, 0, sizeof(set));
  fill(set);
  unsigned char bytes[sizeof(set)];
  std::memcpy(bytes, &set, sizeof(set));
  Bits bits{sizeof(set) * 8, 0};
  for (std::size_t i = sizeof(set) * 8; i-- > 0;) {
    if ((bytes[i / 8] >> (i % 8) & 1) == 0) continue;
    bits.offset = i;
    ++bits.length;
  }
  return bits;
}

#define SIZE(Type, size)
#define OFFSET(Type, member, offset)
#define BITS(Type, member, first, width)
#define VALUE(name, value)

TEST(WddmPublished, Structures_ComparedWithThePublishedHeaders_HaveTheirSizes) {
#undef SIZE
#define SIZE(Type, size) EXPECT_EQ(sizeof(Type), std::size_t{size}) << #Type;
#include "tests/wddm/published_numbers.inc"
#undef SIZE
#define SIZE(Type, size)
}

TEST(WddmPublished, Members_ComparedWithThePublishedHeaders_StandAtTheirOffsets) {
#undef OFFSET
#define OFFSET(Type, member, offset) EXPECT_EQ(offsetof(Type, member), std::size_t{offset}) << #Type "." #member;
#include "tests/wddm/published_numbers.inc"
#undef OFFSET
#define OFFSET(Type, member, offset)
}

TEST(WddmPublished, BitFields_ComparedWithThePublishedHeaders_HaveTheirBits) {
#undef BITS
#define BITS(Type, member, first, width)                                                                              \
  EXPECT_EQ(BitsOf<Type>([](Type& set) { set.member = static_cast<decltype(set.member)>(~0ULL >> (64 - (width))); }), \
            (Bits{first, width}))                                                                                     \
      << #Type "." #member;
#include "tests/wddm/published_numbers.inc"
#undef BITS
#define BITS(Type, member, first, width)
}

TEST(WddmPublished, Constants_ComparedWithThePublishedHeaders_HaveTheirValues) {
#undef VALUE
#define VALUE(name, value) EXPECT_EQ(static_cast<UINT>(name), static_cast<UINT>(value)) << #name;
#include "tests/wddm/published_numbers.inc"
}

}  // namespace
