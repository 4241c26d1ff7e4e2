#include "codec/packed/packed_rgb.h"

#include <array>
#include <cstring>

#include "codec/simd/packed_groups.h"

namespace tandem::codec {
namespace {

using Group = std::array<std::uint32_t, 4>;  // pixels

// A group is two words; the second one has fewer than eight bytes.
template <int kBits>
struct Packing {
  static constexpr std::size_t kBytes = kBits / 2;
  static constexpr std::uint64_t kMask = (1ULL << kBits) - 1;
  static constexpr int kOfThirdInFirst = 64 - 2 * kBits;  // bits of the third pixel in the first word

  static void Pack(const Group& pixels, std::byte* to, std::size_t bytes) {
    const auto at = [&](std::size_t i) { return pixels[i] & kMask; };
    const std::array<std::uint64_t, 2> words = {at(0) | at(1) << kBits | at(2) << (2 * kBits),
                                                at(2) >> kOfThirdInFirst | at(3) << (kBits - kOfThirdInFirst)};
    std::memcpy(to, words.data(), bytes);
  }

  static Group Unpack(const std::byte* from, std::size_t bytes) {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), from, bytes);
    constexpr auto kOpaque = static_cast<std::uint32_t>(~kMask);
    const auto pixel = [](std::uint64_t word) { return static_cast<std::uint32_t>(word & kMask) | kOpaque; };
    return {pixel(words[0]), pixel(words[0] >> kBits), pixel(words[0] >> (2 * kBits) | words[1] << kOfThirdInFirst),
            pixel(words[1] >> (kBits - kOfThirdInFirst))};
  }
};

template <int kBits>
void PackGroups(std::byte* packed, const std::byte* pixels, std::size_t groups) {
  for (std::size_t i = 0; i < groups; ++i) {
    Group group;
    std::memcpy(group.data(), pixels + sizeof(group) * i, sizeof(group));
    Packing<kBits>::Pack(group, packed + Packing<kBits>::kBytes * i, 16);
  }
}

template <int kBits>
void UnpackGroups(std::byte* pixels, const std::byte* packed, std::size_t groups) {
  for (std::size_t i = 0; i < groups; ++i) {
    const Group group = Packing<kBits>::Unpack(packed + Packing<kBits>::kBytes * i, 16);
    std::memcpy(pixels + sizeof(group) * i, group.data(), sizeof(group));
  }
}

// Groups before the last one move 16 bytes; excess bytes belong to the next group, which overwrites them.
template <int kBits>
void PackRow(std::byte* packed, const std::byte* pixels, std::uint32_t width, simd::GroupsFunction groups) {
  const std::size_t before = (width - 1) / 4;
  groups(packed, pixels, before);
  Group last{};
  std::memcpy(last.data(), pixels + sizeof(last) * before, 4 * (width - 4 * before));
  Packing<kBits>::Pack(last, packed + Packing<kBits>::kBytes * before, Packing<kBits>::kBytes);
}

template <int kBits>
void UnpackRow(std::byte* pixels, const std::byte* packed, std::uint32_t width, simd::GroupsFunction groups) {
  const std::size_t before = (width - 1) / 4;
  groups(pixels, packed, before);
  const Group last = Packing<kBits>::Unpack(packed + Packing<kBits>::kBytes * before, Packing<kBits>::kBytes);
  std::memcpy(pixels + sizeof(last) * before, last.data(), 4 * (width - 4 * before));
}

}  // namespace

void PackRgb(PackedRgb packing, std::byte* packed, std::uint64_t packed_pitch, const std::byte* pixels, std::uint64_t pitch,
             std::uint32_t width, std::uint32_t height) {
  const bool bytes = packing == PackedRgb::k24;
  const auto pack = bytes ? PackRow<24> : PackRow<30>;
  const simd::GroupsFunction groups = bytes ? simd::PackGroups24() : PackGroups<30>;
  for (std::uint32_t y = 0; y < height; ++y) pack(packed + y * packed_pitch, pixels + y * pitch, width, groups);
}

void UnpackRgb(PackedRgb packing, std::byte* pixels, std::uint64_t pitch, const std::byte* packed, std::uint64_t packed_pitch,
               std::uint32_t width, std::uint32_t height) {
  const bool bytes = packing == PackedRgb::k24;
  const auto unpack = bytes ? UnpackRow<24> : UnpackRow<30>;
  const simd::GroupsFunction groups = bytes ? simd::UnpackGroups24() : UnpackGroups<30>;
  for (std::uint32_t y = 0; y < height; ++y) unpack(pixels + y * pitch, packed + y * packed_pitch, width, groups);
}

}  // namespace tandem::codec
