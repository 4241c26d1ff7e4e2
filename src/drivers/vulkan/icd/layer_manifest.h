// Finds installed Vulkan layers by name, explicit and implicit ones, as the Vulkan loader finds them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::vulkan {

struct LayerManifest {
  std::string name;     // "VK_LAYER_VKBASALT_post_processing"
  std::string library;  // argument of dlopen
  // Names of the library's functions, where they are not the usual ones.
  std::string get_instance_proc_addr = "vkGetInstanceProcAddr";
  std::string get_device_proc_addr = "vkGetDeviceProcAddr";
  std::string negotiate = "vkNegotiateLoaderLayerInterfaceVersion";
};

// Tandem's own layer, which no chain of Tandem's contains.
inline constexpr std::string_view kOwnLayer = "VK_LAYER_TANDEM_present";

// The layers of one manifest that have a library. `path` is the manifest's own path. kInvalidArgument with a sentence.
[[nodiscard]] Result<std::vector<LayerManifest>> ParseLayerManifest(std::string_view text, const std::string& path);

// The installed layers with these names, in their order, each once. Part of a name is enough if it fits one layer alone, in any
// case of letters. VK_LAYER_PATH and VK_ADD_LAYER_PATH come before the standard folders; set-user-id programs ignore both.
// kNotFound names the layers that are installed, kInvalidArgument those that a part fits.
[[nodiscard]] Result<std::vector<LayerManifest>> FindLayers(std::span<const std::string> names);

}  // namespace tandem::vulkan
