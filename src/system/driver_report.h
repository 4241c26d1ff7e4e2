// What a driver in a shared object says of its adapter once it has started.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "conform/driver_under_test.h"
#include "kernel/kernel.h"

namespace tandem::system {

struct DriverReport {
  bool display_only = false;
  std::string device;                  // that it started on: bus::NameOf's, or "bus of Tandem"
  kernel::AdapterDescription adapter;  // of a display-only driver: names, version, one VidPN source and target
  std::uint32_t mode_width = 0;        // of a display-only driver on a screen of 1920 x 1080; else 0
  std::uint32_t mode_height = 0;
};

// Starts the driver in this process and stops it again. Errors: those of the start.
[[nodiscard]] Result<DriverReport> ReportOn(const conform::DriverUnderTest& loaded);

}  // namespace tandem::system
