#include "bus/pointer_picture.h"

#include "color/copy.h"

namespace tandem::bus {

void CopyForPointer(outputs::Surface& surface, std::vector<std::byte>& picture) {
  const std::uint32_t row_bytes = surface.width * 4;
  picture.resize(std::size_t{row_bytes} * surface.height);
  color::CopyRows(picture.data(), row_bytes, surface.pixels, surface.pitch, row_bytes, surface.height);
  surface.pixels = picture.data();
  surface.pitch = row_bytes;
  surface.id = reinterpret_cast<std::uintptr_t>(surface.pixels);
}

}  // namespace tandem::bus
