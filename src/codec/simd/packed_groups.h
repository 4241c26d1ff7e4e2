// Groups of four pixels without their fourth channel, for the chosen instruction set. Internal to packed_rgb.h.
#pragma once

#include <cstddef>

namespace tandem::codec::simd {

// Converts between 16 bytes of pixels and 12 packed bytes for each group. Packed groups are read or written as 16 bytes.
using GroupsFunction = void (*)(std::byte* to, const std::byte* from, std::size_t groups);

// Functions for the instruction set that is chosen at the call.
[[nodiscard]] GroupsFunction PackGroups24();
[[nodiscard]] GroupsFunction UnpackGroups24();

}  // namespace tandem::codec::simd
