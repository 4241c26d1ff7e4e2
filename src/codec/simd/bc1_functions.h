// BC1 blocks, one in each lane, for the chosen instruction set.
#pragma once

#include "codec/bc1/bc1_blocks.h"

namespace tandem::codec::simd {

[[nodiscard]] EncodeBlocks EncodeBlocksHere();
[[nodiscard]] DecodeBlocks DecodeBlocksHere();

}  // namespace tandem::codec::simd
