// Manifests of Vulkan drivers of any content.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "drivers/vulkan/icd/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)tandem::vulkan::ParseManifest({reinterpret_cast<const char*>(data), size}, "/usr/share/vulkan/icd.d/fuzz.json");
  return 0;
}
