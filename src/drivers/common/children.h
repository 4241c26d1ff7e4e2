// Child devices: one video output for each target. It counts as connected unless the driver knows better.
#pragma once

#include <cstdint>

#include <dispmprt.h>

namespace tandem::drivers {

// ChildUid N is VidPnTargetId N; `awareness`: how the driver knows of its monitors. STATUS_BUFFER_TOO_SMALL.
NTSTATUS QueryChildRelations(std::uint32_t targets, DXGK_CHILD_DEVICE_HPD_AWARENESS awareness, DXGK_CHILD_DESCRIPTOR* children,
                             ULONG bytes);
// STATUS_INVALID_PARAMETER for a child that does not exist, STATUS_NOT_SUPPORTED for another status than the connection.
NTSTATUS QueryChildStatus(std::uint32_t targets, DXGK_CHILD_STATUS& status);

}  // namespace tandem::drivers
