// Manifests of Vulkan drivers and layers of any content.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "drivers/vulkan/icd/layer_manifest.h"
#include "drivers/vulkan/icd/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)tandem::vulkan::ParseManifest(text, "/usr/share/vulkan/icd.d/fuzz.json");
  (void)tandem::vulkan::ParseLayerManifest(text, "/usr/share/vulkan/explicit_layer.d/fuzz.json");
  return 0;
}
