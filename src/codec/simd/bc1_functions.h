// BC1 blocks, one a lane, for the instruction set that is here.
#pragma once

#include "codec/bc1/bc1_blocks.h"

namespace tandem::codec::simd {

[[nodiscard]] EncodeBlocks EncodeBlocksHere();
[[nodiscard]] DecodeBlocks DecodeBlocksHere();

}  // namespace tandem::codec::simd
