// Pictures of a display with a pointer over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "outputs/output.h"

namespace tandem::bus {

// Copies the surface, of four bytes a pixel, into `picture`, and lets it show the copy, where a pointer may be drawn.
void CopyForPointer(outputs::Surface& surface, std::vector<std::byte>& picture);

// The nearest value of `over` above `under`; an alpha of 255 covers.
[[nodiscard]] inline std::byte Mix(std::byte over, std::byte under, unsigned alpha) {
  const unsigned sum = std::to_integer<unsigned>(over) * alpha + std::to_integer<unsigned>(under) * (255 - alpha);
  return static_cast<std::byte>((sum + 127) / 255);
}

}  // namespace tandem::bus
