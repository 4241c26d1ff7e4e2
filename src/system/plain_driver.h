// The Vulkan driver of programs that Tandem leaves alone and that were given no driver but Tandem's.
#pragma once

#include "base/result.h"
#include "system/render_driver.h"

namespace tandem::system {

// Opens the driver of the adapter with the screen, or the render adapter's where that one runs no programs: by default, without
// any setting. kUnsupported while the Vulkan loader has a list with other drivers, or no list; it goes on with those. Also errors
// of the choice of adapters and of the library.
[[nodiscard]] Result<RenderDriver> OpenPlainDriver();

}  // namespace tandem::system
