// Answers of the runtime to a shim: the kernel's handles behind its own.
#pragma once

#include <tandem_shim.h>

namespace tandem::swapchain {

// A host whose runtime is this module's. `open_render` and `open_display` are the drivers beneath; null for a shim inside a
// driver.
[[nodiscard]] TANDEM_SHIM_HOST MakeShimHost(LUID render, PFND3D10DDI_OPENADAPTER open_render,
                                            PFND3D10DDI_OPENADAPTER open_display);

}  // namespace tandem::swapchain
