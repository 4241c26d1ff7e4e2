#include "color/convert.h"

#include "color/channels.h"
#include "color/copy.h"
#include "color/simd/convert_rows.h"
#include "color/simd/half_rows.h"

namespace tandem::color {

void ConvertToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                    Alpha alpha) {
  const bool opaque = alpha == Alpha::kOpaque || source.format == Format::kB8G8R8X8Unorm;
  const bool bgra = source.format == Format::kB8G8R8A8Unorm || source.format == Format::kB8G8R8A8UnormSrgb;
  if (bgra && !opaque) {
    CopyRows(destination, destination_pitch, source.pixels, source.pitch, 4ULL * source.width, source.height);
    return;
  }
  if (source.format == Format::kR16G16B16A16Float && transfer == Transfer::kLinearToSrgb) {
    simd::HalfConversion conversion;
    conversion.colors = ChannelTable(ChannelCode::kHalf, ChannelCode::kUnorm8, transfer);
    conversion.alphas = ChannelTable(ChannelCode::kHalf, ChannelCode::kUnorm8, Transfer::kPassThrough);
    conversion.shift = LayoutOf(Format::kB8G8R8A8Unorm).shift;
    conversion.opaque = opaque ? 0xFF000000U : 0;
    for (std::uint64_t y = 0; y < source.height; ++y) {
      simd::HalfRow(destination + y * destination_pitch, source.pixels + y * source.pitch, source.width, conversion);
    }
    return;
  }
  const simd::RowFunction convert_row = simd::RowFunctionFor(source.format);
  if (convert_row == nullptr) return;
  for (std::uint64_t y = 0; y < source.height; ++y) {
    convert_row(destination + y * destination_pitch, source.pixels + y * source.pitch, source.width, opaque ? 0xFF000000U : 0);
  }
}

}  // namespace tandem::color
