// Names of NTSTATUS values for messages.
#pragma once

#include <cstdint>
#include <string>

namespace tandem {

// For example "STATUS_INVALID_PARAMETER (0xC000000D)"; only the number if the value has no published name.
[[nodiscard]] std::string StatusText(std::int32_t status);

}  // namespace tandem
