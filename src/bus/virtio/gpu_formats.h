// Sizes of the virgl formats.
#pragma once

#include <cstdint>
#include <optional>

#include "color/format.h"

namespace tandem::bus {

// The smallest unit of a format: one texel, or a block of a compressed format.
struct TexelBlock {
  std::uint32_t width = 1;  // texels
  std::uint32_t height = 1;
  std::uint32_t bytes = 0;
};

// nullopt: a format that the device does not take (YUV, one bit a texel, unknown numbers).
[[nodiscard]] std::optional<TexelBlock> BlockOf(std::uint32_t format);

// kUnknown for a format that no output of this tree shows. A screen has no alpha.
[[nodiscard]] color::Format ScreenFormatOf(std::uint32_t format);

}  // namespace tandem::bus
