// Finds and reads the JSON manifests of installed Vulkan drivers, as the Vulkan loader does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::vulkan {

struct Manifest {
  std::string library;      // absolute, or a bare name that dlopen searches
  std::string api_version;  // "1.3.255"; empty if missing
};

// `path` is the manifest's own path; a relative library_path is relative to it. kInvalidArgument with a sentence if the text is
// no driver manifest, kUnsupported for a driver of another architecture.
[[nodiscard]] Result<Manifest> ParseManifest(std::string_view text, const std::string& path);

// Reads and parses a file. kIo, and the errors of ParseManifest.
[[nodiscard]] Result<Manifest> ReadManifest(const std::string& path);

// Tandem's own driver, which stands above the others and is none of them.
inline constexpr std::string_view kOwnDriverLibrary = "libvulkan_tandem.so";
inline constexpr std::string_view kOwnDriverManifest = "tandem_icd.json";
// A list like VK_DRIVER_FILES, of the drivers below Tandem's.
inline constexpr const char* kDriversBelowVariable = "TANDEM_DRIVER_FILES";

// Paths of *.json in the loader's order, without Tandem's own. TANDEM_DRIVER_FILES, VK_DRIVER_FILES or VK_ICD_FILENAMES, the
// first that is set and names more than Tandem's own driver, is used alone. Otherwise VK_ADD_DRIVER_FILES comes first, then
// vulkan/icd.d below the XDG configuration and data directories. VK_LOADER_DRIVERS_SELECT and VK_LOADER_DRIVERS_DISABLE, patterns
// of files' names with commas between, filter all of them, except where TANDEM_AS is driver. Set-user-id programs ignore the
// variables.
[[nodiscard]] std::vector<std::string> FindManifests();

// True if the Vulkan loader's own list (VK_DRIVER_FILES, VK_ICD_FILENAMES) names Tandem's driver and no other.
[[nodiscard]] bool IsOwnDriverAlone();

}  // namespace tandem::vulkan
