// Destination of a headless output's frames.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::outputs {

// Threads: as for Output::Show. The destructor finishes the file; it cannot report a failure.
class Sink {
 public:
  virtual ~Sink() = default;
  // Writes one frame and returns the number of bytes copied or converted for it.
  virtual Result<std::uint64_t> Write(const Surface& surface) = 0;
};

}  // namespace tandem::outputs
