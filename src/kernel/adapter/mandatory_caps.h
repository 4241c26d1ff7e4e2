// What Windows refuses to start an adapter without (docs/rejections.md). No state, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

#include <dispmprt.h>

namespace tandem::kernel {

// Bytes of DXGK_DRIVERCAPS that a driver with this table is asked for; the members behind them came later.
[[nodiscard]] std::size_t DriverCapsBytes(ULONG version);

// Failures are kInternal and begin with the rule's name (rules.h).
[[nodiscard]] Result<void> CheckMandatoryCaps(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi,
                                              std::uint32_t vidpn_sources);
[[nodiscard]] Result<void> CheckMandatoryDisplayOnlyCaps(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi);

// No device of this kernel is behind an AGP bridge. `id` counts from 1.
[[nodiscard]] Result<void> CheckAgp(DXGK_SEGMENTFLAGS flags, std::uint32_t id);

// A child of a full driver; `version` is the table's.
[[nodiscard]] Result<void> CheckChild(const DXGK_CHILD_DESCRIPTOR& child, ULONG version);

}  // namespace tandem::kernel
