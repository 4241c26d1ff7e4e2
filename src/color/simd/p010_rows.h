// Rows of ten bits to P010 and back, for the instruction set that is here.
#pragma once

#include "color/p010_rows.h"

namespace tandem::color::simd {

// As the references of the same names, to the bit.
void EncodeP010Rows(const P010RowPair& rows, const P010Weights& weights);
void DecodeP010Row(const P010Row& row, const P010Weights& weights);

}  // namespace tandem::color::simd
