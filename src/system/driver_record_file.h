// Records of this machine's drivers, in $XDG_CACHE_HOME/tandem. A record holds for Tandem's version, the kernel, the driver's
// manifest and library, the display devices and the nodes that Machine names.
#pragma once

#include <string>

#include "base/result.h"
#include "system/driver_record.h"

namespace tandem::system {

// The record of the driver that `manifest` names. Opens neither a driver nor the node of a GPU. kNotFound when there is none or
// it no longer fits, kUnsupported when this process has a variable that may change the driver's answers (RADV_DEBUG), and the
// errors of ParseDriverRecord() and ReadCacheFile().
[[nodiscard]] Result<DriverRecord> ReadDriverRecord(const std::string& manifest);

// Opens the driver, asks it everything and keeps that. Does nothing when an equal record is kept. A failure is logged.
void KeepDriverRecord(const std::string& manifest);

}  // namespace tandem::system
