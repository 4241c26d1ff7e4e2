// The interrupts of a driver's device, by its setup file (.inf, .inx).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tandem::cli {

// MSISupported of the AddReg sections, in a text of ASCII, UTF-8 or UTF-16. nullopt: not said, or once so and once so.
[[nodiscard]] std::optional<bool> MessageInterruptsIn(const std::string& setup);

// The same of all setup files in a folder.
[[nodiscard]] std::optional<bool> MessageInterruptsOf(const std::filesystem::path& folder);

}  // namespace tandem::cli
