// Opening a share, whichever way user mode named it.
#pragma once

#include "kernel/thunk/system.h"

namespace tandem::kernel {

// Describes the share to the device of the request. STATUS_NOT_SUPPORTED when its adapter cannot open it.
[[nodiscard]] NTSTATUS QueryShare(System& system, const std::shared_ptr<SharedResource>& share, D3DKMT_QUERYRESOURCEINFO& data);

enum class OpenForm : std::uint8_t { kFirst, kSecond };  // pOpenAllocationInfo, pOpenAllocationInfo2

// The request's hGlobalShare is not looked at.
[[nodiscard]] NTSTATUS OpenShare(System& system, const std::shared_ptr<SharedResource>& share, D3DKMT_OPENRESOURCE& data,
                                 OpenForm form);

}  // namespace tandem::kernel
