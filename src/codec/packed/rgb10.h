// Converts R10G10B10A2 pixels for the encodings of eight bits, and back. Alpha is dropped and comes back as 3.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::codec {

// width x height pixels of four bytes, rows `pitch` bytes apart. Any alignment; no overlap.
template <class Byte>
struct Rgb10Rows {
  Byte* pixels = nullptr;
  std::uint64_t pitch = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// The upper eight bits of each channel as B8G8R8X8. The lower two stand in one byte: red in bits 0..1, green in 2..3, blue in
// 4..5. Rows have no padding.
template <class Byte>
struct SplitRgb10 {
  Byte* upper = nullptr;
  Byte* lower = nullptr;
};
void Split(const SplitRgb10<std::byte>& to, const Rgb10Rows<const std::byte>& from);
// Ignores bits 6..7 of lower bytes.
void Join(const Rgb10Rows<std::byte>& to, const SplitRgb10<const std::byte>& from);

// Widens B8G8R8A8 to the nearest ten bits: round(v * 1023 / 255).
void WidenToRgb10(const Rgb10Rows<std::byte>& to, const std::byte* from, std::uint64_t from_pitch);

}  // namespace tandem::codec
