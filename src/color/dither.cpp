#include "color/dither.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "color/model.h"
#include "color/simd/convert_rows.h"
#include "color/simd/half_rows.h"

namespace tandem::color {
namespace {

constexpr Format kBgra8 = Format::kB8G8R8A8Unorm;

using FixedTable = std::vector<std::uint16_t>;

FixedTable MakeTable(ChannelCode code, Transfer transfer) {
  FixedTable table(CodeCount(code));
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    double value = code == ChannelCode::kHalf ? HalfToDouble(static_cast<std::uint16_t>(i)) : i / (CodeCount(code) - 1.0);
    if (transfer == Transfer::kLinearToSrgb) value = LinearToSrgb(value);
    value = !(value > 0) ? 0 : value < 1 ? value : 1;
    table[i] = static_cast<std::uint16_t>(std::floor(value * 255 * 256 + 0.5));
  }
  return table;
}

template <ChannelCode kCode>
const std::uint16_t* TableOf(Transfer transfer) {
  static const FixedTable pass_through = MakeTable(kCode, Transfer::kPassThrough);
  if (transfer == Transfer::kPassThrough) return pass_through.data();
  static const FixedTable linear_to_srgb = MakeTable(kCode, Transfer::kLinearToSrgb);
  return linear_to_srgb.data();
}

// Integer formats pass through, as in ConvertToBgra8.
Transfer TransferOf(Format format, Transfer transfer) {
  return format == Format::kR16G16B16A16Float ? transfer : Transfer::kPassThrough;
}

}  // namespace

bool Dithers(Format source, Format destination) {
  return BytesPerPixel(source) != 0 && BytesPerPixel(destination) != 0 && !LayoutOf(source).has_8_bits() &&
         LayoutOf(destination).has_8_bits();
}

const std::uint16_t* DitherTable(ChannelCode code, Transfer transfer) {
  return code == ChannelCode::kHalf ? TableOf<ChannelCode::kHalf>(transfer) : TableOf<ChannelCode::kUnorm10>(transfer);
}

PixelDitherer::PixelDitherer(Format from, Format to, Transfer transfer)
    : convert_(from, to, transfer), colors_(DitherTable(LayoutOf(from).color, transfer)) {}

void DitherToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                   Alpha alpha, std::uint32_t first_row) {
  if (!Dithers(source.format, kBgra8)) {
    ConvertToBgra8(destination, destination_pitch, source, transfer, alpha);
    return;
  }
  if (source.format == Format::kR16G16B16A16Float) {
    simd::HalfConversion conversion;
    conversion.colors = DitherTable(ChannelCode::kHalf, transfer);
    conversion.alphas = ChannelTable(ChannelCode::kHalf, ChannelCode::kUnorm8, Transfer::kPassThrough);
    conversion.shift = LayoutOf(kBgra8).shift;
    conversion.opaque = alpha == Alpha::kOpaque ? 0xFF000000U : 0;
    for (std::uint32_t y = 0; y < source.height; ++y) {
      const DitherThresholds thresholds = DitherThresholdsAt(0, first_row + y);
      conversion.thresholds = &thresholds;
      simd::HalfRow(destination + y * destination_pitch, source.pixels + y * source.pitch, source.width, conversion);
    }
    return;
  }
  for (std::uint32_t y = 0; y < source.height; ++y) {
    simd::DitherRgb10Row(destination + y * destination_pitch, source.pixels + y * source.pitch, source.width,
                         alpha == Alpha::kOpaque ? 0xFF000000U : 0, DitherThresholdsAt(0, first_row + y));
  }
}

void DitherToBgra8Reference(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source,
                            Transfer transfer, Alpha alpha, std::uint32_t first_row) {
  if (!Dithers(source.format, kBgra8)) {
    ConvertToBgra8(destination, destination_pitch, source, transfer, alpha);
    return;
  }
  const PixelDitherer dither(source.format, kBgra8, TransferOf(source.format, transfer));
  const std::uint32_t pixel_bytes = BytesPerPixel(source.format);
  const std::uint32_t opaque = alpha == Alpha::kOpaque ? 0xFF000000U : 0;
  for (std::uint32_t y = 0; y < source.height; ++y) {
    const DitherThresholds thresholds = DitherThresholdsAt(0, first_row + y);
    const std::byte* from = source.pixels + y * source.pitch;
    std::byte* to = destination + y * destination_pitch;
    for (std::uint32_t x = 0; x < source.width; ++x, from += pixel_bytes, to += 4) {
      std::uint64_t pixel = 0;
      std::memcpy(&pixel, from, pixel_bytes);
      const auto written = static_cast<std::uint32_t>(dither(pixel, thresholds[x % kDitherExtent])) | opaque;
      std::memcpy(to, &written, sizeof(written));
    }
  }
}

}  // namespace tandem::color
