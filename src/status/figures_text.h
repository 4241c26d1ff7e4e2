// Figures of a swap chain as text.
#pragma once

#include <string>

#include "status/swap_chain_record.h"

namespace tandem::status {

// Lines for a terminal, each with its newline.
[[nodiscard]] std::string SummaryLines(const SwapChainRecord& record);

}  // namespace tandem::status
