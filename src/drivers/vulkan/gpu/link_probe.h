// How wide the way between the device's own memory and system memory is.
#pragma once

#include "base/clock.h"
#include "base/link_measure.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

struct LinkProbe {
  LinkMeasure out;  // from the device into system memory
  LinkMeasure in;   // and the other way
};

// By copies of the queue that frames are copied by, into pages as frames have them: imported where the device imports them, else
// its own that the processor sees. Blocks for some milliseconds, on slow links for tenths of a second. kOutOfMemory, kTimeout.
[[nodiscard]] Result<LinkProbe> ProbeLink(Gpu& gpu, Clock& clock);

}  // namespace tandem::vulkan
