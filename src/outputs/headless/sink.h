// Where a headless output's frames go.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::outputs {

// Threads: as Output::Show. The destructor finishes the file and cannot tell when that failed.
class Sink {
 public:
  virtual ~Sink() = default;
  // Takes one frame and answers how many bytes of it were copied or converted.
  virtual Result<std::uint64_t> Write(const Surface& surface) = 0;
};

}  // namespace tandem::outputs
