// The last shown frame as a PNG picture.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "outputs/headless/sink.h"

namespace tandem::outputs {

// A picture could be put there. kIo; kUnsupported for what is no regular file, for pictures replace one another.
[[nodiscard]] Result<void> CheckPngFile(const std::string& path);

// CheckPngFile's errors. `clock` outlives the sink.
[[nodiscard]] Result<std::unique_ptr<Sink>> CreatePngSink(const std::string& path, Clock& clock);

}  // namespace tandem::outputs
