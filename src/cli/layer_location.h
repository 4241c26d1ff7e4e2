// Where the Vulkan loader finds the layer: installed, or in the build tree beside the command.
#pragma once

#include <string>

#include "base/result.h"

namespace tandem::cli {

// The data directory that holds vulkan/implicit_layer.d/VkLayer_tandem.json: <folder of the command>/share in a build tree,
// <folder of the command>/../share when installed. kNotFound names the places that were looked at.
[[nodiscard]] Result<std::string> FindLayerDataDirectory();

// XDG_DATA_DIRS with `directory` behind. The loader puts layers of earlier folders above those of later ones, and an overlay
// must stand above the layer that takes the swap chain: what it draws goes into images of that.
[[nodiscard]] std::string DataDirsWith(const std::string& directory);

}  // namespace tandem::cli
