#include "color/convert.h"

#include "color/copy.h"
#include "color/simd/convert_rows.h"

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
    ConvertToBgra8Reference(destination, destination_pitch, source, transfer, alpha);  // the curve needs a table look-up anyway
    return;
  }
  const simd::RowFunction convert_row = simd::RowFunctionFor(source.format);
  if (convert_row == nullptr) return;
  for (std::uint64_t y = 0; y < source.height; ++y) {
    convert_row(destination + y * destination_pitch, source.pixels + y * source.pitch, source.width, opaque ? 0xFF000000U : 0);
  }
}

}  // namespace tandem::color
