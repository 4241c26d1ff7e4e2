// Buffers of virgl commands (SUBMIT_3D), as far as the device model reads them: lengths and numbers.
#pragma once

#include <cstdint>
#include <span>

namespace tandem::bus {

struct StreamCheck {
  bool ok = false;            // each command ends inside, and is one that the device lets through
  bool asks_results = false;  // a query's result is asked for
};

// Commands that touch guest memory behind a resource, make resources, decode video or change debug output are not let through.
[[nodiscard]] StreamCheck CheckStream(std::span<const std::uint32_t> words);

}  // namespace tandem::bus
