// Vulkan layers above the display adapter's driver (Settings::display_layers).
#pragma once

#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"

namespace tandem::system {

// kUnsupported: `display` does not show by a Vulkan driver, so no layer can stand above it. kNotFound, kInvalidArgument: a name
// fits no installed layer, or several.
[[nodiscard]] Result<void> CheckDisplayLayers(const config::Settings& settings, const config::AdapterInfo& display);

}  // namespace tandem::system
