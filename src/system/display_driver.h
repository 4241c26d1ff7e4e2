// Drivers in shared objects that show the frames of one window.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "bus/driver_output.h"
#include "outputs/output.h"
#include "system/driver_library.h"

namespace tandem::system {

struct DisplayDriverFiles {
  std::string driver;    // shared object
  std::string registry;  // of ReadDriverFile; empty: none
};

// Loads the driver afresh and starts it on the first of DevicesToTry() that it starts on, with the extent of `screen`, or with
// 1920 x 1080 where the screen has none of its own. The driver shows in `screen` and is unloaded with the output. Errors:
// kNotFound for a file that is no driver, kLimit while another window has a driver; bus::DriverOutput's and ReadDriverFile's.
[[nodiscard]] Result<std::shared_ptr<bus::DriverOutput>> ShowThroughDriver(const DisplayDriverFiles& files,
                                                                           std::shared_ptr<outputs::Output> screen);

// The library of a full driver. Null for a display-only driver, for a file that is no driver, and for an empty path. The driver
// is entered and unloaded, and its library loaded afresh. Values that cannot be read are left out; Entry() says so.
[[nodiscard]] std::unique_ptr<DriverLibrary> LoadFullDriver(const DisplayDriverFiles& files);

}  // namespace tandem::system
