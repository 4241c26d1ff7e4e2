// Measures the link between the device's own memory and system memory.
#pragma once

#include "base/clock.h"
#include "base/link_measure.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

struct LinkProbe {
  LinkMeasure out;  // from the device to system memory
  LinkMeasure in;   // from system memory to the device
};

// Measures copies on the frames' copy queue, to pages like those of frames: imported if possible, otherwise the device's own
// that the processor sees. Blocks for some milliseconds, on slow links for tenths of a second. kOutOfMemory, kTimeout.
[[nodiscard]] Result<LinkProbe> ProbeLink(Gpu& gpu, Clock& clock);

}  // namespace tandem::vulkan
