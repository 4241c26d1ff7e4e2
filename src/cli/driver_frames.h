// Names of functions of a driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::cli {

// Lines such as "Escape at Device.cpp:12 (driver.so+0x4b31)" for offsets in a driver's shared object; "driver.so+0x4b31" where
// the driver has no names or the system no addr2line.
[[nodiscard]] std::vector<std::string> NamedFrames(const std::string& driver, const std::vector<std::uint64_t>& offsets);

}  // namespace tandem::cli
