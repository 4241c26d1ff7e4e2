#include "codec/packed/rgb10.h"

#include <cstring>

namespace tandem::codec {
namespace {

constexpr std::uint32_t kOpaque = 3U << 30;

std::uint32_t Load(const std::byte* at) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, at, sizeof(pixel));
  return pixel;
}

void Store(std::byte* at, std::uint32_t pixel) { std::memcpy(at, &pixel, sizeof(pixel)); }

std::uint32_t Widened(std::uint32_t v) { return 4 * v + (3 * v + 127) / 255; }

}  // namespace

void Split(const SplitRgb10<std::byte>& to, const Rgb10Rows<const std::byte>& from) {
  for (std::uint32_t y = 0; y < from.height; ++y) {
    const std::byte* const row = from.pixels + y * from.pitch;
    std::byte* const upper = to.upper + std::uint64_t{4} * y * from.width;
    std::byte* const lower = to.lower + std::uint64_t{y} * from.width;
    for (std::uint32_t x = 0; x < from.width; ++x) {
      const std::uint32_t pixel = Load(row + 4ULL * x);
      Store(upper + 4ULL * x, (pixel >> 22 & 0xFF) | (pixel >> 12 & 0xFF) << 8 | (pixel >> 2 & 0xFF) << 16);
      lower[x] = static_cast<std::byte>((pixel & 3) | (pixel >> 10 & 3) << 2 | (pixel >> 20 & 3) << 4);
    }
  }
}

void Join(const Rgb10Rows<std::byte>& to, const SplitRgb10<const std::byte>& from) {
  for (std::uint32_t y = 0; y < to.height; ++y) {
    std::byte* const row = to.pixels + y * to.pitch;
    const std::byte* const upper = from.upper + std::uint64_t{4} * y * to.width;
    const std::byte* const lower = from.lower + std::uint64_t{y} * to.width;
    for (std::uint32_t x = 0; x < to.width; ++x) {
      const std::uint32_t high = Load(upper + 4ULL * x);
      const auto low = std::to_integer<std::uint32_t>(lower[x]);
      Store(row + 4ULL * x, kOpaque | (high >> 16 & 0xFF) << 2 | (high >> 8 & 0xFF) << 12 | (high & 0xFF) << 22 | (low & 3) |
                                (low >> 2 & 3) << 10 | (low >> 4 & 3) << 20);
    }
  }
}

void WidenToRgb10(const Rgb10Rows<std::byte>& to, const std::byte* from, std::uint64_t from_pitch) {
  for (std::uint32_t y = 0; y < to.height; ++y) {
    std::byte* const row = to.pixels + y * to.pitch;
    const std::byte* const source = from + y * from_pitch;
    for (std::uint32_t x = 0; x < to.width; ++x) {
      const std::uint32_t pixel = Load(source + 4ULL * x);
      Store(row + 4ULL * x,
            kOpaque | Widened(pixel >> 16 & 0xFF) | Widened(pixel >> 8 & 0xFF) << 10 | Widened(pixel & 0xFF) << 20);
    }
  }
}

}  // namespace tandem::codec
