#include "drivers/processor/kmd/nv12_reader.h"

#include <algorithm>

#include "color/nv12.h"

namespace tandem::processor {

const std::byte* Nv12Reader::Read(const std::byte* surface, std::uint64_t pitch, std::uint32_t surface_height,
                                  const color::BlitRect& part) {
  const std::uint64_t row_bytes = std::uint64_t{part.width()} * color::BytesPerPixel(color::Format::kB8G8R8X8Unorm);
  pixels_.resize(std::max<std::size_t>(pixels_.size(), row_bytes * part.height()));
  if constexpr (color::kHasYuv420) {
    const auto planes = color::Nv12Planes<const std::byte>(surface + part.top * pitch + part.left, pitch,
                                                           color::Nv12ChromaDistance(surface_height, part.top));
    color::DecodeYuv420({pixels_.data(), row_bytes, part.width(), part.height()}, planes, {}, color::ChromaFilter::kNearest);
  }
  return pixels_.data();
}

}  // namespace tandem::processor
