// Mode sets of a VidPN: a driver reads what the kernel asks for, and offers what it shows.
#pragma once

#include <cstdint>

#include <dispmprt.h>

namespace tandem::drivers {

// Offers modes for the source and the target of a path, unless theirs are pinned or the pivot. An output of ours shows any size,
// so it offers each mode that the kernel asks for.
[[nodiscard]] NTSTATUS OfferModes(const DXGKRNL_INTERFACE& kernel, const DXGKARG_ENUMVIDPNCOFUNCMODALITY& args,
                                  std::uint32_t source, std::uint32_t target);

// Adds the preferred mode of a monitor whose refresh period is `period_ns`. STATUS_SUCCESS also when it is there already.
[[nodiscard]] NTSTATUS AddMonitorMode(const DXGKARG_RECOMMENDMONITORMODES& args, std::uint32_t width, std::uint32_t height,
                                      std::int64_t period_ns);

}  // namespace tandem::drivers
