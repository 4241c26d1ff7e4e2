// The file of --registry: registry values and ACPI answers for drivers. TOML with the tables [registry.driver], [registry.device]
// and [registry.service], their subkeys as tables below, and [acpi.methods].
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel/driver_settings.h"

namespace tandem::system {

// A number is a REG_DWORD, a text a REG_SZ, a list of texts a REG_MULTI_SZ; { qword = 1 } is a REG_QWORD and { binary = "00 ff" }
// a REG_BINARY. An ACPI method answers a number, a text, { binary = "..." }, or a list of these: a package. Takes any bytes.
// Errors: config::ParseToml's; kInvalidArgument with file, line and reason.
[[nodiscard]] Result<kernel::DriverSettings> ParseDriverText(std::string_view text, std::string_view file_name);

// Errors: ParseDriverText's; kIo, kNotFound.
[[nodiscard]] Result<kernel::DriverSettings> ReadDriverFile(const std::string& path);

}  // namespace tandem::system
