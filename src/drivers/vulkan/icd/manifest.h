// Where Vulkan drivers are installed: the JSON manifests that the Vulkan loader reads, found and read as it does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::vulkan {

// Bytes of one manifest; real ones have some hundred.
inline constexpr std::size_t kMaxManifestBytes = 64 * 1024;
// Objects and arrays inside one another.
inline constexpr int kMaxManifestDepth = 16;
// Manifests that are read; the rest is ignored and said.
inline constexpr std::size_t kMaxManifests = 64;

struct Manifest {
  std::string library;      // absolute, or a bare name that dlopen searches
  std::string api_version;  // "1.3.255"; empty when it is not said
};

// `path` is the manifest's own path, which a relative library_path is relative to. kInvalidArgument with a sentence for anything
// that is no driver manifest, kUnsupported for a driver of another architecture.
[[nodiscard]] Result<Manifest> ParseManifest(std::string_view text, const std::string& path);

// Reads and parses. kIo, and as above.
[[nodiscard]] Result<Manifest> ReadManifest(const std::string& path);

// Paths of *.json in the loader's order: VK_DRIVER_FILES or else VK_ICD_FILENAMES alone when set; otherwise VK_ADD_DRIVER_FILES,
// then vulkan/icd.d below the XDG configuration and data directories. Variables are ignored in set-user-id programs.
[[nodiscard]] std::vector<std::string> FindManifests();

}  // namespace tandem::vulkan
