// The pattern's frames as a narrow link delivers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "link/surface/link_surface.h"

namespace tandem::test {

struct LinkedPicture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  color::Format painted = color::Format::kB8G8R8A8Unorm;
  color::Format shown = color::Format::kB8G8R8A8Unorm;  // 4 bytes a pixel
  link::LinkColors colors{};
};

// Frame `number` of the pattern, encoded and decoded in as many slices as a swap chain's frames have, because each slice
// chooses its tiles. Rows have no padding.
[[nodiscard]] std::vector<std::byte> LinkedPattern(const LinkedPicture& picture, std::uint32_t number,
                                                   link::LinkEncoding encoding);

}  // namespace tandem::test
