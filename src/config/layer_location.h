// Folders of the layer and the driver for the Vulkan loader: installed, or in the build tree beside the command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::config {

// Another name of the layer, under which it does not enable itself.
inline constexpr char kListedLayer[] = "VK_LAYER_TANDEM_present_listed";

// The data directory that holds vulkan/implicit_layer.d/VkLayer_tandem.json: <folder of the command>/share in a build tree,
// <folder of the command>/../share when installed, and one folder higher for programs in libexec/tandem. kNotFound names the
// places that were looked at.
[[nodiscard]] Result<std::string> FindLayerDataDirectory();

// True if the loader looks into this data directory in every session, whatever XDG_DATA_DIRS says there.
[[nodiscard]] bool IsSearchedAlways(std::string_view data_directory);

// The manifest of Tandem's driver in that directory.
[[nodiscard]] std::string DriverManifestIn(const std::string& directory);

// NAME=value pairs that make `manifest` the loader's only driver. Drivers that were listed before stay known to Tandem.
[[nodiscard]] std::vector<std::string> DriverEnvironment(const std::string& manifest);

// True if TANDEM_DISABLE switches layer and driver off.
[[nodiscard]] bool IsSwitchedOff();

// XDG_DATA_DIRS with `directory` behind. The loader puts layers of earlier folders above those of later ones, and an overlay
// must stand above the layer that takes the swap chain: what it draws goes into images of that.
[[nodiscard]] std::string DataDirsWith(const std::string& directory);

// VK_INSTANCE_LAYERS with the layer behind what is listed; nothing where nothing is listed, or the layer is switched off. The
// loader puts listed layers below those that enable themselves, so that an overlay in the list would stand below the layer.
[[nodiscard]] std::optional<std::string> ListedLayersWithOurs();

}  // namespace tandem::config
