// The last shown frame as a PNG picture.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "outputs/headless/sink.h"

namespace tandem::outputs {

// kIo when the picture's folder cannot be written to. `clock` outlives the sink.
[[nodiscard]] Result<std::unique_ptr<Sink>> CreatePngSink(const std::string& path, Clock& clock);

}  // namespace tandem::outputs
