// A blit command's request to color/blit.h, checked.
#pragma once

#include <optional>

#include "color/blit.h"
#include "drivers/processor/kmd/command_stream.h"

namespace tandem::processor {

// The request without its pointers; nothing when the command contradicts itself. NV12 is replaced by color::kNv12Between;
// indexes stay drivers::kPaletteFormat.
[[nodiscard]] std::optional<color::BlitRequest> ToRequest(const BlitCommand& blit);

}  // namespace tandem::processor
