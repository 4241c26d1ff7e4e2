#include <array>
#include <cmath>
#include <cstring>

#include "color/convert.h"
#include "color/model.h"
#include "color/tables.h"

namespace tandem::color {
namespace {

std::uint32_t LoadU32(const std::byte* from) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

std::uint32_t PackBgra8(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a) {
  return b | (g << 8) | (r << 16) | (a << 24);
}

std::uint32_t ConvertPixel(const std::byte* pixel, Format format, const HalfTable& color_table, const HalfTable& alpha_table) {
  switch (format) {
    case Format::kR8G8B8A8Unorm:
    case Format::kR8G8B8A8UnormSrgb: {
      const std::uint32_t v = LoadU32(pixel);
      return PackBgra8(v & 0xFF, (v >> 8) & 0xFF, (v >> 16) & 0xFF, v >> 24);
    }
    case Format::kB8G8R8X8Unorm: return LoadU32(pixel) | 0xFF000000U;
    case Format::kB8G8R8A8Unorm:
    case Format::kB8G8R8A8UnormSrgb: return LoadU32(pixel);
    case Format::kR10G10B10A2Unorm: {
      const std::uint32_t v = LoadU32(pixel);
      const auto to8 = [](std::uint32_t channel) { return (channel * 255 + 511) / 1023; };
      return PackBgra8(to8(v & 0x3FF), to8((v >> 10) & 0x3FF), to8((v >> 20) & 0x3FF), (v >> 30) * 85);
    }
    case Format::kR16G16B16A16Float: {
      std::array<std::uint16_t, 4> v{};
      std::memcpy(v.data(), pixel, sizeof(v));
      return PackBgra8(color_table[v[0]], color_table[v[1]], color_table[v[2]], alpha_table[v[3]]);
    }
    case Format::kUnknown: break;
  }
  return 0;
}

}  // namespace

const HalfTable& HalfToUnorm8Table(Transfer transfer) {
  const auto build = [](Transfer of) {
    HalfTable table{};
    for (std::uint32_t bits = 0; bits < table.size(); ++bits) table[bits] = HalfToUnorm8(static_cast<std::uint16_t>(bits), of);
    return table;
  };
  static const HalfTable pass_through = build(Transfer::kPassThrough);
  if (transfer == Transfer::kPassThrough) return pass_through;
  static const HalfTable linear_to_srgb = build(Transfer::kLinearToSrgb);
  return linear_to_srgb;
}

bool ConvertsToBgra8(Format format) { return BytesPerPixel(format) != 0; }

std::uint16_t Unorm8ToHalf(std::uint8_t value) {
  if (value == 0) return 0;
  // All results are normal numbers, because 1 / 255 is above 2^-14. A carry from rounding the significand to 11 bits goes into
  // the exponent.
  int exponent = 0;
  const double significand = std::frexp(value / 255.0, &exponent);  // 0.5..1
  const auto rounded = static_cast<std::uint32_t>(std::nearbyint(significand * 2048.0));
  return static_cast<std::uint16_t>(((static_cast<std::uint32_t>(exponent + 13) << 10) + rounded));
}

void ConvertToBgra8Reference(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source,
                             Transfer transfer, Alpha alpha) {
  const std::uint32_t pixel_bytes = BytesPerPixel(source.format);
  const std::uint32_t opaque = alpha == Alpha::kOpaque ? 0xFF000000U : 0;
  const HalfTable& color_table = HalfToUnorm8Table(transfer);
  const HalfTable& alpha_table = HalfToUnorm8Table(Transfer::kPassThrough);
  for (std::uint64_t y = 0; y < source.height; ++y) {
    const std::byte* from = source.pixels + y * source.pitch;
    std::byte* to = destination + y * destination_pitch;
    for (std::uint32_t x = 0; x < source.width; ++x, from += pixel_bytes, to += 4) {
      const std::uint32_t pixel = ConvertPixel(from, source.format, color_table, alpha_table) | opaque;
      std::memcpy(to, &pixel, sizeof(pixel));
    }
  }
}

}  // namespace tandem::color
