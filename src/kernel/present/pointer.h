// The pointer that a driver shows over the picture of a VidPn source.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernel/adapter/adapter.h"
#include "kernel/kernel.h"

namespace tandem::kernel {

// No shapes where the driver lacks one of the two DDIs.
[[nodiscard]] PointerCaps PointerCapsOf(const Adapter& adapter);

// See Kernel's functions of these names. Any thread, PASSIVE_LEVEL; kDeviceLost once the driver broke a rule.
[[nodiscard]] Result<void> SetPointerShape(Adapter& adapter, std::uint32_t vidpn_source, const PointerShape& shape);
[[nodiscard]] Result<void> SetPointerPosition(Adapter& adapter, std::uint32_t vidpn_source, const PointerPosition& position);

}  // namespace tandem::kernel
