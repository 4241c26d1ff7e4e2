// Converts rows of ten bits to P010 and back, for the chosen instruction set.
#pragma once

#include "color/p010_rows.h"

namespace tandem::color::simd {

// Each equals the reference of its name in every bit.
void EncodeP010Rows(const P010RowPair& rows, const P010Weights& weights);
void DecodeP010Row(const P010Row& row, const P010Weights& weights);

}  // namespace tandem::color::simd
