// A display-only driver in a shared object, which shows the frames of one window.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::system {

// Loads the driver afresh and starts it on a frame buffer with the extent of `screen`, or of 1920 x 1080 where the screen has
// none of its own; a driver that does not start there gets a virtio GPU. The driver shows in `screen` and is unloaded with the
// output. Errors: kNotFound for a file that is no driver, kLimit while another window has a driver; bus::DriverOutput's.
[[nodiscard]] Result<std::shared_ptr<outputs::Output>> ShowThroughDriver(const std::string& path,
                                                                         std::shared_ptr<outputs::Output> screen);

}  // namespace tandem::system
