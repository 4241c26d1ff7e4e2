// NV12 as the display controller reads it: turned into the colours of the screen on its way there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "color/blit.h"
#include "drivers/processor/allocation_data.h"

namespace tandem::processor {

// What a surface looks like to whatever comes behind the reading.
[[nodiscard]] constexpr color::Format SeenFormat(color::Format format) {
  return drivers::IsNv12(format) ? color::Format::kB8G8R8X8Unorm : format;
}

// Threads: one. Allocates when a part is larger than all before it.
class Nv12Reader {
 public:
  // Pixels of `part`, which begins at even coordinates, in rows without gaps; in the reader's memory until the next one.
  [[nodiscard]] const std::byte* Read(const std::byte* surface, std::uint64_t pitch, std::uint32_t surface_height,
                                      const color::BlitRect& part);

 private:
  std::vector<std::byte> pixels_;
};

}  // namespace tandem::processor
