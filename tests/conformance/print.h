// Prints parameter names for GoogleTest.
#pragma once

#include <ostream>

#include "conform/driver_under_test.h"

namespace tandem::conform {

inline void PrintTo(const DriverUnderTest& driver, std::ostream* out) { *out << driver.name; }

inline void PrintTo(SurfaceUse use, std::ostream* out) {
  switch (use) {
    case SurfaceUse::kImage: *out << "image"; break;
    case SurfaceUse::kPrimary: *out << "primary"; break;
    case SurfaceUse::kCrossAdapter: *out << "cross-adapter"; break;
    case SurfaceUse::kMapped: *out << "mapped"; break;
    case SurfaceUse::kSharedWithKmd: *out << "shared with the driver"; break;
  }
}

}  // namespace tandem::conform
