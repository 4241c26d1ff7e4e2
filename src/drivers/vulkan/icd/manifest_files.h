// The JSON files by which the Vulkan loader finds drivers and layers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace tandem::vulkan {

// Maximum bytes of one manifest; real manifests have a few hundred.
inline constexpr std::size_t kMaxManifestBytes = 64 * 1024;
// Maximum nesting of objects and arrays.
inline constexpr int kMaxManifestDepth = 16;
// Maximum number of manifests read; ignored ones are reported.
inline constexpr std::size_t kMaxManifests = 64;

// The items of a list with colons between; empty ones are left out.
[[nodiscard]] std::vector<std::string> ListedPaths(std::string_view list);
// The loader's folders below the XDG configuration and data directories, in its order. `kind` is "icd.d", for example.
[[nodiscard]] std::vector<std::string> ManifestFolders(std::string_view kind);
// The *.json files of files and folders, each once, those of a folder by name.
[[nodiscard]] std::vector<std::string> ManifestFiles(const std::vector<std::string>& sources);

// Text with the letters A to Z as small ones.
[[nodiscard]] std::string LowerCase(std::string_view text);
// Reads at most kMaxManifestBytes + 1 bytes, the last of which ParseManifestObject refuses. kIo.
[[nodiscard]] Result<std::string> ReadManifestText(const std::string& path);
// A JSON object of file_format_version 1.x. kInvalidArgument with a sentence about the manifest `path`.
[[nodiscard]] Result<nlohmann::json> ParseManifestObject(std::string_view text, const std::string& path);
// Null: `object` has no such text.
[[nodiscard]] const std::string* StringMember(const nlohmann::json& object, const char* name);
// The library_path of a driver or layer, for dlopen: absolute, or a bare name. A relative one is relative to the manifest
// `path`. kInvalidArgument, and kUnsupported for a library of another architecture.
[[nodiscard]] Result<std::string> LibraryOf(const nlohmann::json& object, const std::string& path);

}  // namespace tandem::vulkan
