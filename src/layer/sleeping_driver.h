// A Vulkan driver in front of one that is not open. It shows the devices of a record and opens the driver at vkCreateDevice, or
// at the first question that the record does not answer.
#pragma once

#include <memory>

#include "layer/sleeping_instance.h"
#include "system/render_driver.h"

namespace tandem::layer {

// The functions of the one sleeping driver of this process. Functions and instances refer to `driver` until the process ends;
// a later call replaces it for instances that are created afterwards.
[[nodiscard]] system::RenderDriver MakeSleepingDriver(std::unique_ptr<const SleepingDriver> driver);

}  // namespace tandem::layer
