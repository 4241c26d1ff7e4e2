// The last shown frame as a PNG picture.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "outputs/headless/sink.h"

namespace tandem::outputs {

// Succeeds if a picture can be written to `path`. kIo; kUnsupported unless it is a regular file, because each picture replaces
// the last, and libpng can be loaded.
[[nodiscard]] Result<void> CheckPngFile(const std::string& path);

// Errors: those of CheckPngFile. `clock` must outlive the sink.
[[nodiscard]] Result<std::unique_ptr<Sink>> CreatePngSink(const std::string& path, Clock& clock);

}  // namespace tandem::outputs
