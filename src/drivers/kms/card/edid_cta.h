// The CTA-861 extension of an EDID: what HDR needs.
#pragma once

#include <cstddef>
#include <span>

#include "drivers/kms/card/edid.h"

namespace tandem::kms {

// Reads the data blocks of a CTA-861 extension. `block` has 128 bytes; data blocks that pass the end of their collection end it.
void ReadCtaBlock(std::span<const std::byte> block, Edid& edid);

}  // namespace tandem::kms
