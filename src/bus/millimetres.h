// The size of an emulated screen.
#pragma once

#include <cstdint>

namespace tandem::bus {

// 96 dots an inch.
[[nodiscard]] constexpr std::uint32_t Millimetres(std::uint32_t pixels) { return pixels * 254 / 960; }

}  // namespace tandem::bus
