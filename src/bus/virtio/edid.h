// The description of a monitor that has one preferred mode (VESA E-EDID 1.4).
#pragma once

#include <array>
#include <cstdint>

namespace tandem::bus {

inline constexpr std::size_t kEdidBytes = 128;

// The preferred mode is left out where a detailed timing cannot say it: above 4095 pixels or 655.35 MHz.
[[nodiscard]] std::array<std::uint8_t, kEdidBytes> MakeEdid(std::uint32_t width, std::uint32_t height,
                                                            std::int64_t refresh_period_ns);

}  // namespace tandem::bus
