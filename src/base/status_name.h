// NTSTATUS values in messages.
#pragma once

#include <cstdint>
#include <string>

namespace tandem {

// "STATUS_INVALID_PARAMETER (0xC000000D)"; a value without a published name is its number alone.
[[nodiscard]] std::string StatusText(std::int32_t status);

}  // namespace tandem
