// Pixel formats by the kernel's names.
#pragma once

#include <cstdint>
#include <span>

#include "color/format.h"

namespace tandem::kms {

// The kernel's names of a format that a plane without blending may have, best first; the last ones carry alpha that is ignored
// at the bottom. Empty for a format that no plane reads.
[[nodiscard]] std::span<const std::uint32_t> OpaqueFourccs(color::Format format);
// With alpha that blends; 0 for a format without.
[[nodiscard]] std::uint32_t BlendedFourcc(color::Format format);

// True for the formats that every cross-adapter tier must scan out, 20H1's DisplayScanOut, and for XRGB: where no plane reads
// one, the processor composes it.
[[nodiscard]] bool IsComposable(color::Format format);

}  // namespace tandem::kms
