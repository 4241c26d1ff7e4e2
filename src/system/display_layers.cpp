#include "system/display_layers.h"

#include "drivers/vulkan/icd/layer_manifest.h"

namespace tandem::system {

Result<void> CheckDisplayLayers(const config::Settings& settings, const config::AdapterInfo& display) {
  if (settings.display_layers.empty()) return {};
  if (!settings.display_driver.empty() || display.icd_library.empty()) {
    const std::string& shows = settings.display_driver.empty() ? display.name : settings.display_driver;
    return Fail(ErrorKind::kUnsupported,
                "Display layers need an adapter that shows by a Vulkan driver, and {} does not; name one with --display.", shows);
  }
  if (auto found = vulkan::FindLayers(settings.display_layers); !found.ok()) return std::move(found).error();
  return {};
}

}  // namespace tandem::system
