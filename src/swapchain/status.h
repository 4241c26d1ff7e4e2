// Converts statuses of thunks and user-mode drivers to errors and back.
#pragma once

#include <string_view>

#include "base/result.h"

#include <d3dukmdt.h>

namespace tandem::swapchain {

// "Opening adapter llvmpipe: the kernel answered STATUS_NOT_SUPPORTED (0xC00000BB) (unsupported)."
[[nodiscard]] Error FromStatus(std::string_view doing, NTSTATUS status);
[[nodiscard]] Error FromHresult(std::string_view doing, HRESULT result);

// Success or FromStatus.
[[nodiscard]] Result<void> CheckStatus(std::string_view doing, NTSTATUS status);

// The result of a runtime callback for the kernel's `status`.
[[nodiscard]] HRESULT ToHresult(NTSTATUS status);

}  // namespace tandem::swapchain
