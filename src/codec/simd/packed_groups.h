// Groups of four pixels without their fourth channel, for the instruction set that is here. Internal to packed_rgb.h.
#pragma once

#include <cstddef>

namespace tandem::codec::simd {

// Between 16 bytes of pixels and 12 that are packed, for each group. 16 are written, or read, where the last 12 are, too.
using GroupsFunction = void (*)(std::byte* to, const std::byte* from, std::size_t groups);

// Of the instruction set that is chosen when it is asked.
[[nodiscard]] GroupsFunction PackGroups24();
[[nodiscard]] GroupsFunction UnpackGroups24();

}  // namespace tandem::codec::simd
