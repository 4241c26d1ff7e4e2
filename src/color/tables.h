// The model's result for every half float: 64 KiB for each transfer, made at first use.
#pragma once

#include <array>
#include <cstdint>

#include "color/convert.h"

namespace tandem::color {

using HalfTable = std::array<std::uint8_t, 65536>;

// Static storage; thread-safe.
[[nodiscard]] const HalfTable& HalfToUnorm8Table(Transfer transfer);

}  // namespace tandem::color
